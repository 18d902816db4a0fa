// The management server in front of real agents: their state by subscription, prompts, aborts, and how their servers stand.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { createTestGateway } from "../../agent-runtime/testing/gateway.ts";
import { createScriptedModels, waitForAbort } from "../../agent-runtime/testing/scripted-models.ts";
import { startAgent, startToolServer, textResult, type TestAgent } from "../../agent-runtime/testing/servers.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { AgentSpec } from "../../crds/agent.ts";
import type { Models } from "../../agent-runtime/model/models.ts";
import {
  person,
  startManagement,
  type TestManagement,
  type TestManagementOptions,
} from "../../gateway/management/testing/management.ts";
import { renderCaller } from "../../lib/auth/gateway-caller.ts";
import { resourceClients } from "../../lib/mcp/resource-clients.fixture.ts";
import { sampleAgent, sampleInstance } from "../../plan/testing/resources.ts";

const agentName = "tech-research";

interface Started extends TestManagement {
  agent: TestAgent;
}

interface Options extends TestManagementOptions {
  config?: Partial<RunConfig>;
  spec?: Partial<AgentSpec>;
  models?: Models;
}

/** One agent, and the management server that knows it. */
async function start({ config, spec = {}, models, ...options }: Options = {}): Promise<Started> {
  const { readLive, sign } = await createTestGateway();
  const agent = await startAgent({ gateway: true, ...config }, { readLive, ...(models && { models }) });
  onTestFinished(() => agent.stop());
  const management = await startManagement({
    agents: [sampleAgent(agentName, spec)],
    readAgentsToken: sign,
    ...options,
  });
  onTestFinished(() => management.stop());
  management.state.setEndpoint(agentName, { mcpUrl: agent.mcpUrl, adminUrl: agent.adminUrl });
  return { ...management, agent };
}

const prompt = (message: string, more: object = {}) => ({ agent_id: agentName, message, ...more });
const stateSchema = z.object({ runs: z.array(z.object({ run_id: z.string() })) });
const answerSchema = z.object({
  content: z.array(z.object({ text: z.string() })),
  _meta: z.object({ "ca.helu.pallas/session_id": z.string() }),
});
const textOf = (result: unknown): string => JSON.stringify(Reflect.get(Object(result), "content"));
const at = (path: string) => `resource://agents/${agentName}/${path}`;

describe.each(resourceClients)("MGM-2 the example of an agent's state, with $name", (kind) => {
  test("subscribe, be notified when it changes, read it again", async () => {
    const { url, connect } = await start({ models: createScriptedModels([waitForAbort]) });
    const caller = await connect("admin");
    const viewer = await kind.connect(url, "viewer");
    onTestFinished(() => viewer.close());
    const read = async (): Promise<unknown> => JSON.parse(await viewer.read(at("state")));
    expect((await viewer.listResources()).resources.map(({ uri }) => uri)).toContain(at("state"));
    expect(await read()).toMatchObject({ agent_id: agentName, state: "idle", runs: [] });

    await viewer.subscribe([at("state")]);
    const answer = caller.call("agents_prompt", prompt("think"));
    await vi.waitFor(() => expect(viewer.heard).toContain(at("state")), 10_000);
    expect(await read()).toMatchObject({ state: "running", runs: [{ run_id: expect.any(String), steps: 1 }] });

    viewer.heard.length = 0;
    expect(await caller.call("agents_abort_agent", { agent_id: agentName })).toMatchObject({
      structuredContent: { aborted: 1 },
    });
    await answer;
    await vi.waitFor(() => expect(viewer.heard).toContain(at("state")), 10_000);
    expect(await read()).toMatchObject({ state: "idle" });
  });

  test("one that may not be read is not subscribed to, and one that went is heard of once", async () => {
    const { url, state, admit } = await start();
    admit("narrow", person("viewer", { agents: ["tech-*"] }));
    state.put(sampleAgent("payroll"));
    const client = await kind.connect(url, "narrow");
    onTestFinished(() => client.close());
    await expect(client.subscribe(["resource://agents/payroll/info"])).rejects.toThrow(/not found|not acknowledged/);
    await client.subscribe([at("info"), "resource://agents/list"]);
    state.put(sampleAgent("payroll", { title: "Other" }));
    state.put(sampleAgent(agentName, { title: "Other" }));
    await vi.waitFor(() =>
      expect(client.heard).toEqual(expect.arrayContaining([at("info"), "resource://agents/list"])),
    );
    expect(client.heard.join()).not.toContain("payroll");
    state.remove(agentName);
    await vi.waitFor(() => expect(client.heard.filter((uri) => uri === at("info"))).toHaveLength(2));
    await expect(client.read(at("info"))).rejects.toMatchObject({ code: kind.notFoundCode });
    expect(await client.listTemplates()).toMatchObject({
      resourceTemplates: expect.arrayContaining([
        expect.objectContaining({ uriTemplate: "resource://agents/{agent_id}/state" }),
      ]),
    });
  });
});

