// A proposal's dry run (MGM-3): whose calls it is about, and that agents that hang, fail or are many hold up nobody.
import { describe, expect, test } from "vitest";
import type { RejudgedCall } from "../../../crds/judged-calls.ts";
import { ManualClock, settle } from "../../../lib/process/testing/manual-clock.ts";
import { createDryRuns, dryRunDeadlineMs, maxDryRunAgents } from "./dry-runs.ts";

const rules = { rules: [], default: "allow" };
const call = (second: number): RejudgedCall => ({
  at: new Date(Date.UTC(2030, 0, 1) + second * 1_000).toISOString(),
  ...{ server: "bank", tool: "pay", caller: "ann", before: "ask", after: "allow" },
});
const names = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`);

/** Agents that say what `says` has of them; "hangs": nothing, ever. */
function open(says: Record<string, readonly RejudgedCall[] | "hangs">, own: readonly RejudgedCall[] = []) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const running = { now: 0, most: 0 };
  const subject = createDryRuns({
    admin: {
      async fetchJudged(agent, _rules, signal) {
        asked.push(agent);
        running.now += 1;
        running.most = Math.max(running.most, running.now);
        try {
          await settle();
          if (says[agent] === "hangs") {
            signal.throwIfAborted();
            await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          }
          const calls = says[agent];
          if (calls === undefined || calls === "hangs") throw new Error("not there");
          return calls;
        } finally {
          running.now -= 1;
        }
      },
    },
    judgedHere: async () => ({ calls: [...own] }),
    clock,
  });
  return { subject, clock, asked, running };
}

describe("MGM-3 a dry run", () => {
  test("is about the newest 500 calls of all agents, and of the gateway where the policy is its own, too", async () => {
    const [many, own] = [Array.from({ length: 500 }, (_, n) => call(n)), [call(1_000)]];
    const { subject } = open({ clerk: many, boss: [call(999)] }, own);
    const agents = ["boss", "clerk"];
    const whole = await subject.run("p1", rules, { agents, ownCalls: true });
    expect(whole.calls).toHaveLength(500);
    expect(whole.calls.slice(0, 3)).toEqual([
      { ...call(1_000), agent: "" },
      { ...call(999), agent: "boss" },
      { ...call(499), agent: "clerk" },
    ]);
    expect(whole).toMatchObject({ unanswered: [], leftOut: 0 });
    const others = await subject.run("p1", rules, { agents: ["boss"], ownCalls: false });
    expect(others.calls).toEqual([{ ...call(999), agent: "boss" }]);
  });

  test("names who fails, and who has not answered when its time is over", async () => {
    const { subject, clock } = open({ clerk: [call(1)], slow: "hangs" });
    const answer = subject.run("p1", rules, { agents: ["clerk", "gone", "slow"], ownCalls: false });
    await settle();
    await settle();
    await clock.advance(dryRunDeadlineMs);
    expect(await answer).toEqual({
      calls: [{ ...call(1), agent: "clerk" }],
      unanswered: [
        { agent: "gone", message: "not there" },
        { agent: "slow", message: `no answer within ${dryRunDeadlineMs} ms` },
      ],
      leftOut: 0,
    });
  });

  test("ends by its time however many hang, and what waited for its turn is not asked afterwards", async () => {
    const agents = names(maxDryRunAgents);
    const { subject, clock, asked, running } = open(Object.fromEntries(agents.map((agent) => [agent, "hangs"])));
    const answer = subject.run("p1", rules, { agents, ownCalls: false });
    await clock.advance(dryRunDeadlineMs);
    expect((await answer).unanswered).toHaveLength(maxDryRunAgents);
    await settle();
    expect(running).toEqual({ now: 0, most: 8 });
    expect(asked).toHaveLength(8);
  });

  test("asks 64 agents, and says of the 65th that it did not", async () => {
    const agents = names(maxDryRunAgents + 1);
    const { subject, asked } = open(Object.fromEntries(agents.map((agent) => [agent, []])));
    expect(await subject.run("p1", rules, { agents, ownCalls: false })).toMatchObject({ leftOut: 1, unanswered: [] });
    expect(asked).toHaveLength(maxDryRunAgents);
    const fewer = { agents: agents.slice(1), ownCalls: false };
    expect(await subject.run("p1", rules, fewer)).toMatchObject({ leftOut: 0 });
  });

  test("is made once for all who look at the same time, anew for another proposal and when it is old", async () => {
    const { subject, asked, clock } = open({ clerk: [call(1)] });
    const scope = { agents: ["clerk"], ownCalls: false };
    await Promise.all([subject.run("p1", rules, scope), subject.run("p1", rules, scope)]);
    expect(asked).toHaveLength(1);
    await subject.run("p2", rules, scope);
    expect(asked).toHaveLength(2);
    clock.stall(10_000);
    await subject.run("p1", rules, scope);
    expect(asked).toHaveLength(3);
  });
});
