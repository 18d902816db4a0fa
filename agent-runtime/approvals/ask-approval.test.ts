// Asking over real HTTP, with a gateway that is there, breaks off, or is not.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { maxPendingApprovals, type ApprovalQuestion } from "../../crds/approval-wire.ts";
import type { LiveConfig } from "../../crds/run-config.ts";
import type { Asking, Question } from "../../lib/mcp/asking.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { startApprovalsGateway, type ApprovalsGateway } from "../testing/approvals-gateway.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestLog } from "../testing/servers.ts";
import type { JudgedRun, Waiting } from "../policy/types.ts";
import { createApprovers } from "./ask-approval.ts";

const keep = keepUntilEnd();
const hash = (digit: string) => `sha256:${digit.repeat(64)}`;

const questionAbout = (changes: Partial<ApprovalQuestion> = {}): ApprovalQuestion => ({
  sessionHash: "0".repeat(64),
  caller: "ann",
  chain: [{ agent: "clerk", caller: "ann" }],
  server: "bank",
  tool: "pay",
  toolHash: hash("a"),
  argumentsHash: hash("b"),
  arguments: '{"amount":40}',
  redacted: [],
  policy: { name: "careful", generation: 1, rule: "pay" },
  ...changes,
});
const askCallerToo = { policy: { name: "careful", generation: 1, askCaller: true, reason: "money" } };

function createRun(changes: Partial<JudgedRun> = {}) {
  const cancelled = new AbortController();
  const waits: (Waiting | undefined)[] = [];
  const run: JudgedRun = {
    caller: "ann",
    role: "caller",
    chain: [],
    sessionHash: "0".repeat(64),
    signal: cancelled.signal,
    onWaiting: (waiting) => void waits.push(waiting),
    ...changes,
  };
  return { run, waits, cancel: () => cancelled.abort(new Error("the caller is gone")) };
}

/** A caller that is asked, and answers as told. */
function createCaller() {
  const asked: Question[] = [];
  const ended: unknown[] = [];
  let reply = Promise.withResolvers<Record<string, unknown>>();
  const asking: Asking = {
    can: { form: true, url: false, sampling: false },
    ask: async (question, signal) => {
      asked.push(question);
      signal.addEventListener("abort", () => {
        ended.push(signal.reason);
        reply.reject(signal.reason);
      });
      return await reply.promise;
    },
  };
  const answer = (given: Record<string, unknown>) => reply.resolve(given);
  return { asking, asked, ended, answer, renew: () => (reply = Promise.withResolvers()) };
}

function createAgentOf(gateway: Pick<ApprovalsGateway, "url"> | undefined, timeoutMs = 20_000) {
  let live: LiveConfig = {
    schema: 1,
    severalPods: false,
    ...(gateway && { approvals: { url: gateway.url, timeoutMs } }),
  };
  const { log, lines } = createTestLog("DEBUG");
  let tokens = 0;
  const readGatewayToken = async () => `token-${(tokens += 1)}`;
  const { ask, close } = createApprovers({ readLive: async () => live, readGatewayToken, log, clock: systemClock });
  onTestFinished(close);
  return { ask, lines, setLive: (next: LiveConfig) => (live = next) };
}

const untilAsked = (gateway: ApprovalsGateway, count = 1) =>
  vi.waitFor(() => expect(gateway.known.size).toBe(count), { timeout: 5_000 });
const paths = ({ requests }: ApprovalsGateway) => requests.map(({ what }) => what);