describe("MGM-3 agents_prompt", () => {
  test("passes on the message, the agent's progress and its answer", async () => {
    const { connect } = await start();
    const progress: string[] = [];
    const caller = await connect("caller");
    const answer = await caller.call("agents_prompt", prompt("hello"), {
      onProgress: ({ message = "" }) => void progress.push(message),
    });
    expect(textOf(answer)).toContain("hello");
    expect(progress.join("\n")).toContain("tech_research");
  });

  test("begins a conversation with each message that names none, and goes on with one that is named", async () => {
    const { connect } = await start({
      models: createScriptedModels([({ messages }) => ({ text: `${messages.length}` })]),
    });
    const caller = await connect("caller");
    const talk = async (more: object = {}) => {
      const answer = await caller.call("agents_prompt", prompt("hello", more));
      const { content, _meta } = answerSchema.parse(answer);
      return { messages: content[0]?.text, id: _meta["ca.helu.pallas/session_id"] };
    };
    const first = await talk();
    expect(first.messages).toBe("1");
    expect((await talk()).messages).toBe("1");
    expect((await talk({ session_id: first.id })).messages).toBe("3");
  });

  test.each(["request", "shared"] as const)("names no conversation to an agent of the scope %s", async (scope) => {
    const { connect } = await start({ config: { scope }, spec: { scope } });
    const answer = await (await connect("caller")).call("agents_prompt", prompt("hello"));
    expect(textOf(answer)).toContain("hello");
    expect(answer).not.toMatchObject({ isError: true });
  });

  test.each([
    ["connection", { session_id: "new" }],
    ["request", {}],
    ["shared", {}],
  ] as const)(
    "of an agent of the scope %s leaves no conversation to the link, which people share",
    async (scope, told) => {
      const server = await startToolServer({ send_message: () => textResult("done") }, { only2025: true });
      onTestFinished(() => server.stop());
      const management = await startManagement({ agents: [sampleAgent(agentName, { scope })] });
      onTestFinished(() => management.stop());
      management.state.setEndpoint(agentName, { mcpUrl: server.url, adminUrl: server.url });
      await (await management.connect("caller")).call("agents_prompt", prompt("hi"));
      expect(server.seen.map(({ args }) => args)).toEqual([{ message: "hi", ...told }]);
    },
  );

  test("that its caller cancels is cancelled at the agent", async () => {
    const models = createScriptedModels([waitForAbort]);
    const { connect } = await start({ models });
    const caller = await connect("caller");
    const cancelling = new AbortController();
    const answer = caller.call("agents_prompt", prompt("hello"), { signal: cancelling.signal });
    await vi.waitFor(() => expect(models.requests).toHaveLength(1));
    cancelling.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    await vi.waitFor(() => expect(models.requests[0]?.signal.aborted).toBe(true));
  });

  test.each([
    ["an agent that is not there", "nowhere", "not_found", "not there, or not for you"],
    ["an agent without an endpoint", "asleep", "unready", "not ready"],
    ["an agent that is down", "down", "unready", "did not answer"],
  ])("says of %s what is the matter", async (_what, agent_id, type, message) => {
    const { connect, state } = await start();
    state.put(sampleAgent("asleep"));
    state.put(sampleAgent("down"));
    state.setEndpoint("down", { mcpUrl: "http://127.0.0.1:1/mcp", adminUrl: "http://127.0.0.1:1" });
    expect(await (await connect("caller")).call("agents_prompt", { agent_id, message: "hi" })).toMatchObject({
      isError: true,
      structuredContent: { error: { type, message: expect.stringContaining(message) } },
    });
  });

  test("has at most so many calls of one person under way, and others have theirs", async () => {
    const models = createScriptedModels([waitForAbort]);
    const { connect } = await start({ models });
    const [caller, admin] = [await connect("caller"), await connect("admin")];
    const running = Array.from({ length: 16 }, () => caller.call("agents_prompt", prompt("hi")));
    await vi.waitFor(() => expect(models.requests).toHaveLength(16));
    expect(await caller.call("agents_prompt", prompt("one more"))).toMatchObject({
      structuredContent: { error: { type: "busy" } },
    });
    running.push(admin.call("agents_prompt", prompt("hi")));
    await vi.waitFor(() => expect(models.requests).toHaveLength(17));
    await admin.call("agents_abort_agent", { agent_id: agentName });
    await Promise.all(running);
    const again = caller.call("agents_prompt", prompt("again"));
    await vi.waitFor(() => expect(models.requests).toHaveLength(18));
    await admin.call("agents_abort_agent", { agent_id: agentName });
    await again;
  });
});

