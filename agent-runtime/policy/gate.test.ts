// The gate by itself: rules as a live configuration has them, and people who answer at once.
import { describe, expect, test } from "vitest";
import type { ApprovalDecision } from "../../crds/approval.ts";
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import type { LivePolicy } from "../../crds/run-config.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import type { ApprovalOutcome } from "../approvals/ask-approval.ts";
import { createTestLog } from "../testing/servers.ts";
import type { CalledTool } from "../../lib/approvals/called-tool.ts";
import { createPolicyGate } from "./gate.ts";
import type { PolicyDecision } from "../../lib/policy/decision-names.ts";
import type { JudgedCall, JudgedRun, RecordedCall } from "./types.ts";

const pay: CalledTool = {
  description: "Pays.",
  inputSchema: {
    type: "object",
    properties: { amount: { type: "number" }, card: { type: "string" } },
    additionalProperties: false,
  },
  annotations: { destructiveHint: true },
};
const call = (over: Partial<JudgedCall> = {}): JudgedCall => ({
  ...{ server: "bank", tool: "pay", args: { amount: 40, card: "4111" }, definition: pay, step: "step 1 (tool)" },
  ...over,
});
const run: JudgedRun = {
  ...{ caller: "ann", role: "caller", chain: [{ agent: "clerk", caller: "ann" }], sessionHash: "a".repeat(64) },
  signal: new AbortController().signal,
  onWaiting: () => undefined,
};
const rules = (...given: object[]): LivePolicy => ({ name: "careful", generation: 1, rules: given, default: "ask" });
const askAll = rules({ name: "pay", action: "ask", approvers: ["ops"], redact: ["/card"], reason: "it is money" });

type Given = Omit<ApprovalDecision, "argumentsHash" | "by" | "at"> | string;
type Answer = (question: ApprovalQuestion) => Given | Promise<Given>;

function start(first: LivePolicy | undefined, answer: Answer = () => ({ verdict: "approve" })) {
  const clock = new ManualClock();
  const asked: ApprovalQuestion[] = [];
  const counted: PolicyDecision[] = [];
  const recorded: RecordedCall[] = [];
  let policy = first;
  const { log } = createTestLog("DEBUG");
  const gate = createPolicyGate({
    config: { agent: { name: "clerk" }, policy: true },
    readLive: async () => ({ schema: 1, severalPods: false, ...(policy && { policy }) }),
    async ask(question): Promise<ApprovalOutcome> {
      asked.push(question);
      const given = await answer(question);
      if (typeof given === "string") return { kind: "denied", reason: given };
      const { argumentsHash } = question;
      return { kind: "decided", decision: { ...given, argumentsHash, by: "olga", at: "2026-01-01T00:00:00Z" } };
    },
    record: (judged) => recorded.push(judged),
    count: (decision) => counted.push(decision),
    ...{ log, clock },
  });
  const edit = async (next: LivePolicy | undefined) => {
    policy = next;
    await clock.advance(250);
  };
  return { gate, asked, counted, recorded, edit };
}

test("MGM-6 people are told what the run called before, where it called anything", async () => {
  const { gate, asked } = start(askAll);
  const steps = [{ text: "bank/balance", outcome: "ok" as const, at: "2026-01-01T00:00:00Z" }];
  await gate.judge(call({ steps }), run);
  await gate.judge(call({ steps: [] }), run);
  expect(asked[0]).toMatchObject({ steps, description: "Pays." });
  expect(asked[1]).not.toHaveProperty("steps");
});