describe("MGM-6 what is asked of people", () => {
  test("waits, with the agent's token of the moment, until somebody decides, and is used once before it counts", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const { run, waits } = createRun();
    const asked = agent.ask(questionAbout(), run);
    await untilAsked(gateway);
    gateway.decide("clerk-1", { verdict: "approve" });
    expect(await asked).toMatchObject({ kind: "decided", decision: { verdict: "approve", by: "bob" } });
    expect(paths(gateway)).toEqual(["POST /agent/approvals", "POST /agent/approvals/clerk-1/use"]);
    expect(gateway.requests.map(({ authorization }) => authorization)).toEqual(["Bearer token-1", "Bearer token-2"]);
    expect(waits).toEqual([{ name: "clerk-1", expiresAt: "2026-01-01T00:10:00Z" }, undefined]);
  });

  test("leaves the agent without anything but what the wire has", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const asked = agent.ask(Object.assign(questionAbout(), { realArguments: { card: "4111" } }), createRun().run);
    await untilAsked(gateway);
    gateway.expire("clerk-1");
    await asked;
    expect(JSON.stringify([...gateway.known])).not.toContain("4111");
  });

  test.each(["denyContinue", "denyAbort"] as const)("%s is used too", async (verdict) => {
    const gateway = await keep(startApprovalsGateway());
    const asked = createAgentOf(gateway).ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    gateway.decide("clerk-1", { verdict, reason: "no" });
    expect(await asked).toMatchObject({ kind: "decided", decision: { verdict, reason: "no" } });
    expect(gateway.known.get("clerk-1")?.usedBy).toBeDefined();
  });

  test("is denied when it expires, and when what was decided is about other arguments", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const [late, other] = [agent.ask(questionAbout(), createRun().run), createRun()];
    await untilAsked(gateway);
    gateway.expire("clerk-1");
    expect(await late).toEqual({ kind: "denied", reason: "nobody decided before the approval expired" });
    const asked = agent.ask(questionAbout({ argumentsHash: hash("c") }), other.run);
    await untilAsked(gateway, 2);
    gateway.decide("clerk-2", { verdict: "approve", argumentsHash: hash("d") });
    expect(await asked).toEqual({ kind: "denied", reason: "what was decided is about other arguments" });
    expect(paths(gateway).filter((path) => path.endsWith("/use"))).toEqual([]);
  });

  test("is asked anew where an equal call has used the decision", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const both = [createRun(), createRun()].map(({ run }) => agent.ask(questionAbout(), run));
    await vi.waitFor(() => expect(gateway.requests).toHaveLength(2));
    gateway.decide("clerk-1", { verdict: "approve" });
    await untilAsked(gateway, 2);
    gateway.decide("clerk-2", { verdict: "denyContinue" });
    const verdicts = (await Promise.all(both)).map((each) => each.kind === "decided" && each.decision.verdict);
    expect(new Set(verdicts)).toEqual(new Set(["approve", "denyContinue"]));
  });

  test("is no more than 32 at a time", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const hashes = Array.from({ length: maxPendingApprovals }, (_, at) => `sha256:${`${at}`.padStart(64, "0")}`);
    const asked = hashes.map((argumentsHash) => agent.ask(questionAbout({ argumentsHash }), createRun().run));
    await untilAsked(gateway, 32);
    expect(await agent.ask(questionAbout(), createRun().run)).toEqual({
      kind: "denied",
      reason: "the agent waits for 32 approvals, and for no more at a time",
    });
    for (const name of gateway.known.keys()) gateway.expire(name);
    await Promise.all(asked);
    const more = agent.ask(questionAbout(), createRun().run);
    await untilAsked(gateway, 33);
    gateway.expire("clerk-33");
    expect(await more).toMatchObject({ kind: "denied" });
  });

  test("is withdrawn when its caller is gone, unless another run waits for the same", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const runs = [createRun(), createRun()];
    const asked = runs.map(({ run }) => agent.ask(questionAbout(), run));
    await vi.waitFor(() => expect(runs.map(({ waits }) => waits.length)).toEqual([1, 1]));
    for (const [at, { cancel }] of runs.entries()) {
      cancel();
      await expect(asked[at]).rejects.toThrow("the caller is gone");
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(gateway.known.get("clerk-1")?.isGone === true).toBe(at === 1);
    }
  });
});

