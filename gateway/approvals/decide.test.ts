// Who may decide of an approval, and what: at the gateway, as the caller, and past the gateway by kubectl.
import { describe, expect, it } from "vitest";
import type { ApprovalDecision } from "../../crds/approval.ts";
import { maxAnswerChars, maxArgumentsChars, maxSchemaChars } from "../../crds/approval.ts";
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { Verdict } from "./approvals.ts";
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
const hash = hashOf({ amount: 40 });
const inputSchema = JSON.stringify({
  type: "object",
  properties: { amount: { type: "number" } },
  required: ["amount"],
});
const outputSchema = JSON.stringify({ type: "object", properties: { paid: { type: "boolean" } }, required: ["paid"] });
const policy = questionOf().policy;
const finance = { policy: { ...policy, approvers: ["finance", "carol"] } };

async function open(changes: Partial<ApprovalQuestion> = {}) {
  const scene = createScene();
  const { metadata } = await scene.approvals.open(questionOf(undefined, changes), from);
  const decide = (verdict: Verdict = approve(), identity: Identity = person("bob")) =>
    scene.approvals.decide(metadata.name, verdict, identity);
  return { ...scene, name: metadata.name, decide };
}

describe("MGM-6 who may decide", () => {
  const agent: Identity = { kind: "agent", subject: "clerk", name: "agent:clerk", agent: "clerk" };
  const noRole: Identity = { kind: "person", subject: "bob", name: "bob", groups: [] };
  it.each<[string, Identity, string]>([
    ["a caller", person("bob", { role: "caller" }), "forbidden"],
    ["somebody without a role", noRole, "forbidden"],
    ["the agent itself", agent, "forbidden"],
    ["who does not see the agent", person("bob", { agents: ["research-*"] }), "not_found"],
    ["who does not see the server", person("bob", { servers: ["docs"] }), "not_found"],
    ["who sees nothing", person("bob", { role: "admin", agents: [] }), "not_found"],
  ])("not %s", async (_name, identity, kind) => {
    const { decide, approvals, name } = await open();
    await expect(decide(approve(), identity)).rejects.toMatchObject({ kind });
    expect(approvals.whyNot(approvals.get(name) ?? missing(), identity)).toBeDefined();
    await expect(decide()).resolves.toBeDefined();
  });

  it.each<[string, Identity]>([
    ["an approver", person("bob")],
    ["an admin", person("bob", { role: "admin" })],
    ["who sees agent and server", person("bob", { agents: ["cl*"], servers: ["bank"] })],
    ["the caller, where no rule names who", person("ann")],
  ])("%s", async (_name, identity) => {
    const { decide, approvals, name } = await open();
    expect(approvals.whyNot(approvals.get(name) ?? missing(), identity)).toBeUndefined();
    expect((await decide(approve(), identity)).spec.decision).toMatchObject({ by: identity.name });
  });

  it.each<[string, Identity, string]>([
    ["by name", person("carol"), "carol"],
    ["by group", person("dave", { groups: ["staff", "finance"] }), "finance"],
    ["an admin who is none of them", person("root", { role: "admin", groups: ["admins"] }), "forbidden"],
    ["a group that begins alike", person("eve", { groups: ["finance2"] }), "forbidden"],
  ])("where the rule names who, those alone: %s", async (_name, identity, as) => {
    const { decide } = await open(finance);
    const result = await decide(approve(), identity).then(
      ({ spec }) => spec.decision?.approver,
      (error: unknown) => Reflect.get(Object(error), "kind"),
    );
    expect(result).toBe(as);
  });

  it("nobody decides their own call where the rule names who: not as caller, nor from further up the chain", async () => {
    const own = await open({ ...finance, caller: "carol" });
    await expect(own.decide(approve(), person("carol"))).rejects.toMatchObject({ kind: "forbidden" });
    const chain = await open({ ...finance, caller: "agent:boss", chain: [{ agent: "boss", caller: "carol" }] });
    await expect(chain.decide(approve(), person("carol"))).rejects.toMatchObject({ kind: "forbidden" });
    await expect(chain.decide(approve(), person("dave", { groups: ["finance"] }))).resolves.toBeDefined();
  });

  it("beside the caller whom the rule asks those alone whom it names", async () => {
    const askCaller = { policy: { ...finance.policy, askCaller: true } };
    const { decide } = await open(askCaller);
    await expect(decide(approve(), person("bob"))).rejects.toMatchObject({ kind: "forbidden" });
    await expect(decide(approve(), person("carol"))).resolves.toBeDefined();
    await expect((await open(askCaller)).decide(approve(), person("ann"))).resolves.toBeDefined();
  });

  it("of a name that a server and an agent have, who sees the server", async () => {
    const scene = createScene();
    scene.servers.add("other");
    const { metadata } = await scene.approvals.open(questionOf(undefined, { server: "other" }), from);
    const decideAs = (identity: Identity) => scene.approvals.decide(metadata.name, approve(), identity);
    await expect(decideAs(person("bob", { servers: [] }))).rejects.toMatchObject({ kind: "not_found" });
    await expect(decideAs(person("bob", { agents: ["clerk"], servers: ["other"] }))).resolves.toBeDefined();
  });

  it("the caller where the rule says askCaller, and only there", async () => {
    const answer = { verdict: "approve" as const, argumentsHash: hash };
    const closed = await open(finance);
    await expect(closed.approvals.decideAsCaller(closed.name, answer)).rejects.toMatchObject({ kind: "forbidden" });
    const asked = await open({ policy: { ...finance.policy, askCaller: true } });
    const { spec } = await asked.approvals.decideAsCaller(asked.name, answer);
    expect(spec.decision).toMatchObject({ by: "ann", verdict: "approve" });
    await expect(asked.approvals.use(asked.name, uses(1))).resolves.toMatchObject({ verdict: "approve", by: "ann" });
  });
});