describe("MGM-5 what leaves an agent is judged", () => {
  test("an allowed call goes as it is; one that is denied says why, and whether the run ends", async () => {
    const allow = { name: "small", match: { args: [{ path: "/amount", lessThan: 41 }] }, action: "allow" };
    const never = { name: "never", action: "denyAbort", reason: "people pay" };
    const { gate, asked, counted, recorded } = start(rules(allow, never));
    expect(await gate.judge(call(), run)).toEqual({ go: true, args: { amount: 40, card: "4111" } });
    const denied = await gate.judge(call({ args: { amount: 41 } }), run);
    expect(denied).toMatchObject({ go: false, abort: true, denied: { rule: "never" } });
    expect(denied).toHaveProperty("text", "The call of bank/pay was denied, and not made: people pay.");
    expect(asked).toEqual([]);
    expect(counted).toEqual(["allow", "deny_abort"]);
    expect(recorded.map(({ before, call: judged }) => [before, judged.arguments])).toEqual([
      ["allow", { amount: 40, card: "4111" }],
      ["denyAbort", { amount: 41 }],
    ]);
  });

  test("without rules that it should have, and with faulty ones, nothing goes", async () => {
    for (const policy of [undefined, { name: "careful", fault: "there is none" }, rules({ name: "a", action: "no" })]) {
      const { gate, counted, asked } = start(policy);
      expect(await gate.judge(call(), run)).toMatchObject({ go: false, abort: true });
      expect(counted).toEqual(["fault"]);
      expect(asked).toEqual([]);
      expect(await gate.observeHider()).toBeUndefined();
    }
  });

  test("edits hold within a quarter of a second, limits count on, and a faulty edit denies", async () => {
    const busy = { name: "busy", action: "allow", limit: { perMinute: 2 } };
    const { gate, edit, counted } = start(rules(busy));
    await gate.judge(call(), run);
    await edit(rules({ ...busy, reason: "another" }));
    await gate.judge(call(), run);
    const limited = await gate.judge(call(), run);
    expect(limited).toMatchObject({ go: false, abort: false });
    expect(counted).toEqual(["allow", "allow", "limited"]);
    await edit(rules({ name: "all", action: "allow" }));
    expect(await gate.judge(call(), run)).toMatchObject({ go: true });
    await edit({ name: "careful", fault: "deleted" });
    expect(await gate.judge(call(), run)).toMatchObject({ go: false, abort: true });
  });

  test("what is denied whatever its arguments is hidden; what is asked about is not", async () => {
    const { gate } = start(
      rules({ name: "no", match: { tools: ["drop_*"] }, action: "denyContinue" }, { name: "ask", action: "ask" }),
    );
    const hides = await gate.observeHider();
    const subject = { server: "db", caller: "ann", role: "caller" };
    expect(hides?.({ ...subject, tool: "drop_table" })).toBe(true);
    expect(hides?.({ ...subject, tool: "read" })).toBe(false);
  });

  test("a tool of which nobody knows the name is denied", async () => {
    const { gate } = start(rules({ name: "all", action: "allow" }));
    expect(await gate.judge(call({ unnamed: "nobody knows" }), run)).toMatchObject({ go: false, abort: false });
  });
});

