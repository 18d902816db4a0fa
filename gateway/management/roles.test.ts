// Who may do and see what on the management server, over real HTTP.
import { describe, expect, onTestFinished, test } from "vitest";
import { sampleAgent, sampleInstance } from "../../plan/testing/resources.ts";
import { person, startManagement, type TestManagementOptions } from "./testing/management.ts";

const notFound = { code: -32602, message: "Resource not found" };

async function start(options: TestManagementOptions = {}) {
  const management = await startManagement({
    agents: [sampleAgent("tech-research", { servers: [{ name: "argos" }] }), sampleAgent("payroll")],
    instance: sampleInstance({ servers: [{ name: "argos", url: "http://argos.tools.svc:8000/mcp" }] }),
    ...options,
  });
  onTestFinished(() => management.stop());
  return management;
}

const reading = ["agents_list"];
const talking = [...reading, "agents_prompt"];
const deciding = [
  ...[...talking, "agents_abort_run", "agents_abort_agent"],
  ...["agents_approve_request", "policy_propose", "policy_withdraw"],
];
const ruling = [...deciding, "policy_reject_proposal"];
const writing = [
  ...["agents_create", "agents_update", "agents_delete", "agents_attach_server", "agents_detach_server"],
  ...["agents_set_policy", "policy_approve_proposal"],
];

describe("MGM-1 tools of the management server", () => {
  test.each([
    ["viewer", reading],
    ["caller", talking],
    ["approver", deciding],
    ["operator", deciding],
    ["admin", [...ruling, ...writing]],
  ])("a %s is shown those of its role", async (role, expected) => {
    const { connect } = await start();
    expect(await (await connect(role)).listTools()).toEqual(expected);
  });

  test("nobody is shown those that write where the instance lets its gateway write nothing", async () => {
    const { connect } = await start({ management: "approve" });
    const admin = await connect("admin");
    expect(await admin.listTools()).toEqual(ruling);
    expect(await admin.call("agents_delete", { agent_id: "payroll" })).toMatchObject({
      isError: true,
      structuredContent: { error: { status: 403, message: expect.stringContaining("readWrite") } },
    });
  });

  test.each([
    ["viewer", "agents_prompt", { agent_id: "payroll", message: "hi" }, "caller"],
    ["caller", "agents_abort_run", { agent_id: "payroll", run_id: "x" }, "approver"],
    ["caller", "agents_abort_agent", { agent_id: "payroll" }, "approver"],
    ["caller", "agents_approve_request", { call_id: "x", decision: "deny_abort" }, "approver"],
    ["caller", "policy_propose", { policy: "x", rules: [], reason: "x" }, "approver"],
    ["caller", "policy_withdraw", { proposal_id: "x" }, "approver"],
    ["operator", "policy_reject_proposal", { proposal_id: "x" }, "admin"],
    ["operator", "policy_approve_proposal", { proposal_id: "x" }, "admin"],
    ["operator", "agents_set_policy", { agent_id: "payroll", policy: "x" }, "admin"],
    ["operator", "agents_create", { name: "new" }, "admin"],
    ["operator", "agents_update", { agent_id: "payroll", spec: {} }, "admin"],
    ["operator", "agents_delete", { agent_id: "payroll" }, "admin"],
    ["operator", "agents_attach_server", { agent_id: "payroll", server: "argos" }, "admin"],
    ["operator", "agents_detach_server", { agent_id: "tech-research", server: "argos" }, "admin"],
  ])("a %s who calls %s is refused, and hears which role is missing", async (role, tool, args, missing) => {
    const { connect, written } = await start();
    expect(await (await connect(role)).call(tool, args)).toMatchObject({
      isError: true,
      structuredContent: {
        error: { type: "forbidden", status: 403, message: expect.stringContaining(`the role ${missing}`) },
      },
    });
    expect(written).toEqual([]);
  });

  test("somebody without a role is shown none, and sees nothing", async () => {
    const { connect, admit } = await start();
    admit("nobody", person(undefined));
    const nobody = await connect("nobody");
    expect(await nobody.listTools()).toEqual([]);
    expect(await nobody.call("agents_list")).toMatchObject({ isError: true });
    await expect(nobody.read("resource://agents/list")).rejects.toMatchObject(notFound);
  });

  test("an agent finds none of people's, whatever it calls", async () => {
    const { connect, admit } = await start();
    admit("agent", { kind: "agent", subject: "agent payroll", agent: "payroll", name: "agent:payroll" });
    const agent = await connect("agent");
    expect(await agent.listTools()).toEqual([]);
    for (const tool of [...ruling, ...writing]) {
      await expect(agent.call(tool, { agent_id: "payroll" })).rejects.toMatchObject({ code: -32602 });
    }
  });
});