describe("MGM-6 what may be decided", () => {
  const long = (chars: number) => "x".repeat(chars);
  const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
  it.each<[string, Verdict, string]>([
    ["another hash", approve(hashOf({ amount: 41 })), "hash"],
    ["no hash", approve(""), "hash"],
    ["edited arguments with approve", { ...approve(), arguments: "{}" }, "invalid"],
    ["approveEdited without arguments", { ...approve(), verdict: "approveEdited" }, "invalid"],
    ["arguments that are no JSON", { ...approve(), verdict: "approveEdited", arguments: "{" }, "invalid"],
    ["arguments that are a list", { ...approve(), verdict: "approveEdited", arguments: "[]" }, "invalid"],
    ["arguments of another type", { ...approve(), verdict: "approveEdited", arguments: '{"amount":"40"}' }, "invalid"],
    ["arguments without what is needed", { ...approve(), verdict: "approveEdited", arguments: "{}" }, "invalid"],
    [
      "only the prototype's",
      { ...approve(), verdict: "approveEdited", arguments: '{"__proto__":{"amount":1}}' },
      "invalid",
    ],
    [
      "arguments of 10,000 levels",
      { ...approve(), verdict: "approveEdited", arguments: `{"amount":${deep}}` },
      "invalid",
    ],
    [
      "arguments that are too long",
      { ...approve(), verdict: "approveEdited", arguments: `{"amount":1,"x":"${long(maxArgumentsChars)}"}` },
      "invalid",
    ],
    ["an answer with approve", { ...approve(), answer: "x" }, "invalid"],
    ["answer without one", { ...approve(), verdict: "answer" }, "invalid"],
    ["an answer that is not of the schema", { ...approve(), verdict: "answer", answer: '{"paid":1}' }, "invalid"],
    ["an answer in words where there is a schema", { ...approve(), verdict: "answer", answer: "paid" }, "invalid"],
    ["an answer that is too long", { ...approve(), verdict: "answer", answer: long(maxAnswerChars + 1) }, "invalid"],
    ["the session with a denial", { ...approve(), verdict: "denyAbort", scope: "session" }, "invalid"],
    [
      "the session with edited arguments",
      { ...approve(), verdict: "approveEdited", arguments: '{"amount":1}', scope: "session" },
      "invalid",
    ],
    ["a reason that is too long", { ...approve(), reason: long(1_025) }, "too-large"],
  ])("not %s", async (_name, verdict, kind) => {
    const { decide, store } = await open({ inputSchema, outputSchema });
    await expect(decide(verdict)).rejects.toMatchObject({ kind });
    expect(store.writes).toEqual(["create"]);
  });

  it.each<[string, Verdict]>([
    ["edited arguments that fit", { ...approve(), verdict: "approveEdited", arguments: '{"amount":1}' }],
    ["an answer that fits", { ...approve(), verdict: "answer", answer: '{"paid":false}' }],
    ["a denial with the longest reason", { ...approve(), verdict: "denyContinue", reason: long(1_024) }],
    ["the end of the run", { ...approve(), verdict: "denyAbort" }],
  ])("%s", async (_name, verdict) => {
    const { decide, approvals, name } = await open({ inputSchema, outputSchema });
    await decide(verdict);
    expect(await approvals.use(name, uses(1))).toMatchObject(verdict);
  });

  it("an answer in words where the tool has no schema, of the longest length", async () => {
    const { decide } = await open();
    await expect(decide({ ...approve(), verdict: "answer", answer: long(maxAnswerChars) })).resolves.toBeDefined();
  });

  it("where parts are kept from people, edited arguments that hold words in their place", async () => {
    const { decide } = await open({ inputSchema, redacted: ["/amount"], arguments: '{"amount":"[redacted]"}' });
    await expect(
      decide({ ...approve(), verdict: "approveEdited", arguments: '{"amount":"[redacted]"}' }),
    ).resolves.toBeDefined();
  });
});

