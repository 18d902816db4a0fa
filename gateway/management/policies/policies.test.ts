// Policies and proposals over MCP (MGM-2, MGM-3, MGM-5): what holds is read, what is proposed is seen by two people before it holds.
import { Hono } from "hono";
import { load, loadAll } from "js-yaml";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import type { RejudgedCall } from "../../../crds/judged-calls.ts";
import { listen } from "../../../lib/process/http-server.ts";
import { createLogger } from "../../../lib/process/log.ts";
import { resourceClients } from "../../../lib/mcp/resource-clients.fixture.ts";
import { sampleAgent, sampleInstance } from "../../../plan/testing/resources.ts";
import { person, startManagement, type TestCaller, type TestManagementOptions } from "../testing/management.ts";
import { samplePolicy } from "../testing/questions.ts";

const log = createLogger({ logger: "test", level: "SILENT", destination: { write: () => undefined } });
const refused = (type: string, message: string) => ({
  isError: true,
  structuredContent: { error: { type, message: expect.stringContaining(message) } },
});
const reads = [{ name: "reads", match: { tools: ["get_*"] }, action: "allow" }];
const stricter = [...reads, { name: "rest", action: "denyContinue", reason: "read only" }];
const proposed = z.object({ structuredContent: z.object({ proposal: z.looseObject({ proposal_id: z.string() }) }) });
const all = "resource://approval-policy/proposals";

async function start(options: TestManagementOptions = {}) {
  const management = await startManagement({
    agents: [
      sampleAgent("boss"),
      sampleAgent("clerk", { policyRef: { name: "careful" } }),
      sampleAgent("temp", { policyRef: { name: "gone" } }),
    ],
    instance: sampleInstance({
      servers: [{ name: "bank", url: "http://bank.tools.svc:8000/mcp" }],
      gateway: { policyRef: { name: "house" } },
    }),
    policies: [samplePolicy("careful"), samplePolicy("house", { default: "allow" }), samplePolicy("unused")],
    ...options,
  });
  onTestFinished(() => management.stop());
  const { connect } = management;
  const [viewer, approver, admin] = [await connect("viewer"), await connect("approver"), await connect("admin")];
  const propose = async (more: object = {}, by: TestCaller = approver) => {
    const args = { policy: "careful", rules: stricter, reason: "an incident", ...more };
    return await by.call("policy_propose", args);
  };
  const propose1 = async (more: object = {}, by: TestCaller = approver) =>
    proposed.parse(await propose(more, by)).structuredContent.proposal.proposal_id;
  return { ...management, viewer, approver, admin, propose, propose1 };
}

describe("MGM-5 the rules that hold", () => {
  test("are read per agent: its policy, none, and one that is not there", async () => {
    const { viewer, approver, propose1, state } = await start();
    const policyState = (agent: string) => viewer.read(`resource://agents/${agent}/policy/state`);
    expect(await policyState("clerk")).toEqual({
      agent_id: "clerk",
      policy: "careful",
      generation: 1,
      in_force: { generation: 1, rules: reads, default: "ask" },
      proposals: 0,
    });
    expect(await policyState("boss")).toMatchObject({ policy: null, message: expect.stringContaining("every call") });
    expect(await policyState("temp")).toMatchObject({ policy: "gone", in_force: null, fault: expect.any(String) });
    await propose1();
    expect(await policyState("clerk")).toMatchObject({ proposals: 1 });
    state.setInstance(sampleInstance({ agentDefaults: { policyRef: { name: "unused" } } }));
    expect(await approver.read("resource://agents/boss/policy/state")).toMatchObject({ policy: "unused" });
  });

  test("are the last good ones while newer ones are faulty, with what is wrong", async () => {
    const { viewer, state } = await start();
    const faulty = { rules: [{ name: "x", action: "allow", unknown: 1 }] };
    const inForce = { generation: 1, rules: stricter };
    state.putPolicy({ ...samplePolicy("careful", faulty, 2), status: { inForce } });
    const faultyState = { generation: 2, in_force: inForce, faulty: expect.stringContaining("unknown") };
    expect(await viewer.read("resource://agents/clerk/policy/state")).toMatchObject(faultyState);
    state.putPolicy(samplePolicy("careful", faulty, 2));
    const fault = { in_force: null, fault: expect.stringContaining("unknown") };
    expect(await viewer.read("resource://agents/clerk/policy/state")).toMatchObject(fault);
  });

  test("are there as YAML of all that somebody may see, under both names", async () => {
    const { viewer, admit, connect, state } = await start();
    const text = await viewer.readText("resource://approval-policy/policy");
    expect(await viewer.readText("resource://approval-policy/policy.py")).toBe(text);
    const documents = [
      { policy: "careful", judges: { agents: ["clerk"], gateway: false }, in_force: { rules: reads } },
      { policy: "house", judges: { agents: [], gateway: true }, in_force: { default: "allow" } },
      { policy: "unused", judges: { agents: [], gateway: false } },
    ];
    expect(loadAll(text)).toMatchObject(documents);
    // As the gateway's configuration says it of entries that are narrowed to nothing.
    admit("all", person("viewer", { agents: ["*"], servers: ["*"] }));
    expect(await (await connect("all")).readText("resource://approval-policy/policy")).toBe(text);
    admit("bosses", person("viewer", { agents: ["boss"] }));
    expect(load(await (await connect("bosses")).readText("resource://approval-policy/policy"))).toMatchObject({
      policy: "house",
    });
    for (const policy of ["careful", "house", "unused"]) state.removePolicy(policy);
    expect(await viewer.readText("resource://approval-policy/policy")).toBe(
      "# There is no policy: every call is allowed.\n",
    );
  });
});

