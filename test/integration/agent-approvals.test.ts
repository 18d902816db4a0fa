// A person asks a built agent through a built gateway, the agent's model calls a tool that a rule asks about, and another person
// decides with kubectl: on a real API server, with the configurations that the operator wrote and a tool server behind a built
// bridge, which counts what reaches it.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ApprovalDecision, PallasApproval } from "../../crds/approval.ts";
import { hashArguments } from "../../lib/policy/canonical-json.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import { startAskingAgent, type AskingAgent } from "./asking/asking-agent.ts";
import { createDecisions, isExpired, type Decisions } from "./asking/decisions.ts";
import { sendMessage, type Answer, type Heard, type Sent } from "./asking/person.ts";

const patience = { timeout: 30_000, interval: 200 };
/** Longer than clients commonly bear silence. */
const longMs = 75_000;
const card = "4111-1111";

const rules = (pay: object = { action: "ask" }) => ({
  rules: [
    { name: "look", match: { tools: ["balance"] }, action: "allow" },
    {
      name: "large",
      match: { args: [{ path: "/amount", greaterThan: 1_000 }] },
      action: "ask",
      approvers: ["cfo"],
    },
    { name: "pay", match: { tools: ["pay"] }, reason: "a person looks at payments", redact: ["/card"], ...pay },
  ],
  default: "denyContinue",
});