describe("MGM-6 the first verdict wins", () => {
  it("and the second hears whose it was", async () => {
    const { decide, store } = await open();
    await decide();
    const second = decide({ ...approve(), verdict: "denyAbort" }, person("carol"));
    await expect(second).rejects.toMatchObject({ kind: "decided", decision: { by: "bob", verdict: "approve" } });
    await expect(second).rejects.toThrow(/approve by bob at 20/);
    expect(store.writes).toEqual(["create", "decide"]);
  });

  it("of two at once", async () => {
    const { decide } = await open();
    const both = await Promise.allSettled([decide(), decide({ ...approve(), verdict: "denyAbort" }, person("carol"))]);
    expect(both).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { kind: "decided" } }]);
  });

  it("also after it was used", async () => {
    const { decide, approvals, name } = await open();
    await decide();
    await approvals.use(name, uses(1));
    await expect(decide()).rejects.toMatchObject({ kind: "decided" });
  });

  it("and is told to whom it is whose writer heard nothing of it", async () => {
    const { decide, store } = await open();
    store.after = () => {
      throw new StoreRefused("away", "reset");
    };
    await expect(decide()).resolves.toMatchObject({ spec: { decision: { by: "bob", verdict: "approve" } } });
    expect(store.writes).toEqual(["create", "decide"]);
  });

  it("and is none where it could not be written", async () => {
    const { decide, store } = await open();
    store.before = () => {
      throw new StoreRefused("away", "down");
    };
    await expect(decide()).rejects.toMatchObject({ kind: "unready" });
    store.before = () => undefined;
    await expect(decide({ ...approve(), verdict: "denyAbort" })).resolves.toBeDefined();
  });

  it("of nothing that is not there", async () => {
    const { approvals } = await open();
    await expect(approvals.decide("nothing", approve(), person("bob"))).rejects.toMatchObject({ kind: "not_found" });
  });
});

describe("MGM-6 what is decided past the gateway", () => {
  const inTime = (startMs: number) => new Date(startMs + 1_000).toISOString();
  async function patched(changes: Partial<ApprovalQuestion>, decision: Partial<ApprovalDecision>) {
    const scene = await open(changes);
    const at = inTime(scene.clock.wallNow());
    scene.store.patch(scene.name, (found) => ({
      ...found,
      spec: { ...found.spec, decision: decided(found, { at, ...decision }) },
    }));
    return scene;
  }

  it.each<[string, Partial<ApprovalQuestion>, Partial<ApprovalDecision>]>([
    ["anybody's, where the rule names nobody", {}, {}],
    ["that of a named person", finance, { by: "carol" }],
    ["that of an account of the namespace by its name", finance, { by: "system:serviceaccount:agents:finance" }],
    ["what a gateway judged", finance, { by: "dave", approver: "finance" }],
  ])("counts: %s", async (_name, changes, decision) => {
    const { approvals, name } = await patched(changes, decision);
    expect(await approvals.use(name, uses(1))).toMatchObject({ verdict: "approve" });
  });

  it.each<[string, Partial<ApprovalQuestion>, Partial<ApprovalDecision>, string]>([
    ["a name that the rule does not name", finance, { by: "eve" }, "eve is none of its approvers"],
    ["an account elsewhere", finance, { by: "system:serviceaccount:other:finance" }, "none of its approvers"],
    [
      "an account that ends alike",
      finance,
      { by: "system:serviceaccount:agents:not-finance" },
      "none of its approvers",
    ],
    ["as what the rule does not name", finance, { by: "eve", approver: "staff" }, "none of its approvers"],
    ["the caller's own", { ...finance, caller: "carol" }, { by: "carol" }, "may not decide of it"],
    ["of other arguments", {}, { argumentsHash: hashOf({}) }, "other arguments"],
    ["edited arguments that are none", {}, { verdict: "approveEdited", arguments: "[" }, "no JSON"],
    ["edited arguments that do not fit", { inputSchema }, { verdict: "approveEdited", arguments: "{}" }, "amount"],
    ["an answer that does not fit", { outputSchema }, { verdict: "answer", answer: "{}" }, "paid"],
  ])("denies the call and says why: %s", async (_name, changes, decision, words) => {
    const { approvals, name, counted } = await patched(changes, decision);
    const used = await approvals.use(name, uses(1));
    expect(used).toMatchObject({ verdict: "denyContinue", reason: expect.stringContaining(words) });
    expect(counted).toEqual(["denyContinue"]);
  });

  it.each([
    ["a moment before the expiry", -1, "decided"],
    ["at the expiry", 0, "expired"],
  ])("written %s: %s", async (_name, byMs, state) => {
    const scene = await open();
    const at = new Date(scene.clock.wallNow() + timeoutMs + byMs).toISOString();
    scene.store.patch(scene.name, (found) => ({
      ...found,
      spec: { ...found.spec, decision: decided(found, { at }) },
    }));
    expect(scene.approvals.stateOf(scene.approvals.get(scene.name) ?? missing())).toBe(state);
  });

  it("by a clock that is behind holds until the expiry", async () => {
    const { approvals, name, clock } = await patched({}, { at: "2020-01-01T00:00:00Z" });
    await clock.advance(timeoutMs - 1);
    expect(approvals.stateOf(approvals.get(name) ?? missing())).toBe("decided");
    await clock.advance(1);
    expect(approvals.stateOf(approvals.get(name) ?? missing())).toBe("expired");
  });
});