describe("MGM-6 a gateway that is away", () => {
  test("is listened to again by the approval's name, and what was decided meanwhile counts", async () => {
    const gateway = await keep(startApprovalsGateway());
    const { run, waits } = createRun();
    const asked = createAgentOf(gateway).ask(questionAbout(), run);
    await untilAsked(gateway);
    const own = gateway.known.get("clerk-1");
    gateway.breakOff();
    if (own !== undefined) {
      own.decision = { verdict: "approve", argumentsHash: hash("b"), by: "bob", at: "2026-01-01T00:00:00Z" };
    }
    expect(await asked).toMatchObject({ kind: "decided" });
    expect(paths(gateway)).toEqual([
      "POST /agent/approvals",
      "GET /agent/approvals/clerk-1",
      "POST /agent/approvals/clerk-1/use",
    ]);
    expect(waits).toHaveLength(2);
  });

  test("and has forgotten the approval is asked anew", async () => {
    const gateway = await keep(startApprovalsGateway());
    const asked = createAgentOf(gateway).ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    gateway.known.clear();
    gateway.breakOff();
    await vi.waitFor(() => expect(paths(gateway).filter((path) => path === "POST /agent/approvals")).toHaveLength(2), {
      timeout: 5_000,
    });
    await untilAsked(gateway);
    gateway.decide("clerk-1", { verdict: "approve" });
    expect(await asked).toMatchObject({ kind: "decided", decision: { verdict: "approve" } });
  });

  test("and has not heard yet of what was decided is asked again whether it may be used", async () => {
    const gateway = await keep(startApprovalsGateway());
    const asked = createAgentOf(gateway).ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    gateway.failNext(/use$/, 409, false, "undecided");
    gateway.decide("clerk-1", { verdict: "approve" });
    expect(await asked).toMatchObject({ kind: "decided", decision: { verdict: "approve" } });
  });

  test("or refuses to note it makes no yes of a no", async () => {
    const gateway = await keep(startApprovalsGateway());
    const asked = createAgentOf(gateway).ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    gateway.failNext(/use$/, 409, false, "expired");
    gateway.decide("clerk-1", { verdict: "denyAbort", reason: "never" });
    expect(await asked).toMatchObject({ kind: "decided", decision: { verdict: "denyAbort", reason: "never" } });
  });

  test.each([401, 503])("for now (%i) is asked again", async (status) => {
    const gateway = await keep(startApprovalsGateway());
    gateway.failNext(/^POST \/agent\/approvals$/, status);
    const asked = createAgentOf(gateway).ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    gateway.decide("clerk-1", { verdict: "approve" });
    expect(await asked).toMatchObject({ kind: "decided" });
  });

  test.each([403, 409, 422, 429])("and one that says no (%i) is believed at once", async (status) => {
    const gateway = await keep(startApprovalsGateway());
    gateway.failNext(/^POST \/agent\/approvals$/, status);
    const outcome = await createAgentOf(gateway).ask(questionAbout(), createRun().run);
    expect(outcome).toEqual({ kind: "denied", reason: "people could not be asked: broken" });
  });

  test("never allows: after its time the call is denied", async () => {
    const { run, waits } = createRun();
    const outcome = await createAgentOf({ url: "http://127.0.0.1:1" }, 1_500).ask(questionAbout(), run);
    expect(outcome).toMatchObject({ kind: "denied", reason: expect.stringContaining("nobody decided in time") });
    expect(waits).toEqual([{}, undefined]);
  });

  test("is told again by the same use of which only its answer was lost", async () => {
    const gateway = await keep(startApprovalsGateway());
    const asked = createAgentOf(gateway).ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    gateway.failNext(/use$/, 502, true);
    gateway.decide("clerk-1", { verdict: "approve" });
    expect(await asked).toMatchObject({ kind: "decided", decision: { verdict: "approve" } });
    expect(paths(gateway).filter((path) => path.endsWith("/use"))).toHaveLength(2);
  });

  test("after the decision leaves the call undone: what cannot be used is no yes", async () => {
    const gateway = await startApprovalsGateway();
    const asked = createAgentOf(gateway, 1_500).ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    for (let at = 0; at < 20; at += 1) gateway.failNext(/use$/, 503);
    gateway.decide("clerk-1", { verdict: "approve" });
    expect(await asked).toEqual({
      kind: "denied",
      reason: "approval clerk-1 could not be used: the gateway was away",
    });
    await gateway.stop();
  });

  test("that is taken from the configuration while people are asked denies", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const asked = agent.ask(questionAbout(), createRun().run);
    await untilAsked(gateway);
    agent.setLive({ schema: 1, severalPods: false });
    gateway.breakOff();
    expect(await asked).toMatchObject({ kind: "denied", reason: expect.stringContaining("there is no gateway") });
  });
});

