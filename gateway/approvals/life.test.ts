// The life of an approval: what is asked, joined, decided, used once, and over.
import { describe, expect, it, vi } from "vitest";
import { StoreRefused } from "./store.ts";
import {
  approve,
  createScene,
  decided,
  hashOf,
  person,
  questionOf,
  timeoutMs,
  uses,
  missing,
} from "./testing/scene.ts";

const from = { agent: "clerk" };
const forever = new AbortController().signal;
const bob = person("bob");

describe("MGM-6 a yes is worth one call", () => {
  it("is written, decided and used in three writes, and nobody else uses it", async () => {
    const { approvals, store, counted } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    const waiting = approvals.wait(metadata.name, forever);
    await approvals.decide(metadata.name, { ...approve(), reason: "fine" }, bob);
    expect(await waiting).toMatchObject({
      outcome: "decided",
      decision: { by: "bob", verdict: "approve", reason: "fine" },
    });
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "approve" });
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "approve" });
    await expect(approvals.use(metadata.name, uses(2))).rejects.toMatchObject({ kind: "used" });
    expect(store.writes).toEqual(["create", "decide", "setStatus"]);
    expect(counted).toEqual(["approve"]);
  });

  it("is for the arguments that were shown", async () => {
    const { approvals } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, approve(), bob);
    await expect(approvals.use(metadata.name, uses(1, hashOf({ amount: 41 })))).rejects.toMatchObject({ kind: "hash" });
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "approve" });
  });

  it("is granted to one of two gateways that use it at once, and a change between reading and writing is looked at anew", async () => {
    const { approvals, store, clock } = createScene();
    const second = createScene({ store, clock }).approvals;
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, approve(), bob);
    const used = await Promise.allSettled([approvals.use(metadata.name, uses(1)), second.use(metadata.name, uses(2))]);
    expect(used.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(used.find(({ status }) => status === "rejected")).toMatchObject({ reason: { kind: "used" } });
  });

  it("is used up where the writer heard nothing of it, and the same use is answered all the same", async () => {
    const { approvals, store } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, approve(), bob);
    store.after = () => {
      throw new StoreRefused("away", "reset");
    };
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "approve" });
    await expect(approvals.use(metadata.name, uses(2))).rejects.toMatchObject({ kind: "used" });
  });

  it("is not used where it could not be written", async () => {
    const { approvals, store } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, approve(), bob);
    store.before = () => {
      throw new StoreRefused("away", "down");
    };
    await expect(approvals.use(metadata.name, uses(1))).rejects.toMatchObject({ kind: "unready" });
    store.before = () => undefined;
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "approve" });
  });

  it("is found where it was written and this process has not heard of it yet", async () => {
    const { approvals, store, clock } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    const heard = [...store.list()];
    const decision = decided(heard[0] ?? missing(), { at: new Date(clock.wallNow()).toISOString() });
    store.patch(metadata.name, (found) => ({ ...found, spec: { ...found.spec, decision } }));
    store.list = () => heard;
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "approve" });
  });

  it("is not there before somebody decides", async () => {
    const { approvals } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await expect(approvals.use(metadata.name, uses(1))).rejects.toMatchObject({ kind: "undecided" });
  });

  it("is not for an agent of the same name that came later", async () => {
    const { approvals, agents } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, approve(), bob);
    agents.set("clerk", "another-uid");
    await expect(approvals.use(metadata.name, uses(1))).rejects.toMatchObject({ kind: "expired" });
    expect((await approvals.open(questionOf(), from)).metadata.name).not.toBe(metadata.name);
  });

  it("of the gateway's own calls is used before it is told", async () => {
    const { approvals, store } = createScene();
    const waiting: string[] = [];
    const asked = approvals.ask(questionOf(), {}, { signal: forever, onWaiting: ({ name }) => waiting.push(name) });
    await expect.poll(() => waiting).toHaveLength(1);
    expect(waiting[0]).toMatch(/^gateway-[0-9a-f]{12}-0$/);
    await approvals.decide(waiting[0] ?? "", approve(), bob);
    expect(await asked).toMatchObject({ outcome: "decided", decision: { verdict: "approve" } });
    expect(store.writes).toEqual(["create", "decide", "setStatus"]);
  });
});