describe.skipIf(clusterMissing())("MGM-6 a call of an agent that people are asked about", { timeout: 120_000 }, () => {
  let asking: AskingAgent;
  let people: Decisions;
  let amount = 0;
  const next = () => (amount += 1);
  const onCall = () => `system:serviceaccount:${asking.space.name}:on-call`;
  const cfo = () => `system:serviceaccount:${asking.space.name}:cfo`;

  beforeAll(async () => {
    // Its own time is less than people take.
    const agent = { limits: { wallClock: "40s" } };
    asking = await startAskingAgent("agent-approvals", { timeout: "5m", policy: rules(), agent });
    const { kubectl } = asking.space;
    people = createDecisions(asking.space);
    await kubectl("create", "serviceaccount", "cfo");
    await kubectl("create", "role", "approver", "--verb=get,list,patch", "--resource=pallasapprovals.pallas.helu.ca");
    const accounts = ["on-call", "cfo"].map((name) => `--serviceaccount=${asking.space.name}:${name}`);
    await kubectl("create", "rolebinding", "approver", "--role=approver", ...accounts);
  }, 240_000);
  afterAll(async () => {
    await asking?.[Symbol.asyncDispose]();
  });

  const untilWaiting = (of: number) => people.untilWaiting(of);
  const decide = (approval: PallasApproval, decided?: Partial<ApprovalDecision>, by = cfo()) =>
    people.decide(approval, by, decided);
  const say = (message: string, more: Partial<Sent> = {}, onHeard?: (heard: Heard) => void) =>
    sendMessage(asking.gateway.url, { agent: "clerk", token: asking.token, message, ...more }, onHeard);
  function pay(of: number, more?: Partial<Sent>, onHeard?: (heard: Heard) => void): Promise<Answer> {
    const over = new AbortController();
    onTestFinished(() => over.abort());
    const answer = say(`pay ${JSON.stringify({ amount: of, card })}`, { signal: over.signal, ...more }, onHeard);
    answer.catch(() => undefined); // It is looked at by the test, if it comes so far.
    return answer;
  }
  /** A payment of an amount of its own that waits, and its answer. */
  async function ask(of = next(), more?: Partial<Sent>) {
    const answer = pay(of, more);
    return { of, waiting: await untilWaiting(of), answer };
  }
  const paid = async (of: number) =>
    (await asking.received()).map(({ args }) => args).filter((a) => a["amount"] === of);

  it("what is allowed is made, and nobody is asked", async () => {
    const before = await people.list();
    expect((await say("balance {}")).text).toContain("told: nothing is left");
    expect(await people.list()).toEqual(before);
  });

  it("approved by kubectl, it is made exactly once, as it was shown", async () => {
    const { of, waiting, answer } = await ask();
    expect(waiting.spec).toMatchObject({
      instanceRef: { name: "team" },
      agentRef: { name: "clerk" },
      agentUid: (await asking.space.get("pallasagent", "clerk")).metadata.uid,
      caller: onCall(),
      role: "approver",
      chain: [{ agent: "clerk", caller: onCall(), step: expect.stringMatching(/^clerk step \d+ \(tool\)$/) }],
      ...{ server: "bank", tool: "pay", hints: { destructive: true } },
      argumentsHash: `sha256:${hashArguments({ amount: of, card })}`,
      arguments: JSON.stringify({ amount: of, card: "[redacted]" }),
      redacted: ["/card"],
      policy: { name: "payments", rule: "pay", reason: "a person looks at payments" },
    });
    expect(await paid(of)).toEqual([]);
    await decide(waiting);
    expect(await answer).toEqual({ text: expect.stringContaining(`told: paid ${of}`), isError: false });
    expect(await paid(of)).toEqual([{ amount: of, card }]);
    const [used] = await people.ofAmount(of);
    expect(used?.status?.usedBy).toMatch(/^[0-9a-f-]{36}$/);
    const again = await ask(of);
    await decide(again.waiting, { verdict: "denyContinue" });
    expect((await again.answer).text).toContain("told: The call of bank/pay was denied");
    expect(await paid(of)).toHaveLength(1);
  });

  it("denied, the model goes on with the words", async () => {
    const { of, waiting, answer } = await ask();
    await decide(waiting, { verdict: "denyContinue", reason: "the wrong account" });
    expect(await answer).toEqual({ text: expect.stringMatching(/^told: .*the wrong account/), isError: false });
    expect(await paid(of)).toEqual([]);
  });

  it("denied for good, the run ends, and the model is not asked again", async () => {
    const { of, waiting, answer } = await ask();
    const before = asking.model.requests.length;
    await decide(waiting, { verdict: "denyAbort", reason: "this is fraud" });
    expect(await answer).toEqual({ text: expect.stringMatching(/^(?!told).*this is fraud/s), isError: true });
    expect(asking.model.requests).toHaveLength(before);
    expect(await paid(of)).toEqual([]);
  });

  it("edited, it is made with the other arguments, and what was redacted is as it was", async () => {
    const { of, waiting, answer } = await ask();
    const edited = { amount: of + 0.5, card: "[redacted]" };
    await decide(waiting, { verdict: "approveEdited", arguments: JSON.stringify(edited) });
    expect((await answer).text).toContain(`told: paid ${of + 0.5}`);
    expect(await paid(of)).toEqual([]);
    expect(await paid(of + 0.5)).toEqual([{ amount: of + 0.5, card }]);
  });

  it("edited to what the tool does not take, it is not made", async () => {
    const { waiting, answer } = await ask();
    const before = await asking.received();
    await decide(waiting, { verdict: "approveEdited", arguments: JSON.stringify({ amount: "much" }) });
    expect((await answer).text).toMatch(/told: The call of bank\/pay was denied.*amount/s);
    expect(await asking.received()).toEqual(before);
  });

  it("answered in its place, it never reaches the tool", async () => {
    const { of, waiting, answer } = await ask();
    await decide(waiting, { verdict: "answer", answer: "it was paid by hand" });
    expect(await answer).toEqual({ text: expect.stringContaining("told: it was paid by hand"), isError: false });
    expect(await paid(of)).toEqual([]);
  });

  it("of which the rule names who approves, counts by them only", async () => {
    const own = await ask(1_000 + next());
    await decide(own.waiting, {}, onCall());
    expect((await own.answer).text).toMatch(/told: The call of bank\/pay was denied/);
    expect(await paid(own.of)).toEqual([]);
    const others = await ask(1_000 + next());
    await decide(others.waiting);
    expect((await others.answer).text).toContain(`told: paid ${others.of}`);
    expect(await paid(others.of)).toHaveLength(1);
  });

  it("edited past a rule that has other approvers, it is asked about by that rule", async () => {
    const { of, waiting, answer } = await ask();
    const large = 2_000 + of;
    await decide(waiting, { verdict: "approveEdited", arguments: JSON.stringify({ amount: large }) }, onCall());
    const again = await untilWaiting(large);
    expect(again.spec.policy).toMatchObject({ rule: "large", approvers: ["cfo"] });
    expect(await paid(large)).toEqual([]);
    await decide(again);
    expect((await answer).text).toContain(`told: paid ${large}`);
    expect([await paid(of), await paid(large)]).toEqual([[], [{ amount: large }]]);
  });

  it("whose caller goes away is over, and no yes counts for it", async () => {
    const gone = new AbortController();
    const { of, waiting, answer } = await ask(next(), { signal: gone.signal });
    gone.abort(new Error("the person pressed stop"));
    await expect(answer).rejects.toThrow("the person pressed stop");
    const isWithdrawn = async () => (await people.ofAmount(of)).every(isExpired);
    await expect.poll(isWithdrawn, patience).toBe(true);
    await expect(decide(waiting)).rejects.toThrow(/expired/i);
    expect(await paid(of)).toEqual([]);
  });

  it("keeps a client that waits a minute for signs of life, in both eras, and the time of its run stands still", async () => {
    const eras = ["legacy", "auto"] as const;
    const heard: Heard[][] = eras.map(() => []);
    const amounts = eras.map(next);
    const begin = performance.now();
    const answers = eras.map((era, at) => pay(amounts[at] ?? 0, { era }, (each) => heard[at]?.push(each)));
    const waiting = await Promise.all(amounts.map(untilWaiting));
    await delay(longMs);
    const end = performance.now();
    for (const [at, { metadata, spec }] of waiting.entries()) {
      const line = `bank/pay: waits for approval ${metadata.name} until ${spec.expiresAt}`;
      const times = heard[at]?.filter(({ message }) => message.includes(line)).map(({ at: when }) => when) ?? [];
      const gaps = [...times, end].map((time, index) => time - (times[index - 1] ?? begin));
      expect(Math.max(...gaps), `ms of silence, ${eras[at]}`).toBeLessThan(15_000);
    }
    await Promise.all(waiting.map((each) => decide(each)));
    for (const [at, answer] of answers.entries()) {
      expect((await answer).text).toContain(`told: paid ${amounts[at]}`);
      expect(await paid(amounts[at] ?? 0)).toHaveLength(1);
    }
  }, 240_000);

  it("MGM-5 by rules that change while it waits, is judged by those that hold then", async () => {
    const still = await ask();
    await asking.editPolicy(rules({ action: "ask", reason: "two people look at payments" }));
    await decide(still.waiting);
    const again = await untilWaiting(still.of);
    expect(again.spec.policy).toMatchObject({ reason: "two people look at payments" });
    expect(await paid(still.of)).toEqual([]);
    await decide(again);
    expect((await still.answer).text).toContain(`told: paid ${still.of}`);
    expect(await paid(still.of)).toHaveLength(1);

    const denied = await ask();
    await asking.editPolicy(rules({ action: "denyContinue", reason: "no more payments today" }));
    await decide(denied.waiting);
    expect((await denied.answer).text).toMatch(/told: The call of bank\/pay was denied.*no more payments today/);
    expect(await paid(denied.of)).toEqual([]);
    await asking.editPolicy(rules());
  });

  it("that nobody decides in time is denied, and says that nobody answered", async () => {
    await asking.editTimeout("10s");
    const { of, waiting, answer } = await ask();
    expect(await answer).toEqual({ text: expect.stringMatching(/told: .*nobody decided/), isError: false });
    await expect(decide(waiting)).rejects.toThrow(/expired|no decision/i);
    expect(await paid(of)).toEqual([]);
  });
});