describe("MGM-3 proposals", () => {
  test("are seen by whoever sees the policy, and change nothing that holds", async () => {
    const { viewer, propose1, written, admit, connect } = await start();
    const id = await propose1({ default: "denyAbort" });
    const shown = {
      proposal_id: id,
      policy: "careful",
      by: "approver",
      at: expect.any(String),
      reason: "an incident",
      generation: 1,
      is_stale: false,
      rules: stricter,
      default: "denyAbort",
    };
    expect(await viewer.read("resource://agents/clerk/policy/proposals")).toEqual([shown]);
    expect(await viewer.read(all)).toEqual([shown]);
    expect(await viewer.read("resource://agents/boss/policy/proposals")).toEqual([]);
    admit("bosses", person("approver", { agents: ["boss"] }));
    expect(await (await connect("bosses")).read(all)).toEqual([]);
    expect(written).toEqual([]);
    expect(await viewer.read("resource://agents/clerk/policy/state")).toMatchObject({ in_force: { rules: reads } });
  });

  test.each([
    ["a faulty rule", { rules: [{ name: "x", action: "allow", hint: true }] }, "invalid", "rule x: expected of name"],
    ["a rule that is none", { rules: [{}] }, "invalid", "rule [0], name"],
    ["another policy", { policy: "gone" }, "not_found", '"careful", "house", "unused"'],
    ["256 KiB of rules and more", { rules: Array.from({ length: 128 }, largeRule) }, "invalid", "at most 262144 bytes"],
  ])("of %s are refused before they are kept", async (_what, more, type, message) => {
    const { propose, viewer } = await start();
    expect(await propose(more)).toMatchObject(refused(type, message));
    expect(await viewer.read(all)).toEqual([]);
  });

  test("are 16 of a policy, and not 17", async () => {
    const { propose, propose1, viewer, approver } = await start();
    const ids = await Promise.all(Array.from({ length: 16 }, () => propose1()));
    expect(await propose()).toMatchObject(refused("conflict", "room for 16 proposals"));
    expect(await viewer.read(all)).toHaveLength(16);
    await approver.call("policy_withdraw", { proposal_id: ids[7] });
    expect(await propose()).not.toMatchObject({ isError: true });
  });

  test("hold once another admin approves them, and then for nobody again", async () => {
    const { propose1, admin, viewer, written, approver } = await start();
    const id = await propose1({ default: "allow" });
    expect(await approver.call("policy_approve_proposal", { proposal_id: id })).toMatchObject(
      refused("forbidden", "admin"),
    );
    expect(await admin.call("policy_approve_proposal", { proposal_id: id })).toMatchObject({
      structuredContent: { approved: id, policy: "careful", generation: 2 },
    });
    expect(written).toEqual([["patch policy", "careful", { spec: { rules: stricter, default: "allow" } }]]);
    expect(await viewer.read("resource://agents/clerk/policy/state")).toMatchObject({
      in_force: { generation: 2, rules: stricter, default: "allow" },
      proposals: 0,
    });
    expect(await admin.call("policy_approve_proposal", { proposal_id: id })).toMatchObject(refused("not_found", id));
    const without = await propose1();
    await admin.call("policy_approve_proposal", { proposal_id: without });
    expect(await viewer.read("resource://agents/clerk/policy/state")).toMatchObject({ in_force: { default: "ask" } });
  });

  test("nobody approves their own, be they admin", async () => {
    const { propose1, admin, written } = await start();
    const id = await propose1({}, admin);
    const answer = await admin.call("policy_approve_proposal", { proposal_id: id });
    expect(answer).toMatchObject(refused("forbidden", "two people have seen it"));
    expect(written).toEqual([]);
  });

  test("cannot be approved once the policy is another", async () => {
    const { propose1, admin, viewer, state, written } = await start();
    const id = await propose1();
    state.putPolicy(samplePolicy("careful", {}, 2));
    expect(await viewer.read(all)).toMatchObject([{ is_stale: true }]);
    const answer = await admin.call("policy_approve_proposal", { proposal_id: id });
    expect(answer).toMatchObject(refused("conflict", "has changed since"));
    expect(written).toEqual([]);
  });

  test("are not approved where the gateway may not write, and there all the rest works", async () => {
    const { propose1, admin, viewer } = await start({ management: "approve" });
    const id = await propose1();
    const answer = await admin.call("policy_approve_proposal", { proposal_id: id });
    expect(answer).toMatchObject(refused("forbidden", "readWrite"));
    expect(await admin.call("policy_reject_proposal", { proposal_id: id, reason: "no" })).toMatchObject({
      structuredContent: { rejected: id },
    });
    expect(await viewer.read(all)).toEqual([]);
  });

  test("are approved by somebody who sees all that the policy judges", async () => {
    const { propose1, admit, connect, state, written } = await start();
    state.put(sampleAgent("boss", { policyRef: { name: "careful" } }));
    const [careful, house] = [await propose1(), await propose1({ policy: "house" })];
    const approve = async (narrowed: object, proposal_id: string) => {
      admit("narrow", person("admin", narrowed));
      return await (await connect("narrow")).call("policy_approve_proposal", { proposal_id });
    };
    expect(await approve({ agents: ["clerk"] }, careful)).toMatchObject(refused("forbidden", "narrowed away"));
    expect(await approve({ servers: ["bank"] }, careful)).toMatchObject(refused("forbidden", "narrowed away"));
    expect(await approve({ agents: ["b*", "cl*"] }, house)).toMatchObject(refused("forbidden", "narrowed away"));
    expect(written).toEqual([]);
    admit("narrow", { ...person("admin", { agents: ["*"], servers: ["*"] }), name: "another" });
    expect(await (await connect("narrow")).call("policy_approve_proposal", { proposal_id: careful })).toMatchObject({
      structuredContent: { approved: careful },
    });
  });

  test("are withdrawn by who made them, and by admins", async () => {
    const { propose1, admit, connect, admin, approver, viewer } = await start();
    admit("other", { ...person("operator"), name: "other" });
    const other = await connect("other");
    const [first, second] = [await propose1(), await propose1()];
    const withdraw = (by: TestCaller, proposal_id: string) => by.call("policy_withdraw", { proposal_id });
    expect(await withdraw(other, first)).toMatchObject(refused("forbidden", "made by approver"));
    expect(await withdraw(approver, first)).toMatchObject({ structuredContent: { withdrawn: first } });
    expect(await withdraw(approver, first)).toMatchObject(refused("not_found", first));
    expect(await withdraw(admin, second)).toMatchObject({ structuredContent: { withdrawn: second } });
    expect(await viewer.read(all)).toEqual([]);
  });
});