describe("MGM-6 what may be asked", () => {
  const asked = (question: ApprovalQuestion) => createScene().approvals.open(question, from);
  const long = (chars: number) => JSON.stringify("x".repeat(chars - 2));
  const sized = (chars: number) => {
    const args = { text: "x".repeat(chars - '{"text":""}'.length) };
    return questionOf(args);
  };
  const deep = (levels: number) => {
    const text = `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    const args: object = JSON.parse(text);
    return questionOf({}, { arguments: text, argumentsHash: hashOf(args) });
  };
  const proto: object = JSON.parse('{"__proto__":{"amount":1}}');
  it.each([
    ["the longest arguments", sized(maxArgumentsChars)],
    ["of 200 levels", deep(200)],
    ["with a member __proto__", questionOf(proto, { arguments: '{"__proto__":{"amount":1}}' })],
    ["the longest schema", questionOf(undefined, { inputSchema: `{"description":${long(maxSchemaChars - 16)}}` })],
  ])("%s", async (_name, question) => {
    expect((await asked(question)).spec.argumentsHash).toBe(question.argumentsHash);
  });

  it.each([
    ["arguments one character longer", sized(maxArgumentsChars + 1), "too-large"],
    [
      "a longer schema",
      questionOf(undefined, { outputSchema: `{"description":${long(maxSchemaChars)}}` }),
      "too-large",
    ],
    ["of 201 levels", deep(201), "invalid"],
    ["of 10,000 levels", deep(10_000), "invalid"],
    ["another hash than the arguments'", questionOf({ amount: 40 }, { arguments: '{"amount":41}' }), "invalid"],
    ["a member __proto__ that the hash does not have", questionOf({}, { arguments: '{"__proto__":{}}' }), "invalid"],
    ["half a surrogate pair", questionOf({}, { arguments: '{"a":"\\ud800"}' }), "invalid"],
    ["no JSON", questionOf({}, { arguments: "{" }), "invalid"],
    ["a schema that is none", questionOf(undefined, { inputSchema: "no" }), "invalid"],
  ])("not %s", async (_name, question, kind) => {
    await expect(asked(question)).rejects.toMatchObject({ kind });
  });

  it("a name that comes twice is shown once, as the tool gets it", async () => {
    const { spec } = await asked(questionOf({ amount: 40 }, { arguments: '{"amount":1,"amount":40}' }));
    expect(spec.arguments).toBe('{"amount":40}');
  });

  it("by no agent that is not there", async () => {
    await expect(createScene().approvals.open(questionOf(), { agent: "ghost" })).rejects.toMatchObject({
      kind: "unready",
    });
  });

  it("under a name that every process makes alike, which is a name of Kubernetes", async () => {
    const scene = createScene();
    const agent = `a${"-".repeat(48)}z`;
    scene.agents.set(agent, "uid");
    const { metadata, spec } = await scene.approvals.open(questionOf(), { agent });
    expect(metadata.name).toBe(`a-${spec.callHash.slice(0, 12)}-0`);
    expect(metadata.labels).toMatchObject({ "pallas.helu.ca/agent": agent, "pallas.helu.ca/instance": "ouranos" });
  });
});