describe("MGM-6 the very same call is asked about once", () => {
  it("by whoever asks again while it waits, in this process and the next", async () => {
    const scene = createScene();
    const first = await scene.approvals.open(questionOf(), from);
    const again = await Promise.all([1, 2, 3].map(() => scene.approvals.open(questionOf(), from)));
    const next = await scene.restart();
    again.push(await next.open(questionOf(), from));
    expect(new Set(again.map(({ metadata }) => metadata.name))).toEqual(new Set([first.metadata.name]));
    expect(scene.store.writes).toEqual(["create"]);
  });

  it("and what was decided while nobody waited is used by who comes then", async () => {
    const scene = createScene();
    const { metadata } = await scene.approvals.open(questionOf(), from);
    await scene.approvals.decide(metadata.name, approve(), bob);
    const next = await scene.restart();
    expect(await next.ask(questionOf(), from, { signal: forever })).toMatchObject({ decision: { verdict: "approve" } });
    expect(scene.store.writes).toEqual(["create", "decide", "setStatus"]);
  });

  it("also where it was denied; after that the same call is another question", async () => {
    const { approvals } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, { ...approve(), verdict: "denyContinue" }, bob);
    expect((await approvals.open(questionOf(), from)).metadata.name).toBe(metadata.name);
    await expect(approvals.use(metadata.name, uses(1))).resolves.toMatchObject({ verdict: "denyContinue" });
    expect((await approvals.open(questionOf(), from)).metadata.name).toBe(metadata.name.replace(/-0$/, "-1"));
  });

  it("of two at once one gets the yes, and the other is asked about by itself", async () => {
    const { approvals } = createScene();
    const asked = [1, 2].map(() => approvals.ask(questionOf(), from, { signal: forever }));
    await expect.poll(() => approvals.list()).toHaveLength(1);
    await approvals.decide(approvals.list()[0]?.metadata.name ?? "", approve(), bob);
    await expect.poll(() => approvals.list()).toHaveLength(2);
    await approvals.decide(approvals.list()[1]?.metadata.name ?? "", { ...approve(), verdict: "denyContinue" }, bob);
    const verdicts = (await Promise.all(asked)).map((each) =>
      each.outcome === "decided" ? each.decision.verdict : each.outcome,
    );
    expect(verdicts.toSorted((a, b) => a.localeCompare(b))).toEqual(["approve", "denyContinue"]);
  });

  it("two gateways that ask at once meet in one", async () => {
    const { approvals, store, clock } = createScene();
    const second = createScene({ store, clock }).approvals;
    const [one, other] = await Promise.all([approvals.open(questionOf(), from), second.open(questionOf(), from)]);
    expect(one.metadata.name).toBe(other.metadata.name);
    expect(store.writes).toEqual(["create"]);
  });

  it("a question that was written while its writer heard nothing is the one that waits", async () => {
    const { approvals, store } = createScene();
    store.after = () => {
      throw new StoreRefused("away", "reset");
    };
    await approvals.open(questionOf(), from);
    expect(store.writes).toEqual(["create"]);
  });

  const policy = questionOf().policy;
  it.each([
    ["session", questionOf(undefined, { sessionHash: "c".repeat(64) })],
    ["caller", questionOf(undefined, { caller: "eve" })],
    ["server", questionOf(undefined, { server: "bank2" })],
    ["tool", questionOf(undefined, { tool: "pay2" })],
    ["definition of the tool", questionOf(undefined, { toolHash: `sha256:${"c".repeat(64)}` })],
    ["arguments", questionOf({ amount: 41 })],
    ["policy", questionOf(undefined, { policy: { ...policy, name: "other" } })],
    ["edit of the policy", questionOf(undefined, { policy: { ...policy, generation: 4 } })],
  ])("another %s is another question", async (_name, question) => {
    const { approvals } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, { ...approve(), scope: "session" }, bob);
    const other = await approvals.open(question, from);
    expect([other.metadata.name, approvals.stateOf(other)]).not.toEqual([metadata.name, "decided"]);
    expect(approvals.stateOf(other)).toBe("pending");
  });

  it("another agent's is another question, and so is the gateway's own", async () => {
    const { approvals } = createScene();
    const opened = await Promise.all([from, { agent: "other" }, {}].map((each) => approvals.open(questionOf(), each)));
    expect(new Set(opened.map(({ spec }) => spec.callHash)).size).toBe(3);
  });
});

