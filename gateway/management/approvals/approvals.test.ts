// Calls that wait for approval, as people see them and decide of them over MCP (MGM-2, MGM-3, MGM-6): over real HTTP, with real approvals.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { resourceClients } from "../../../lib/mcp/resource-clients.fixture.ts";
import { hashArguments } from "../../../lib/policy/canonical-json.ts";
import { sampleAgent, sampleInstance } from "../../../plan/testing/resources.ts";
import { maxResourceBytes } from "../resources/source.ts";
import { person, startManagement } from "../testing/management.ts";
import { longQuestion, paymentQuestion } from "../testing/questions.ts";

const refused = (type: string, message: string) => ({
  isError: true,
  structuredContent: { error: { type, message: expect.stringContaining(message) } },
});
const pending = "resource://agents/clerk/approvals/pending";
const history = "resource://agents/clerk/approvals/history";
const listed = z.array(z.looseObject({ call_id: z.string(), left_out: z.boolean().optional() }));

async function start() {
  const management = await startManagement({
    agents: [sampleAgent("boss"), sampleAgent("clerk")],
    instance: sampleInstance({ servers: [{ name: "bank", url: "http://bank.tools.svc:8000/mcp" }] }),
  });
  onTestFinished(() => management.stop());
  const ask = async (question = paymentQuestion(), agent = "clerk") =>
    (await management.approvals.open(question, { agent })).metadata.name;
  const [viewer, approver, admin] = [
    await management.connect("viewer"),
    await management.connect("approver"),
    await management.connect("admin"),
  ];
  const decide = async (call_id: string, decision: string, more: object = {}, caller = approver) =>
    await caller.call("agents_approve_request", { call_id, decision, ...more });
  return { ...management, ask, decide, viewer, approver, admin };
}

const hashOf = (args: object) => `sha256:${hashArguments(args)}`;
const hash40 = hashOf({ amount: 40 });

