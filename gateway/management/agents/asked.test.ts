import { describe, expect, test } from "vitest";
import { ManualClock, settle } from "../../../lib/process/testing/manual-clock.ts";
import { createAsked, maxKept } from "./asked.ts";

const times = { keptMs: 500, everyMs: 2_000, timeoutMs: 3_000, maxAtOnce: 2 };

/** Agents that answer with what `says` has of them, once `release` lets them where `holds` is set. */
function open(changes: Partial<typeof times> = {}) {
  const clock = new ManualClock();
  const says = new Map<string, number>();
  const asked: string[] = [];
  const held: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const flags = { holds: false };
  const subject = createAsked({
    async ask(agent, signal) {
      asked.push(agent);
      signals.push(signal);
      if (flags.holds) {
        await new Promise<void>((resolve, reject) => {
          held.push(resolve);
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      }
      const value = says.get(agent);
      if (value === undefined) throw new Error("not there");
      return value;
    },
    ...times,
    ...changes,
    clock,
  });
  return { clock, says, asked, held, signals, flags, subject };
}

describe("MGM-2 what agents are asked for", () => {
  test("is asked at once when something may have changed, where somebody follows", async () => {
    const { subject, says, asked, clock } = open();
    says.set("a", 1);
    subject.refresh("a");
    expect([subject.isFollowed("a"), asked]).toEqual([false, []]);
    let told = 0;
    const stop = subject.follow("a", () => (told += 1));
    await settle();
    subject.refresh("a");
    await settle();
    expect([subject.isFollowed("a"), asked.length, told]).toEqual([true, 2, 0]);
    says.set("a", 2);
    subject.refresh("a");
    await settle();
    expect(told).toBe(1);
    expect(clock.pending).toHaveLength(1);
    stop();
    expect(subject.isFollowed("a")).toBe(false);
  });

  test("is asked once for all who want it at the same time, and again when it is old", async () => {
    const { subject, says, asked, clock } = open();
    says.set("a", 1);
    const answers = await Promise.all([subject.get("a"), subject.get("a"), subject.get("a")]);
    expect(answers.map((answer) => answer.ok && answer.value)).toEqual([1, 1, 1]);
    clock.stall(times.keptMs - 1);
    await subject.get("a");
    expect(asked).toEqual(["a"]);
    clock.stall(1);
    await subject.get("a");
    expect(asked).toEqual(["a", "a"]);
  });

  test("is asked anew where the last answer is outdated, and told where it is another then", async () => {
    const { subject, says, asked } = open();
    says.set("a", 1);
    let told = 0;
    subject.outdate("a");
    await subject.get("a");
    subject.follow("a", () => (told += 1));
    await settle();
    says.set("a", 2);
    subject.outdate("a");
    expect(await subject.get("a")).toMatchObject({ value: 2 });
    expect([asked.length, told]).toEqual([3, 1]);
    subject.close();
  });

  test("is asked by itself only while somebody follows, however many do", async () => {
    const { subject, says, asked, clock } = open();
    says.set("a", 1);
    await clock.advance(60_000);
    expect(asked).toEqual([]);
    const stops = [subject.follow("a", () => undefined), subject.follow("a", () => undefined)];
    await clock.advance(3 * times.everyMs);
    expect(asked).toHaveLength(4);
    stops[0]?.();
    await clock.advance(times.everyMs);
    expect(asked).toHaveLength(5);
    stops[1]?.();
    stops[1]?.();
    await clock.advance(60_000);
    expect(asked).toHaveLength(5);
    expect(clock.pending).toEqual([]);
  });

  test("is told when it differs, and not when it is the same", async () => {
    const { subject, says, clock } = open();
    says.set("a", 1);
    const told: string[] = [];
    subject.follow("a", () => void told.push("one"));
    subject.follow("a", () => void told.push("other"));
    await clock.advance(3 * times.everyMs);
    expect(told).toEqual([]);
    says.set("a", 2);
    await clock.advance(times.everyMs);
    expect(told).toEqual(["one", "other"]);
    says.delete("a");
    await clock.advance(times.everyMs);
    expect(told).toHaveLength(4);
    await clock.advance(times.everyMs);
    expect(told).toHaveLength(4);
  });

  test("is told also where it differs from what was read before or between, so that nobody keeps what is old", async () => {
    const { subject, says, clock } = open();
    let told = 0;
    says.set("a", 1);
    await subject.get("a");
    says.set("a", 2);
    subject.follow("a", () => void (told += 1));
    await clock.advance(0);
    expect(told).toBe(1);
    clock.stall(times.keptMs);
    says.set("a", 3);
    expect(await subject.get("a")).toMatchObject({ value: 3 });
    expect(told).toBe(2);
    says.set("a", 2);
    await clock.advance(times.everyMs);
    expect(told).toBe(3);
  });

  test("an agent that does not answer is given up after the deadline, and takes nobody else's turn for longer", async () => {
    const { subject, says, asked, flags, clock, signals } = open();
    says.set("c", 3);
    flags.holds = true;
    const [a, b, c] = [subject.get("a"), subject.get("b"), subject.get("c")];
    await settle();
    expect(asked).toEqual(["a", "b"]);
    flags.holds = false;
    await clock.advance(times.timeoutMs - 1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    await clock.advance(1);
    expect(await a).toMatchObject({ ok: false, problem: "no answer within 3000 ms" });
    expect(await b).toMatchObject({ ok: false });
    expect(await c).toMatchObject({ ok: true, value: 3 });
    expect(clock.pending).toEqual([]);
  });

  test("one that came back while it was away is asked anew by whoever follows anew", async () => {
    const { subject, says, asked, flags, held, clock } = open();
    says.set("a", 1);
    flags.holds = true;
    subject.follow("a", () => undefined)();
    const stop = subject.follow("a", () => undefined);
    await settle();
    held.forEach((release) => release());
    flags.holds = false;
    await clock.advance(0);
    expect(asked).toHaveLength(2);
    await clock.advance(times.everyMs);
    expect(asked).toHaveLength(3);
    stop();
    expect(clock.pending).toEqual([]);
  });

  test("the answers of so many agents are kept, and no more", async () => {
    const { subject, says, asked } = open();
    const names = Array.from({ length: maxKept + 1 }, (_, at) => `agent-${at}`);
    for (const name of names) {
      says.set(name, 1);
      await subject.get(name);
    }
    await subject.get("agent-1");
    expect(asked).toHaveLength(maxKept + 1);
    await subject.get("agent-0");
    expect(asked).toHaveLength(maxKept + 2);
  });

  test("nothing goes on once it is closed", async () => {
    const { subject, says, flags, clock } = open();
    says.set("a", 1);
    flags.holds = true;
    subject.follow("a", () => undefined);
    const waiting = subject.get("b");
    subject.close();
    expect(await waiting).toMatchObject({ ok: false, problem: "the gateway is shutting down" });
    await clock.advance(60_000);
    expect(clock.pending).toEqual([]);
  });
});
