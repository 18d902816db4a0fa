// What a gateway keeps of its sessions on disk: how soon, how much, and what it makes of a file that it did not write.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../lib/process/log.ts";
import { ManualClock } from "../lib/process/testing/manual-clock.ts";
import { maxFileBytes, maxKeptSessions, openKeptSessions, writeDelayMs } from "./kept-sessions.ts";

const idOf = (number: number): string => number.toString(16).padStart(64, "0");
const [first, second, third] = [idOf(1), idOf(2), idOf(3)] as const;

async function createPlace() {
  const folder = await mkdtemp(join(tmpdir(), "sessions-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ logger: "test", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const clock = new ManualClock();
  const path = join(folder, "sessions.json");
  return { path, lines, clock, reopen: () => openKeptSessions({ path, log, clock }) };
}

const fileOf = (...sessions: [string, string[]][]): string => `${JSON.stringify({ schema: 1, sessions })}\n`;
/** A session whose line in the file has this many bytes. */
const uriOfLine = (bytes: number): string => "u".repeat(bytes - JSON.stringify([idOf(0), [""]]).length);
const frameBytes = fileOf().length;

describe("MGM-2 sessions that outlive the process", () => {
  it("are known to the next one with what each subscribed to last, but for those that were forgotten", async () => {
    const { path, reopen } = await createPlace();
    const kept = await reopen();
    for (const id of [first, second, third]) kept.add(id);
    kept.save(first, ["resource://a", "resource://b"]);
    kept.save(first, ["resource://b"]);
    kept.forget(third);
    await kept.close();
    expect(await readFile(path, "utf8")).toBe(fileOf([second, []], [first, ["resource://b"]]));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const next = await reopen();
    expect([first, second, third].map(next.isKnown)).toEqual([true, true, false]);
    expect([await next.load(first), await next.load(second), await next.load(third)]).toEqual([
      ["resource://b"],
      [],
      [],
    ]);
    expect(next.isKnown(third)).toBe(false);
  });

  it("are written a moment after a change, once for all that change until then", async () => {
    const { path, clock, reopen } = await createPlace();
    const kept = await reopen();
    kept.add(first);
    await clock.advance(writeDelayMs - 1);
    kept.add(second);
    expect(clock.pending).toEqual([1]);
    await expect(stat(path)).rejects.toThrow("ENOENT");
    await clock.advance(1);
    await expect.poll(() => readFile(path, "utf8").catch(() => "")).toBe(fileOf([first, []], [second, []]));
    expect(clock.pending).toEqual([]);
  });

  it("are written again when one changes while they are written", async () => {
    const { path, clock, reopen } = await createPlace();
    const due: (() => void)[] = [];
    vi.spyOn(clock, "schedule").mockImplementation((_delayMs, run) => {
      due.push(run);
      return { cancel: () => false };
    });
    const kept = await reopen();
    kept.add(first);
    due.shift()?.();
    kept.save(first, ["resource://late"]);
    expect(due).toEqual([]);
    await expect.poll(() => due).toHaveLength(1);
    expect(await readFile(path, "utf8")).toBe(fileOf([first, []]));
    due.shift()?.();
    await expect.poll(() => readFile(path, "utf8")).toBe(fileOf([first, ["resource://late"]]));
  });

  it("are gone from the file when the last thing that happens is that one is forgotten", async () => {
    const { path, reopen } = await createPlace();
    await writeFile(path, fileOf([first, []], [second, []]));
    const kept = await reopen();
    kept.forget(first);
    kept.forget(third);
    await kept.close();
    expect(await readFile(path, "utf8")).toBe(fileOf([second, []]));
  });

  it("have a limit of their number, beyond which the one that changed longest ago is forgotten", async () => {
    const { reopen } = await createPlace();
    const kept = await reopen();
    for (let number = 0; number < maxKeptSessions; number += 1) kept.add(idOf(number));
    await kept.close();
    const full = await reopen();
    expect(full.isKnown(idOf(0))).toBe(true);
    await full.load(idOf(0));
    full.add(idOf(maxKeptSessions));
    await full.close();
    const next = await reopen();
    for (const each of [full, next]) {
      expect([0, 1, 2, maxKeptSessions].map((number) => each.isKnown(idOf(number)))).toEqual([true, false, true, true]);
    }
  });

  it("have a limit of their bytes together, of which umlauts have two", async () => {
    const { path, reopen } = await createPlace();
    const room = maxFileBytes - frameBytes - JSON.stringify([first, []]).length - 1;
    const kept = await reopen();
    kept.add(first);
    kept.save(second, [uriOfLine(room)]);
    await kept.close();
    expect((await stat(path)).size).toBe(maxFileBytes);
    const full = await reopen();
    expect([first, second].map(full.isKnown)).toEqual([true, true]);
    full.save(second, [uriOfLine(room).replace("u", "ü")]);
    await full.close();
    expect([first, second].map(full.isKnown)).toEqual([false, true]);
  });

  it("are forgotten whole where one alone is over the limit, and no other with it", async () => {
    const { reopen } = await createPlace();
    const kept = await reopen();
    kept.add(first);
    kept.save(second, [uriOfLine(maxFileBytes)]);
    kept.add(third);
    await kept.close();
    expect([first, second, third].map(kept.isKnown)).toEqual([true, false, true]);
  });
});

describe("MGM-2 a file of sessions that cannot be used", () => {
  const whole = fileOf([first, ["resource://a"]]);
  const many = Array.from({ length: maxKeptSessions + 1 }, (_, number): [string, string[]] => [idOf(number), []]);
  it.each([
    ["cut off", whole.slice(0, -3)],
    ["empty", ""],
    ["of a later version", whole.replace('"schema":1', '"schema":2')],
    ["with something else for an id", whole.replace(first, "../../etc")],
    ["with something else for a URI", whole.replace('"resource://a"', "7")],
    ["with one session too many", fileOf(...many)],
    ["one byte too long", whole.padEnd(maxFileBytes + 1)],
  ])("%s, is dropped, with one line in the log", async (_, text) => {
    const { path, lines, reopen } = await createPlace();
    await writeFile(path, text);
    const kept = await reopen();
    expect(kept.isKnown(first)).toBe(false);
    expect(lines).toMatchObject([{ path, message: expect.stringContaining("are dropped") }]);
    kept.add(second);
    await kept.close();
    expect(await readFile(path, "utf8")).toBe(fileOf([second, []]));
    expect(lines).toHaveLength(1);
  });

  it("is used up to its limits", async () => {
    const { path, lines, reopen } = await createPlace();
    for (const text of [whole.padEnd(maxFileBytes), fileOf(...many.slice(0, -1))]) {
      await writeFile(path, text);
      expect((await reopen()).isKnown(first)).toBe(true);
    }
    expect(lines).toEqual([]);
  });

  it("is no hindrance where nothing can be written: the log says so, and the process goes on", async () => {
    const { path, lines, reopen } = await createPlace();
    await mkdir(`${path}.new`);
    const kept = await reopen();
    kept.add(first);
    await kept.close();
    expect(kept.isKnown(first)).toBe(true);
    expect(lines).toMatchObject([{ path, message: expect.stringContaining("could not be written") }]);
  });
});
