// How long approvals are kept that are over, how many may wait, and what is told of both.
import { describe, expect, it } from "vitest";
import { maxPendingApprovals } from "../../crds/approval-wire.ts";
import { pendingLimits } from "./open.ts";
import { keptLimits } from "./sweep.ts";
import { approve, createScene, decided, hashOf, keepMs, person, questionOf, uses } from "./testing/scene.ts";

const from = { agent: "clerk" };
const bob = person("bob");

describe("MGM-6 what is over is kept for a while", () => {
  it("and collected when that is over", async () => {
    const { approvals, clock } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, approve(), bob);
    await approvals.use(metadata.name, uses(1));
    await clock.advance(keepMs - 1);
    expect(approvals.list()).toHaveLength(1);
    await clock.advance(1);
    expect(approvals.list()).toHaveLength(0);
  });

  it("a minute at the least, for whoever lost the answer", async () => {
    const { approvals, clock } = createScene({ keptMs: 0 });
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, approve(), bob);
    await approvals.use(metadata.name, uses(1));
    await clock.advance(59_999);
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "approve" });
    await clock.advance(1);
    expect(approvals.list()).toHaveLength(0);
  });

  it("of too many the oldest go first, and none that waits", async () => {
    const { approvals, clock, store } = createScene();
    const pending = await approvals.open(questionOf({ amount: -1 }), from);
    for (let n = 0; n < keptLimits.maxApprovals + 2; n += 1) {
      const asked = await approvals.open(questionOf({ amount: n }), { agent: "other" });
      await approvals.withdraw(asked.metadata.name);
      clock.stall(1);
    }
    await clock.advance(0);
    await expect.poll(() => approvals.list().length).toBe(keptLimits.maxApprovals + 1);
    expect(store.writes.filter((write) => write === "remove")).toHaveLength(2);
    expect(approvals.get(pending.metadata.name)).toBeDefined();
    const kept = approvals.list().map(({ spec }) => spec.arguments);
    expect(kept).not.toContain('{"amount":1}');
    expect(kept).toContain('{"amount":2}');
  });
});

describe("MGM-6 how many may wait", () => {
  it("of one agent 32: the next is refused, another agent's is not, and one that is decided makes room", async () => {
    const { approvals } = createScene();
    const names: string[] = [];
    for (let n = 0; n < maxPendingApprovals; n += 1) {
      names.push((await approvals.open(questionOf({ amount: n }), from)).metadata.name);
    }
    const more = () => approvals.open(questionOf({ amount: 99 }), from);
    await expect(more()).rejects.toMatchObject({ kind: "full", message: expect.stringContaining("32 calls") });
    // The same call again is none more.
    await expect(approvals.open(questionOf({ amount: 0 }), from)).resolves.toBeDefined();
    await approvals.open(questionOf(), { agent: "other" });
    await approvals.open(questionOf(), {});
    await approvals.decide(names[0] ?? "", approve(hashOf({ amount: 0 })), bob);
    await expect(more()).resolves.toBeDefined();
  });

  it("when many ask at once, no more either", async () => {
    const { approvals } = createScene();
    const asked = await Promise.allSettled(
      Array.from({ length: 2 * maxPendingApprovals }, (_, amount) => approvals.open(questionOf({ amount }), from)),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(maxPendingApprovals);
  });

  it("in all so many", async () => {
    const { approvals } = createScene();
    const open = (n: number) => approvals.open(questionOf({ n }, { caller: `caller ${Math.floor(n / 32)}` }), {});
    for (let n = 0; n < pendingLimits.maxApprovals; n += 1) await open(n);
    await expect(open(pendingLimits.maxApprovals)).rejects.toMatchObject({ kind: "full" });
    expect(approvals.observe().pending).toBe(pendingLimits.maxApprovals);
  });

  it("in all so many characters", async () => {
    const { approvals } = createScene();
    const large = { text: "x".repeat(250_000) };
    let count = 0;
    const fill = async () => {
      for (;;) {
        await approvals.open(questionOf({ ...large, count }, { caller: `caller ${Math.floor(count / 32)}` }), {});
        count += 1;
      }
    };
    await expect(fill()).rejects.toMatchObject({ kind: "full" });
    expect(count).toBe(Math.floor(pendingLimits.maxChars / (250_000 + 1_024 + 22)));
    expect(approvals.observe().pending).toBe(count);
  });
});

describe("MET-1 what is observed", () => {
  it("is how many wait and for how long the oldest does, and each verdict once, also one by kubectl", async () => {
    const { approvals, clock, store, counted } = createScene();
    expect(approvals.observe()).toEqual({ pending: 0, oldestMs: 0 });
    const first = await approvals.open(questionOf({ amount: 1 }), from);
    await clock.advance(60_000);
    await approvals.open(questionOf({ amount: 2 }), from);
    expect(approvals.observe()).toEqual({ pending: 2, oldestMs: 60_000 });
    const decision = decided(first, { verdict: "denyAbort", at: new Date(clock.wallNow()).toISOString() });
    store.patch(first.metadata.name, (found) => ({ ...found, spec: { ...found.spec, decision } }));
    await approvals.use(first.metadata.name, uses(1, hashOf({ amount: 1 })));
    expect(approvals.observe()).toEqual({ pending: 1, oldestMs: 0 });
    expect(counted).toEqual(["denyAbort"]);
  });
});