describe("BRR-2 whom an agent hears of at a call of agents_prompt", () => {
  test("the caller, by the token that came as far as this, and by a hash that is nobody else's", async () => {
    const server = await startToolServer({ send_message: () => textResult("done") });
    onTestFinished(() => server.stop());
    const management = await startManagement({ agents: [sampleAgent(agentName)], instance: sampleInstance({}) });
    onTestFinished(() => management.stop());
    management.state.setEndpoint(agentName, { mcpUrl: server.url, adminUrl: server.url });
    for (const role of ["caller", "admin"]) {
      await (await management.connect(role, "of-the-issuer")).call("agents_prompt", prompt("hi"));
      await (await management.connect(role)).call("agents_prompt", prompt("hi"));
    }
    expect(new Set(server.authorizations)).toEqual(new Set(["Bearer of-the-issuer", null]));
    expect(new Set(server.callers)).toEqual(new Set([renderCaller("person caller"), renderCaller("person admin")]));
  });
});

describe("MGM-3 calls that are aborted", () => {
  test("one by its id, which the agent's state names; whoever made it hears that it was aborted", async () => {
    const { connect } = await start({ models: createScriptedModels([waitForAbort]) });
    const [caller, approver] = [await connect("caller"), await connect("approver")];
    const answer = caller.call("agents_prompt", prompt("think"));
    const state = async () => stateSchema.parse(await approver.read(at("state")));
    await vi.waitFor(async () => expect((await state()).runs).toHaveLength(1));
    const { runs } = await state();
    const abort = { agent_id: agentName, run_id: runs[0]?.run_id };
    expect(await approver.call("agents_abort_run", abort)).toMatchObject({ structuredContent: { aborted: 1 } });
    expect(await answer).toMatchObject({ isError: true });
    expect(textOf(await answer)).toContain("aborted by somebody who operates this agent");
    expect(await approver.call("agents_abort_run", abort)).toMatchObject({
      structuredContent: { error: { type: "not_found", message: expect.stringContaining("may have ended") } },
    });
  });

  test("are not, by a gateway whose token the agent does not take", async () => {
    const { connect } = await start({ readAgentsToken: async () => "stolen" });
    const approver = await connect("approver");
    expect(await approver.call("agents_abort_agent", { agent_id: agentName })).toMatchObject({
      structuredContent: { error: { type: "unready", message: expect.stringContaining("401") } },
    });
    expect(await approver.read(at("state"))).toMatchObject({
      state: "unknown",
      message: expect.stringContaining("401"),
    });
  });
});