describe("MGM-2 resources of the management server", () => {
  const ofPeople = [
    "conversations",
    "ui/state",
    "approvals/pending",
    "approvals/history",
    "policy/state",
    "policy/proposals",
  ];
  const ofAgents = ["info", "state", "snapshot", "session/state", "mcp/state", ...ofPeople];

  test.each(ofAgents)("…/%s of an agent that is not there reads like one that is not for the caller", async (path) => {
    const { connect, admit } = await start();
    admit("narrow", person("admin", { agents: ["tech-*"] }));
    const narrow = await connect("narrow");
    for (const agent of ["payroll", "nowhere"]) {
      await expect(narrow.read(`resource://agents/${agent}/${path}`)).rejects.toMatchObject(notFound);
    }
    await expect(narrow.read(`resource://agents/tech-research/${path}`)).resolves.toBeDefined();
  });

  test("are narrowed to the agents and servers that the caller may see", async () => {
    const { connect, admit } = await start();
    admit("narrow", person("admin", { agents: ["pay*"], servers: [] }));
    const narrow = await connect("narrow");
    expect(await narrow.read("resource://agents/list")).toMatchObject([{ id: "payroll" }]);
    await expect(narrow.read("resource://compositor_meta/state/argos")).rejects.toMatchObject(notFound);
    admit("researcher", person("viewer", { agents: ["tech-research"], servers: [] }));
    const researcher = await connect("researcher");
    expect(await researcher.read("resource://agents/tech-research/info")).toMatchObject({ servers: [] });
    expect(await researcher.read("resource://agents/tech-research/mcp/state")).toEqual([]);
  });

  test("an agent sees its own and nothing else", async () => {
    const { connect, admit } = await start();
    admit("agent", { kind: "agent", subject: "agent payroll", agent: "payroll", name: "agent:payroll" });
    const agent = await connect("agent");
    expect(await agent.read("resource://agents/payroll/info")).toMatchObject({ id: "payroll" });
    const others = ["agents/tech-research/info", "agents/list", "container.info", "presets/list"];
    const policies = ["approval-policy/policy", "approval-policy/policy.py", "approval-policy/proposals"];
    const own = ofPeople.map((path) => `agents/payroll/${path}`);
    for (const other of [...others, ...policies, ...own, "approvals/pending", "compositor_meta/state/argos"]) {
      await expect(agent.read(`resource://${other}`)).rejects.toMatchObject(notFound);
    }
  });

  test.each([
    "resource://agents//info",
    "resource://agents/payroll",
    "resource://agents/payroll/info/",
    "resource://agents/payroll/info?x",
    "resource://agents/../payroll/info",
    "resource://agents/payroll/approvals/next",
    "resource://approvals/payroll-0123456789ab-0",
    "RESOURCE://agents/list",
    "resource://compositor_meta/state/nowhere",
    `resource://agents/${"x".repeat(3_000)}/info`,
  ])("a URI that names none of them is unknown: %s", async (uri) => {
    const { connect } = await start();
    await expect((await connect("admin")).read(uri)).rejects.toMatchObject(notFound);
  });
});