describe("MGM-6 what people are asked, and what becomes of their answer", () => {
  test("they are shown the arguments without what the rule keeps to itself; the hash is that of the real ones", async () => {
    const { gate, asked } = start(askAll);
    expect(await gate.judge(call(), run)).toEqual({ go: true, args: { amount: 40, card: "4111" } });
    await gate.judge(call({ args: { amount: 40, card: "4112" } }), run);
    const [first, second] = asked;
    expect(first).toMatchObject({
      ...{ caller: "ann", role: "caller", server: "bank", tool: "pay", hints: { destructive: true } },
      chain: [{ agent: "clerk", caller: "ann", step: "step 1 (tool)" }],
      arguments: '{"amount":40,"card":"[redacted]"}',
      policy: { name: "careful", generation: 1, rule: "pay", reason: "it is money", approvers: ["ops"] },
    });
    expect(second?.arguments).toBe(first?.arguments);
    expect(second?.argumentsHash).not.toBe(first?.argumentsHash);
  });

  test("edited arguments are sent with what was redacted in its place, where they fit the schema", async () => {
    const edited = (text: string) => start(askAll, () => ({ verdict: "approveEdited", arguments: text })).gate;
    const good = await edited('{"amount":5,"card":"[redacted]"}').judge(call(), run);
    expect(good).toEqual({ go: true, args: { amount: 5, card: "4111" } });
    for (const bad of ['{"amount":"5"}', '{"amount":5,"to":"me"}', "[]", "{", '{"amount":5,"card":["[redacted]"]}']) {
      expect(await edited(bad).judge(call(), run)).toMatchObject({ go: false, abort: false });
    }
  });

  test("a yes holds for the rule by which it was asked for: edited into another it is denied, or asked about again", async () => {
    const large = { name: "large", match: { args: [{ path: "/amount", greaterThan: 99 }] } };
    const edit = (action: string) =>
      start(rules({ ...large, action }, { name: "rest", action: "ask" }), ({ policy }) =>
        policy.rule === "rest" ? { verdict: "approveEdited", arguments: '{"amount":100}' } : "the boss sleeps",
      );
    expect(await edit("denyAbort").gate.judge(call(), run)).toMatchObject({ go: false, abort: true });
    const again = edit("ask");
    expect(await again.gate.judge(call(), run)).toMatchObject({ go: false, abort: false });
    expect(again.asked.map(({ policy }) => policy.rule)).toEqual(["rest", "large"]);
  });

  test("rules that changed meanwhile are asked again, and a policy that was deleted denies", async () => {
    const scene = start(askAll, async () => {
      if (scene.asked.length === 1) await scene.edit({ ...askAll, generation: 2 });
      return { verdict: "approve" };
    });
    expect(await scene.gate.judge(call(), run)).toMatchObject({ go: true });
    expect(scene.asked.map(({ policy }) => policy.generation)).toEqual([1, 2]);
    const gone = start(askAll, async () => {
      await gone.edit({ name: "careful", fault: "deleted" });
      return { verdict: "approve" };
    });
    expect(await gone.gate.judge(call(), run)).toMatchObject({ go: false, abort: true });
    let generation = 1;
    const restless = start(askAll, async () => {
      await restless.edit({ ...askAll, generation: (generation += 1) });
      return { verdict: "approve" };
    });
    expect(await restless.gate.judge(call(), run)).toMatchObject({ go: false, abort: false });
    expect(restless.asked).toHaveLength(4);
  });

  test("a tool that its server changed meanwhile is not the one that was approved", async () => {
    const { gate } = start(askAll);
    const changed = { ...pay, description: "Pays twice." };
    expect(await gate.judge(call({ current: async () => changed }), run)).toMatchObject({ go: false });
    expect(await gate.judge(call({ current: async () => undefined }), run)).toMatchObject({ go: false });
    expect(await gate.judge(call({ current: async () => ({ ...pay }) }), run)).toMatchObject({ go: true });
  });

  test("an answer in its place, a denial, and nobody who answers", async () => {
    const decide = async (answer: Answer) => await start(askAll, answer).gate.judge(call(), run);
    expect(await decide(() => ({ verdict: "answer", answer: "paid by hand" }))).toEqual({
      go: false,
      answer: { text: "paid by hand" },
    });
    expect(await decide(() => ({ verdict: "denyContinue", reason: "too much" }))).toMatchObject({
      ...{ go: false, abort: false },
      text: "The call of bank/pay was denied, and not made: too much.",
    });
    expect(await decide(() => ({ verdict: "denyAbort" }))).toMatchObject({ go: false, abort: true });
    expect(await decide(() => "nobody answered")).toMatchObject({ go: false, abort: false });
  });

  test("nobody is asked about arguments that are too long, or no plain JSON", async () => {
    const { gate, asked } = start(askAll);
    const wide: CalledTool = { inputSchema: { type: "object" } };
    const sized = (chars: number) =>
      call({ definition: wide, args: { text: "x".repeat(chars - '{"text":""}'.length) } });
    expect(await gate.judge(sized(256 * 1024), run)).toMatchObject({ go: true });
    expect(await gate.judge(sized(256 * 1024 + 1), run)).toMatchObject({ go: false, abort: false });
    expect(await gate.judge(call({ definition: wide, args: { text: "\ud800" } }), run)).toMatchObject({ go: false });
    expect(asked).toHaveLength(1);
  });
});