describe("MGM-2 resources of an agent", () => {
  test("ui/state is the conversation of who asks, and nobody else's", async () => {
    const { connect } = await start();
    const [one, other] = [await connect("caller"), await connect("admin")];
    expect(await one.read(at("ui/state"))).toEqual({ agent_id: agentName, session_id: null, messages: [] });
    await one.call("agents_prompt", prompt("my secret"));
    expect(await one.read(at("ui/state"))).toMatchObject({
      session_id: expect.any(String),
      messages: [{ role: "user", content: { type: "text", text: "my secret" } }, { role: "assistant" }],
    });
    expect(await other.read(at("ui/state"))).toMatchObject({ session_id: null, messages: [] });
  });

  test("mcp/state and compositor_meta say how each server stands", async () => {
    const argos = await startToolServer({ read: () => textResult("x") });
    onTestFinished(() => argos.stop());
    const down = "http://127.0.0.1:1/mcp";
    const servers = [renderTestServer("argos", argos.url), renderTestServer("hermes", down)];
    const urls = { argos: argos.url, hermes: down, idle: down };
    const { connect, state } = await start({
      config: { servers },
      spec: { servers: [{ name: "argos", tools: { deny: ["x"] } }, { name: "hermes" }] },
      instance: sampleInstance({ servers: Object.entries(urls).map(([name, url]) => ({ name, url })) }),
    });
    state.put(sampleAgent("asleep", { servers: [{ name: "argos" }] }));
    const viewer = await connect("viewer");
    expect(await viewer.read(at("mcp/state"))).toMatchObject([
      { server: "argos", kind: "server", state: "running", tools: { deny: ["x"] } },
      { server: "hermes", kind: "server", state: "failed", detail: expect.any(String) },
    ]);
    const mount = (server: string) => viewer.read(`resource://compositor_meta/state/${server}`);
    expect(await mount("hermes")).toMatchObject({
      state: "failed",
      mounts: [{ agent_id: agentName, state: "failed" }],
    });
    expect(await mount("idle")).toEqual({ server: "idle", state: "initializing", mounts: [] });
    expect(await mount("argos")).toMatchObject({
      mounts: [
        { agent_id: "asleep", state: "failed" },
        { agent_id: agentName, state: "running" },
      ],
    });
  });

  test("snapshot says what all others say; an agent without pods is suspended", async () => {
    const { connect, state } = await start();
    const viewer = await connect("viewer");
    expect(await viewer.read(at("snapshot"))).toMatchObject({
      info: { id: agentName, instance: "ouranos", namespace: "default", scope: "connection", model: "passthrough" },
      state: { state: "idle" },
      session: { status: "disconnected" },
      runs: [],
      mcp: [],
    });
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const ready = { type: "Ready", status: "True" as const, reason: "Ready", message: "serves", lastTransitionTime };
    state.put({ ...sampleAgent(agentName), status: { conditions: [ready], readyReplicas: 1, replicas: 1 } });
    expect(await viewer.read(at("session/state"))).toMatchObject({ status: "connected", ready_replicas: 1 });
    state.put(sampleAgent(agentName, { replicas: 0 }));
    expect(await viewer.read(at("state"))).toMatchObject({ state: "suspended" });
    expect(await viewer.read(at("session/state"))).toMatchObject({ status: "suspended" });
  });

  test("container.info says what the server runs on", async () => {
    const { connect } = await start();
    expect(await (await connect("viewer")).read("resource://container.info")).toMatchObject({
      version: "1.2.3",
      instance: "ouranos",
      management: "readWrite",
      node: process.versions.node,
    });
  });
});