describe("MGM-6 what is shown of a call that waits", () => {
  test("all that somebody needs to decide of it", async () => {
    const { ask, approver } = await start();
    const name = await ask();
    const shown = {
      call_id: name,
      agent_id: "clerk",
      state: "pending",
      server: "bank",
      tool: "pay",
      hints: { destructive: true },
      description: "Pays a bill.",
      steps: [{ text: "bank/balance", outcome: "ok", at: "2026-01-01T00:00:00.000Z" }],
      caller: "ann",
      chain: [{ caller: "ann" }, { agent: "clerk", step: "Pay the bill" }],
      policy: { name: "careful", generation: 1, rule: "pay" },
      reason: "money leaves the house",
      expires_at: expect.any(String),
      arguments_hash: hash40,
      arguments: '{"amount":40}',
      redacted: [],
      may_decide: true,
      last_approved: null,
    };
    const [first] = z.array(z.looseObject({ input_schema: z.string() })).parse(await approver.read(pending));
    expect(first).toMatchObject(shown);
    expect(JSON.parse(first?.input_schema ?? "")).toMatchObject({ properties: { amount: { type: "number" } } });
    expect(first).not.toHaveProperty("decision");
    expect(first).not.toHaveProperty("definition_changed");
    expect(await approver.read("resource://approvals/pending")).toEqual([first]);
    expect(await approver.read(`resource://approvals/${name}`)).toEqual(first);
    expect(await approver.read("resource://agents/clerk/snapshot")).toMatchObject({ approvals: [first] });
    expect(await approver.read("resource://agents/boss/approvals/pending")).toEqual([]);
    expect(await approver.read(history)).toEqual([]);
    expect(await approver.read("resource://approvals/history")).toEqual([]);
  });

  test("MGM-2 what was decided of all agents and of the gateway itself, the newest first, to those who see it", async () => {
    const { ask, decide, approver, approvals, admit, connect } = await start();
    const first = await ask();
    const direct = (await approvals.open(paymentQuestion(), {})).metadata.name;
    const last = await ask(paymentQuestion(), "boss");
    await ask(paymentQuestion({ sent: { amount: 41 } }));
    for (const each of [first, direct, last]) await decide(each, "deny_continue");
    const all = "resource://approvals/history";
    const read = async (reader = approver) => listed.parse(await reader.read(all)).map(({ call_id }) => call_id);
    expect(await read()).toHaveLength(3);
    expect(await read()).toEqual(expect.arrayContaining([first, direct, last]));
    expect(await approver.read(all)).toEqual(
      expect.arrayContaining([expect.objectContaining({ call_id: direct, agent_id: null, state: "decided" })]),
    );
    admit("clerks", person("viewer", { agents: ["clerk"] }));
    expect(await read(await connect("clerks"))).toEqual(expect.arrayContaining([first, direct]));
    expect(await read(await connect("clerks"))).not.toContain(last);
    expect(await (await connect("viewer")).readText(all)).not.toContain('"arguments":');
  });

  test("its arguments to those who may approve, and to everybody else the hash", async () => {
    const { ask, decide, viewer, approver, connect } = await start();
    const first = await ask(paymentQuestion({ sent: { amount: 7 } }));
    await decide(first, "approve", { arguments_hash: hashOf({ amount: 7 }), arguments: { amount: 6 } });
    const name = await ask(paymentQuestion({ sent: { amount: 41, note: "secret-word" } }));
    const answered = await ask(paymentQuestion({ sent: { amount: 42 } }));
    const other = { arguments_hash: hashOf({ amount: 42 }), answer: "secret-answer" };
    expect(await decide(answered, "answer", other)).not.toMatchObject({ isError: true });
    const uris = [pending, history, "resource://approvals/pending", "resource://agents/clerk/snapshot"];
    for (const uri of [...uris, `resource://approvals/${name}`, `resource://approvals/${answered}`]) {
      for (const reader of [viewer, await connect("caller")]) {
        const text = await reader.readText(uri);
        expect(text).toContain("arguments_hash");
        expect(text).not.toMatch(/"arguments":|"answer":"|secret/);
      }
      expect(await approver.readText(uri)).toContain('"arguments":');
    }
    const seen = { may_decide: false, may_not_because: expect.stringContaining("the role approver") };
    expect(await viewer.read(pending)).toMatchObject([seen]);
    expect(await approver.read(history)).toMatchObject([{ decision: { answer: "secret-answer" } }, {}]);
  });

  test("the last approved call of the same agent and tool, and whether the tool is another since", async () => {
    const { ask, decide, approver, viewer } = await start();
    const earlier = await ask(paymentQuestion({ sent: { amount: 1 } }));
    await decide(earlier, "approve", { arguments_hash: hashOf({ amount: 1 }) });
    const last = await ask(paymentQuestion({ sent: { amount: 2, card: "4111" }, redacted: ["/card"] }));
    const edited = { arguments_hash: hashOf({ amount: 2, card: "4111" }), arguments: { amount: 3, card: "4999" } };
    expect(await decide(last, "approve", edited)).not.toMatchObject({ isError: true });
    const denied = await ask(paymentQuestion({ sent: { amount: 4 } }));
    await decide(denied, "deny_continue");
    await ask(paymentQuestion({ sent: { amount: 5 }, tool: "refund" }));
    await ask(paymentQuestion({ sent: { amount: 5 } }), "boss");
    const toolHash = `sha256:${"b".repeat(64)}`;
    await ask(paymentQuestion({ sent: { amount: 6 }, toolHash }));
    const told = { call_id: last, by: "approver", at: expect.any(String), same_arguments: false };
    const shown = await approver.read(pending);
    expect(shown).toHaveLength(2);
    expect(shown).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tool: "refund", last_approved: null }),
        expect.objectContaining({
          tool: "pay",
          last_approved: expect.objectContaining({ ...told, arguments: '{"amount":3,"card":"[redacted]"}' }),
          definition_changed: true,
        }),
      ]),
    );
    expect(await approver.read("resource://agents/boss/approvals/pending")).toMatchObject([{ last_approved: null }]);
    expect(await viewer.readText(pending)).toContain('"arguments_hash"');
    expect(JSON.stringify(await approver.read(history))).not.toContain("4999");
    await ask(paymentQuestion({ sent: { amount: 8 } }));
    const same = { arguments_hash: hashOf({ amount: 8 }), definition_changed: false };
    expect(await approver.read(pending)).toContainEqual(expect.objectContaining(same));
  });

  test("to people who see the agent and what it calls, and to no others", async () => {
    const { ask, connect, admit, approvals } = await start();
    const name = await ask();
    const prompt = await ask(paymentQuestion({ server: "boss", tool: "send_message" }));
    const direct = (await approvals.open(paymentQuestion(), {})).metadata.name;
    const see = async (as: string, narrowed: object) => {
      admit(as, person("approver", narrowed));
      const reader = await connect(as);
      const all = listed.parse(await reader.read("resource://approvals/pending")).map(({ call_id }) => call_id);
      const one = async (each: string) => {
        const outcome = await reader.read(`resource://approvals/${each}`).then(() => "read", String);
        return outcome === "read" ? [each] : [];
      };
      const readable = (await Promise.all([name, prompt, direct].map(one))).flat();
      expect(readable.toSorted()).toEqual(all.toSorted());
      return readable.toSorted();
    };
    expect(await see("all", {})).toEqual([name, prompt, direct].toSorted());
    expect(await see("clerks", { agents: ["cl*"] })).toEqual([name, direct].toSorted());
    expect(await see("bosses", { agents: ["boss"] })).toEqual([direct]);
    expect(await see("no servers", { servers: [] })).toEqual([prompt]);
    expect(await see("nothing", { agents: [], servers: [] })).toEqual([]);
  });

  test("says to whom the rule names others that they may not decide", async () => {
    const { ask, approver, admin, decide, admit, connect } = await start();
    const policy = { name: "careful", generation: 1, approvers: ["treasury"] };
    const name = await ask(paymentQuestion({ policy }));
    const why = { may_decide: false, may_not_because: expect.stringContaining("treasury") };
    expect(await approver.read(pending)).toMatchObject([{ ...why, approvers: ["treasury"] }]);
    expect(await decide(name, "approve", { arguments_hash: hash40 }, admin)).toMatchObject(
      refused("forbidden", "treasury"),
    );
    admit("tess", { kind: "person", subject: "tess", name: "tess", groups: ["treasury"], role: "approver" });
    const tess = await connect("tess");
    expect(await tess.read(pending)).toMatchObject([{ may_decide: true }]);
    expect(await decide(name, "approve", { arguments_hash: hash40 }, tess)).toMatchObject({
      structuredContent: { approval: { state: "decided", decision: { verdict: "approve", by: "tess" } } },
    });
  });

  test(
    "of more than fits into a list arguments are left out, and each is there whole",
    { timeout: 60_000 },
    async () => {
      const { ask, approver } = await start();
      const names: string[] = [];
      for (let n = 0; n < 12; n += 1) names.push(await ask(longQuestion(n)));
      const text = await approver.readText(pending);
      expect(Buffer.byteLength(text)).toBeLessThan(maxResourceBytes);
      const shown = listed.parse(JSON.parse(text));
      expect(shown.map(({ call_id }) => call_id)).toEqual(names);
      const [first, last] = [shown[0], shown.at(-1)];
      expect(first).toHaveProperty("arguments");
      expect(last).toMatchObject({ left_out: true, arguments_hash: expect.any(String), may_decide: true });
      expect(last).not.toHaveProperty("arguments");
      expect(await approver.read(`resource://approvals/${names.at(-1)}`)).toHaveProperty("arguments");
    },
  );
});