describe("MGM-7 a rule that lets the caller approve", () => {
  const yes = { action: "accept", content: { decision: "approve" } };

  test("asks it beside everybody else, in words about this call; its yes is recorded", async () => {
    const gateway = await keep(startApprovalsGateway());
    const caller = createCaller();
    const question = questionAbout({ ...askCallerToo, arguments: '{"to":"b\u202ea"}', redacted: ["/card"] });
    const asked = createAgentOf(gateway).ask(question, createRun({ asking: caller.asking }).run);
    await vi.waitFor(() => expect(caller.asked).toHaveLength(1));
    caller.answer({ action: "accept", content: { decision: "approve", reason: "mine\u0007" } });
    expect(await asked).toMatchObject({
      kind: "decided",
      decision: { verdict: "approve", by: "caller", reason: "mine" },
    });
    expect(caller.asked[0]?.params).toMatchObject({
      message: [
        "clerk asks whether it may make this call:",
        "Server: bank",
        "Tool: pay",
        'Arguments, without what the policy keeps to itself: {"to":"ba"}',
        "Why you are asked: money",
      ].join("\n"),
    });
  });

  test.each([
    [{ action: "decline" }, "denyContinue"],
    [{ action: "accept", content: { decision: "deny" } }, "denyContinue"],
  ])("takes %j for a no", async (reply, verdict) => {
    const gateway = await keep(startApprovalsGateway());
    const caller = createCaller();
    caller.answer(reply);
    const asked = createAgentOf(gateway).ask(questionAbout(askCallerToo), createRun({ asking: caller.asking }).run);
    expect(await asked).toMatchObject({ kind: "decided", decision: { verdict, by: "caller" } });
  });

  test.each([
    { action: "cancel" },
    { action: "accept", content: { decision: "Approve" } },
    { action: "accept" },
    { action: "approve", content: { decision: "approve" } },
  ])("leaves it to others where the caller answers %j", async (reply) => {
    const gateway = await keep(startApprovalsGateway());
    const caller = createCaller();
    caller.answer(reply);
    const asked = createAgentOf(gateway).ask(questionAbout(askCallerToo), createRun({ asking: caller.asking }).run);
    await vi.waitFor(() => expect(caller.asked).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(gateway.known.get("clerk-1")?.decision).toBeUndefined();
    gateway.decide("clerk-1", { verdict: "denyAbort" });
    expect(await asked).toMatchObject({ decision: { verdict: "denyAbort", by: "bob" } });
  });

  test("takes the caller's question back when somebody else is first", async () => {
    const gateway = await keep(startApprovalsGateway());
    const caller = createCaller();
    const asked = createAgentOf(gateway).ask(questionAbout(askCallerToo), createRun({ asking: caller.asking }).run);
    await vi.waitFor(() => expect(caller.asked).toHaveLength(1));
    gateway.decide("clerk-1", { verdict: "approve" });
    expect(await asked).toMatchObject({ decision: { by: "bob" } });
    expect(caller.ended).toHaveLength(1);
  });

  test("believes the gateway who was first", async () => {
    const gateway = await keep(startApprovalsGateway());
    const caller = createCaller();
    const asked = createAgentOf(gateway).ask(questionAbout(askCallerToo), createRun({ asking: caller.asking }).run);
    await vi.waitFor(() => expect(caller.asked).toHaveLength(1));
    const own = gateway.known.get("clerk-1");
    // Decided, and the stream has not said so yet.
    if (own !== undefined) {
      own.decision = { verdict: "denyAbort", argumentsHash: hash("b"), by: "bob", at: "2026-01-01T00:00:00Z" };
    }
    caller.answer(yes);
    await vi.waitFor(() => expect(paths(gateway).at(-1)).toMatch(/caller$/));
    gateway.breakOff();
    expect(await asked).toMatchObject({ decision: { verdict: "denyAbort", by: "bob" } });
  });

  test("does not ask a caller that cannot be asked, nor by a rule that does not say so", async () => {
    const gateway = await keep(startApprovalsGateway());
    const agent = createAgentOf(gateway);
    const caller = createCaller();
    const deaf = { ...caller.asking, can: { form: false, url: true, sampling: true } };
    const asked = [
      agent.ask(questionAbout(askCallerToo), createRun({ asking: deaf }).run),
      agent.ask(questionAbout({ argumentsHash: hash("c") }), createRun({ asking: caller.asking }).run),
    ];
    await untilAsked(gateway, 2);
    for (const name of gateway.known.keys()) gateway.expire(name);
    await Promise.all(asked);
    expect(caller.asked).toEqual([]);
  });

  test("lets it decide alone where there is no gateway, and denies everything else there", async () => {
    const agent = createAgentOf(undefined);
    const caller = createCaller();
    caller.answer(yes);
    const { run } = createRun({ asking: caller.asking });
    expect(await agent.ask(questionAbout(askCallerToo), run)).toMatchObject({
      kind: "decided",
      decision: { verdict: "approve", by: "ann", argumentsHash: hash("b") },
    });
    caller.renew();
    caller.answer({ action: "cancel" });
    expect(await agent.ask(questionAbout(askCallerToo), run)).toMatchObject({ kind: "denied" });
    expect(await agent.ask(questionAbout(), run)).toMatchObject({
      kind: "denied",
      reason: "there is no gateway through which people could be asked",
    });
  });
});