const largeRule = (_: unknown, n: number) => ({
  name: `r${n}`,
  action: "ask",
  match: { tools: Array.from({ length: 64 }, largeGlob) },
});
function largeGlob(_: unknown, n: number) {
  return `${n}${"x".repeat(200)}`;
}

describe("MGM-3 agents_set_policy", () => {
  test("is one write, and null takes it away", async () => {
    const { admin, written } = await start();
    const set = (agent_id: string, policy: string | null) => admin.call("agents_set_policy", { agent_id, policy });
    expect(await set("boss", "unused")).toMatchObject({ structuredContent: { agent: { id: "boss" } } });
    expect(await set("clerk", null)).toMatchObject({ structuredContent: { agent: { id: "clerk" } } });
    expect(written).toEqual([
      ["patch", "boss", { spec: { policyRef: { name: "unused" } } }],
      ["patch", "clerk", { spec: { policyRef: null } }],
    ]);
    expect(await admin.read("resource://agents/boss/policy/state")).toMatchObject({ policy: "unused" });
    expect(await admin.read("resource://agents/clerk/policy/state")).toMatchObject({ policy: null });
  });

  test("refuses a policy that is not there, and an agent that is not for the caller", async () => {
    const { admin, written, admit, connect } = await start();
    const set = (by: TestCaller, policy: string) => by.call("agents_set_policy", { agent_id: "boss", policy });
    expect(await set(admin, "gone")).toMatchObject(refused("not_found", "every call of the agent would be denied"));
    admit("narrow", person("admin", { agents: ["clerk"] }));
    expect(await set(await connect("narrow"), "unused")).toMatchObject(refused("not_found", "boss"));
    expect(written).toEqual([]);
  });
});