describe("MGM-6 scope session", () => {
  it("answers every equal call of the session without a write, until it is taken away", async () => {
    const { approvals, store } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await approvals.decide(metadata.name, { ...approve(), scope: "session" }, bob);
    for (const n of [1, 2, 3]) {
      await expect(approvals.use(metadata.name, uses(n))).resolves.toMatchObject({ verdict: "approve" });
    }
    expect(await approvals.ask(questionOf(), from, { signal: forever })).toMatchObject({ name: metadata.name });
    expect(store.writes).toEqual(["create", "decide"]);
    store.drop(metadata.name);
    await expect(approvals.use(metadata.name, uses(4))).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("MGM-6 an approval expires", () => {
  it("when nobody decides in time: decided in the last moment it counts, a moment later nobody may", async () => {
    const { approvals, clock, store, counted } = createScene();
    const early = await approvals.open(questionOf({ amount: 1 }), from);
    const late = await approvals.open(questionOf({ amount: 2 }), from);
    const waiting = approvals.wait(late.metadata.name, forever);
    await clock.advance(timeoutMs - 1);
    await approvals.decide(early.metadata.name, approve(hashOf({ amount: 1 })), bob);
    await clock.advance(1);
    await expect(approvals.decide(late.metadata.name, approve(hashOf({ amount: 2 })), bob)).rejects.toMatchObject({
      kind: "expired",
    });
    expect(await waiting).toEqual({ name: late.metadata.name, outcome: "expired" });
    expect(approvals.get(late.metadata.name)?.status?.conditions).toMatchObject([
      { type: "Expired", reason: "Timeout" },
    ]);
    expect(counted).toEqual(["approve", "expired"]);
    expect(store.writes).toEqual(["create", "create", "decide", "setStatus"]);
    await expect(approvals.use(late.metadata.name, uses(1, hashOf({ amount: 2 })))).rejects.toMatchObject({
      kind: "expired",
    });
  });

  it("by the clock alone, before that is written", async () => {
    const { approvals, clock } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    clock.stall(timeoutMs - 1);
    expect(approvals.stateOf(approvals.get(metadata.name) ?? missing())).toBe("pending");
    clock.stall(1);
    await expect(approvals.decide(metadata.name, approve(), bob)).rejects.toMatchObject({ kind: "expired" });
  });

  it("also where that cannot be written, and is written later", async () => {
    const { approvals, clock, store } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    const waiting = approvals.wait(metadata.name, forever);
    store.before = () => {
      throw new StoreRefused("away", "down");
    };
    await clock.advance(timeoutMs + 5_000);
    expect(await waiting).toEqual({ name: metadata.name, outcome: "expired" });
    store.before = () => undefined;
    await clock.advance(5_000);
    expect(store.writes).toEqual(["create", "setStatus"]);
  });

  it("when nobody comes for what was decided, after the same time again", async () => {
    const { approvals, clock } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    await clock.advance(1_000);
    await approvals.decide(metadata.name, approve(), bob);
    await clock.advance(timeoutMs - 1);
    expect(approvals.stateOf(approvals.list()[0] ?? missing())).toBe("decided");
    await clock.advance(1);
    await expect(approvals.use(metadata.name, uses(1))).rejects.toMatchObject({ kind: "expired" });
    expect(approvals.get(metadata.name)?.status?.conditions).toMatchObject([{ type: "Expired", reason: "Unused" }]);
    expect(approvals.stateOf(await approvals.open(questionOf(), from))).toBe("pending");
  });

  it("in the next process, when the one before is gone", async () => {
    const scene = createScene();
    const { metadata } = await scene.approvals.open(questionOf(), from);
    await scene.approvals.close();
    await scene.clock.advance(timeoutMs);
    const next = await scene.restart();
    await scene.clock.advance(0);
    expect(next.get(metadata.name)?.status?.conditions).toMatchObject([{ type: "Expired" }]);
  });

  it("when who asked does not wait any more, unless others do", async () => {
    const { approvals, counted, clock } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    const [one, other] = [new AbortController(), new AbortController()];
    const waits = [one, other].map(({ signal }) => approvals.wait(metadata.name, signal));
    await approvals.withdraw(metadata.name);
    expect(approvals.stateOf(approvals.get(metadata.name) ?? missing())).toBe("pending");
    one.abort(new Error("cancelled"));
    await expect(waits[0]).rejects.toThrow("cancelled");
    await approvals.withdraw(metadata.name);
    expect(await waits[1]).toMatchObject({ outcome: "expired" });
    expect(counted).toEqual(["withdrawn"]);
    await clock.advance(0);
    await expect(approvals.decide(metadata.name, approve(), bob)).rejects.toMatchObject({ kind: "expired" });
  });

  it("when the call through the gateway is cancelled; one that was decided stays", async () => {
    const { approvals } = createScene();
    const cancelled = new AbortController();
    const asked = approvals.ask(questionOf(), {}, { signal: cancelled.signal });
    await expect.poll(() => approvals.list()).toHaveLength(1);
    cancelled.abort(new Error("cancelled"));
    await expect(asked).rejects.toThrow("cancelled");
    await expect.poll(() => approvals.stateOf(approvals.list()[0] ?? missing())).toBe("expired");
  });

  it("but not while an equal call waits for it", async () => {
    const { approvals, store } = createScene();
    const cancelled = new AbortController();
    const asked = [cancelled.signal, forever].map((signal) => {
      const waiting = vi.fn<() => void>();
      return { waiting, outcome: approvals.ask(questionOf(), {}, { signal, onWaiting: waiting }) };
    });
    await expect.poll(() => asked.map(({ waiting }) => waiting.mock.calls.length)).toEqual([1, 1]);
    cancelled.abort(new Error("cancelled"));
    await expect(asked[0]?.outcome).rejects.toThrow("cancelled");
    await approvals.decide(approvals.list()[0]?.metadata.name ?? "", approve(), bob);
    expect(await asked[1]?.outcome).toMatchObject({ outcome: "decided", decision: { verdict: "approve" } });
    expect(store.writes).toEqual(["create", "decide", "setStatus"]);
  });

  it("for nobody because the gateway ends: who waits is told to ask again", async () => {
    const { approvals } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    const waiting = approvals.wait(metadata.name, forever);
    await approvals.close();
    await expect(waiting).rejects.toMatchObject({ kind: "unready" });
    expect(approvals.stateOf(approvals.get(metadata.name) ?? missing())).toBe("pending");
  });

  it("for who waits when it is deleted", async () => {
    const { approvals, store } = createScene();
    const { metadata } = await approvals.open(questionOf(), from);
    const waiting = approvals.wait(metadata.name, forever);
    store.drop(metadata.name);
    expect(await waiting).toMatchObject({ outcome: "expired" });
  });
});
