// Approvals of local mode: what is in the file is what counts, in this process and the next.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLogger } from "../../lib/process/log.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { maxApprovalsFileBytes, openLocalStore } from "./local-store.ts";
import { approve, person, questionOf, startApprovals, uses, missing } from "./testing/scene.ts";

const log = createLogger({ logger: "test", level: "SILENT" });
const agents = new Map([["clerk", "uid-of-clerk"]]);

async function place() {
  const folder = await mkdtemp(join(tmpdir(), "pallas-approvals-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "state", "approvals.json");
  return { folder, path, open: () => openLocalStore({ path, log }) };
}

describe("MGM-6 approvals of local mode", () => {
  it("outlive the process at each step, and a yes is used once", async () => {
    const { open } = await place();
    const clock = new ManualClock();
    const next = async () => startApprovals({ store: await open(), clock, agents, count: () => undefined });
    const { metadata } = await (await next()).open(questionOf(), { agent: "clerk" });
    await (await next()).decide(metadata.name, approve(), person("bob"));
    expect((await (await next()).open(questionOf(), { agent: "clerk" })).metadata.name).toBe(metadata.name);
    expect(await (await next()).use(metadata.name, uses(1))).toMatchObject({ verdict: "approve" });
    const last = await next();
    expect(await last.use(metadata.name, uses(1))).toMatchObject({ verdict: "approve" });
    await expect(last.use(metadata.name, uses(2))).rejects.toMatchObject({ kind: "used" });
  });

  it("refuse a change of a form that is not there any more, and keep one of two writes at once", async () => {
    const { open } = await place();
    const store = await open();
    const approvals = startApprovals({ store, clock: new ManualClock(), agents, count: () => undefined });
    const seen = await approvals.open(questionOf(), { agent: "clerk" });
    await expect(store.create(seen)).rejects.toMatchObject({ kind: "taken" });
    const both = await Promise.allSettled(["one", "other"].map((use) => store.setStatus(seen, { usedBy: use })));
    expect(both).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { kind: "changed" } }]);
    await expect(store.remove(seen)).rejects.toMatchObject({ kind: "changed" });
    const now = store.list()[0] ?? missing();
    await store.remove(now);
    await expect(store.setStatus(now, {})).rejects.toMatchObject({ kind: "gone" });
    expect(store.list()).toEqual([]);
  });

  it("are for their owner alone, and a half-written file is never read", async () => {
    const { open, path, folder } = await place();
    const approvals = startApprovals({ store: await open(), clock: new ManualClock(), agents, count: () => undefined });
    await approvals.open(questionOf(), { agent: "clerk" });
    await writeFile(`${path}.new`, "half");
    expect((await open()).list()).toHaveLength(1);
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ schema: 1, version: 1 });
    expect(await readdir(join(folder, "state"))).toEqual(["approvals.json", "approvals.json.new"]);
  });

  it.each([
    ["no JSON", "{"],
    ["of another shape", '{"schema":2}'],
    ["with a faulty approval", '{"schema":1,"version":1,"approvals":[{}]}'],
    ["that is too large", " ".repeat(maxApprovalsFileBytes + 1)],
  ])("begin empty, and keep the file beside, where it is %s", async (_name, text) => {
    const { folder } = await place();
    const path = join(folder, "approvals.json");
    await writeFile(path, text);
    expect((await openLocalStore({ path, log })).list()).toEqual([]);
    expect(await readdir(folder)).toEqual(["approvals.json.faulty"]);
  });

  it("are not taken where they cannot be written, and nothing counts then", async () => {
    const { folder } = await place();
    await writeFile(join(folder, "file"), "");
    const store = await openLocalStore({ path: join(folder, "approvals.json"), log });
    const approvals = startApprovals({ store, clock: new ManualClock(), agents, count: () => undefined });
    await rm(folder, { recursive: true });
    await writeFile(folder, "");
    await expect(approvals.open(questionOf(), { agent: "clerk" })).rejects.toMatchObject({ kind: "unready" });
    expect(approvals.list()).toEqual([]);
  });
});