describe("MGM-3 what a proposal would have made of the last calls", () => {
  const judged = (second: number, more: Partial<RejudgedCall> = {}): RejudgedCall => ({
    at: new Date(Date.UTC(2030, 0, 1) + second * 1_000).toISOString(),
    ...{ server: "bank", tool: "pay", caller: "ann", before: "ask", after: "denyContinue", rule: "rest" },
    ...more,
  });
  async function startAgent(agent: string, calls: readonly RejudgedCall[]) {
    const sent: unknown[] = [];
    const app = new Hono();
    app.post("/judged", async (c) => {
      sent.push(await c.req.json());
      return c.json({ agent, calls });
    });
    const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
    onTestFinished(async () => void (await server.close({ graceMs: 0 })));
    return { endpoint: { mcpUrl: `${server.url}/mcp`, adminUrl: server.url }, sent };
  }

  test("is told to approvers: counts, what would be looser first, and who did not answer", async () => {
    const { approver, viewer, propose1, state } = await start();
    const calls = [
      judged(1),
      judged(2, { before: "ask", after: "allow", tool: "get_rate" }),
      judged(3, { before: "allow", after: "allow" }),
    ];
    const { endpoint, sent } = await startAgent("clerk", calls);
    state.setEndpoint("clerk", endpoint);
    state.put(sampleAgent("intern", { policyRef: { name: "careful" } }));
    await propose1({ default: "ask" });
    const [looser, other] = [judged(2, { after: "allow", tool: "get_rate" }), judged(1)];
    const dryRun = {
      total: 3,
      counts: [
        { before: "allow", after: "allow", calls: 1 },
        { before: "ask", after: "allow", calls: 1 },
        { before: "ask", after: "denyContinue", calls: 1 },
      ],
      calls: [
        { agent_id: "clerk", ...looser },
        { agent_id: "clerk", ...other },
      ],
      unanswered: [{ agent_id: "intern", message: expect.stringContaining("no process") }],
    };
    const uri = "resource://agents/clerk/policy/proposals";
    expect(await approver.read(uri)).toMatchObject([{ dry_run: dryRun }]);
    expect(sent).toEqual([{ rules: stricter, default: "ask" }]);
    expect(await viewer.readText(uri)).not.toContain("dry_run");
  });

  test("is about the gateway's own calls where the policy judges these, and about nobody's who is not for the reader", async () => {
    const own = [judged(5), judged(6, { server: "vault" })];
    const { approver, propose1, admit, connect } = await start({ judgedHere: async () => ({ calls: own }) });
    await propose1({ policy: "house" });
    await propose1();
    const read = async (by: TestCaller) =>
      z
        .array(z.looseObject({ policy: z.string(), dry_run: z.looseObject({ total: z.number() }) }))
        .parse(await by.read(all));
    const totals = (list: Awaited<ReturnType<typeof read>>) =>
      Object.fromEntries(list.map(({ policy, dry_run }) => [policy, dry_run.total]));
    expect(totals(await read(approver))).toEqual({ house: 2, careful: 0 });
    admit("narrow", person("approver", { servers: ["bank"] }));
    expect(totals(await read(await connect("narrow")))).toEqual({ house: 1, careful: 0 });
    admit("bosses", person("approver", { agents: ["boss"] }));
    expect(totals(await read(await connect("bosses")))).toEqual({ house: 2 });
  });
});

describe.each(resourceClients)("MGM-2 who subscribed to policies, with $name", (kind) => {
  test("hears of other rules and of proposals, and of no others", async () => {
    const { url, state, propose1 } = await start();
    const client = await kind.connect(url, "viewer");
    onTestFinished(() => client.close());
    const [holds, proposals] = ["resource://agents/clerk/policy/state", "resource://agents/clerk/policy/proposals"];
    const others = "resource://agents/boss/policy/state";
    const text = "resource://approval-policy/policy";
    await client.subscribe([holds, proposals, others, text]);
    await propose1();
    await vi.waitFor(() => expect(client.heard).toEqual(expect.arrayContaining([holds, proposals])), 5_000);
    client.heard.length = 0;
    state.putPolicy(samplePolicy("careful", { rules: stricter }, 2));
    await vi.waitFor(() => expect(client.heard).toEqual(expect.arrayContaining([holds, proposals, text])), 5_000);
    expect(client.heard).not.toContain(others);
  });
});