describe("MGM-3 agents_approve_request", () => {
  const edited = { amount: 39 };
  test.each([
    ["approve", { arguments_hash: hash40 }, { verdict: "approve" }],
    ["approve", { arguments_hash: hash40, scope: "session" }, { verdict: "approve", scope: "session" }],
    [
      "approve",
      { arguments_hash: hash40, arguments: edited },
      { verdict: "approve_edited", arguments: '{"amount":39}' },
    ],
    ["answer", { arguments_hash: hash40, answer: "paid by hand" }, { verdict: "answer", answer: "paid by hand" }],
    ["deny_continue", { reason: "too much" }, { verdict: "deny_continue", reason: "too much" }],
    ["deny_abort", { arguments_hash: hash40 }, { verdict: "deny_abort" }],
  ])("decides %s with %o", async (decision, more, expected) => {
    const { ask, decide, approver, approvals } = await start();
    const name = await ask();
    const decided = { ...expected, by: "approver", at: expect.any(String) };
    expect(await decide(name, decision, { agent_id: "clerk", ...more })).toMatchObject({
      structuredContent: { approval: { call_id: name, state: "decided", decision: decided } },
    });
    expect(await approver.read(pending)).toEqual([]);
    expect(await approver.read(history)).toMatchObject([{ call_id: name, decision: decided }]);
    const use = { use: crypto.randomUUID(), argumentsHash: hash40 };
    expect(await approvals.use(name, use)).toMatchObject({ by: "approver" });
  });

  test.each([
    ["another hash", "approve", { arguments_hash: hashOf({ amount: 41 }) }, "conflict", "look at the call again"],
    ["no hash", "approve", {}, "invalid", "expected the hash that was shown"],
    ["no hash", "answer", { answer: "x" }, "invalid", "expected the hash that was shown"],
    ["another agent", "deny_abort", { agent_id: "boss" }, "not_found", "waits for no approval"],
    [
      "edited arguments of another form",
      "approve",
      { arguments_hash: hash40, arguments: { amount: "39" } },
      "invalid",
      "amount",
    ],
    ["edited arguments to a denial", "deny_continue", { arguments: edited }, "invalid", "only with decision approve"],
    ["no answer", "answer", { arguments_hash: hash40 }, "invalid", "answer"],
    ["an answer to an approval", "approve", { arguments_hash: hash40, answer: "x" }, "invalid", "answer"],
    ["a denial for the session", "deny_abort", { scope: "session" }, "invalid", "session"],
  ])("refuses %s (%s)", async (_what, decision, more, type, message) => {
    const { ask, decide, approver } = await start();
    const name = await ask();
    expect(await decide(name, decision, more)).toMatchObject(refused(type, message));
    expect(await approver.read(pending)).toMatchObject([{ call_id: name, state: "pending" }]);
  });

  test("of two decisions the first counts, and the second hears whose it was", async () => {
    const { ask, decide, admin, approver } = await start();
    const name = await ask();
    const answers = await Promise.all([
      decide(name, "approve", { arguments_hash: hash40 }),
      decide(name, "deny_abort", {}, admin),
    ]);
    const lost = answers.filter((answer) => Reflect.get(Object(answer), "isError") === true);
    expect(lost).toHaveLength(1);
    expect(lost[0]).toMatchObject(refused("conflict", ""));
    expect(await approver.read(history)).toHaveLength(1);
    expect(await decide(name, "deny_abort")).toMatchObject(refused("conflict", "approver"));
  });

  test("of a call that nobody asked about, or that is not for the caller, decides nothing", async () => {
    const { ask, decide, connect, admit, approvals } = await start();
    const name = await ask();
    admit("narrow", person("admin", { agents: ["boss"] }));
    const narrow = await connect("narrow");
    for (const each of [name, "clerk-0123456789ab-0"]) {
      expect(await decide(each, "deny_abort", {}, narrow)).toMatchObject(refused("not_found", "waits for no approval"));
    }
    const waiting = approvals.get(name);
    expect(waiting && approvals.stateOf(waiting)).toBe("pending");
  });
});

describe.each(resourceClients)("MGM-2 who subscribed to calls that wait, with $name", (kind) => {
  test("hears of each at once, and nobody else does", async () => {
    const { ask, decide, url, admit } = await start();
    admit("narrow", person("approver", { agents: ["boss"] }));
    const [seeing, narrow] = [await kind.connect(url, "viewer"), await kind.connect(url, "narrow")];
    onTestFinished(async () => void (await Promise.all([seeing.close(), narrow.close()])));
    const own = "resource://agents/boss/approvals/pending";
    await seeing.subscribe([pending, history]);
    await narrow.subscribe([own]);
    await expect(narrow.subscribe([pending])).rejects.toThrow(/not found|not acknowledged/);
    const name = await ask();
    await vi.waitFor(() => expect(seeing.heard).toContain(pending), 5_000);
    expect(JSON.parse(await seeing.read(pending))).toMatchObject([{ call_id: name, state: "pending" }]);
    seeing.heard.length = 0;
    await decide(name, "deny_continue");
    await vi.waitFor(() => expect(seeing.heard).toEqual(expect.arrayContaining([pending, history])), 5_000);
    expect(JSON.parse(await seeing.read(pending))).toEqual([]);
    expect(narrow.heard).toEqual([]);
    await ask(paymentQuestion(), "boss");
    await vi.waitFor(() => expect(narrow.heard).toContain(own), 5_000);
  });
});
