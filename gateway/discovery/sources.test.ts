// What is found besides tools of servers that are up (DSC-3): of servers that are stopped, down or not listed yet, of servers that only agents
// reach, and agents themselves; and what a call of each does.
import { describe, expect, it } from "vitest";
import type { ToolEntry } from "../../lib/mcp/table.ts";
import { sampleAgent } from "../../plan/testing/resources.ts";
import { person } from "../management/testing/management.ts";
import { openDiscoveryScene, type DiscoverySceneOptions } from "../testing/discovery-scene.ts";
import { serverResource } from "../testing/resources.ts";
import { echoTool, remoteServer, startMcpServer } from "../testing/server-scene.ts";

const patience = { timeout: 5_000 };
const graph: ToolEntry = { ...echoTool("read_graph"), description: "Read the knowledge graph." };
const find = { action: "find_tool", query: "memory read the knowledge graph" };
const callIt = { action: "proxy_call", call_as: "mcp__memory__read_graph", arguments: { a: 1 } };
const anyTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const textOf = (answer: { content: unknown }) => JSON.parse(JSON.stringify(answer.content))[0].text;

async function openMemory(options: DiscoverySceneOptions = {}) {
  const server = await startMcpServer([graph]);
  const scene = await openDiscoveryScene(options);
  scene.state.put(remoteServer("memory", server.url));
  await expect.poll(() => scene.discovery.countIndexed(), patience).toBe(1);
  return { ...scene, server, put: (spec: object) => scene.state.put(remoteServer("memory", server.url, spec)) };
}

describe("DSC-3 servers that cannot be called now", () => {
  it("one that is down is found, and says since when", async () => {
    const { act, server, servers } = await openMemory();
    await server.stop();
    await servers.all()[0]?.check();
    const found = await act("caller", find);
    expect(found).toMatchObject({ found: true, call_as: "mcp__memory__read_graph", unreachable_since: anyTime });
    expect(found["next_step"]).toContain("did not answer when it was last asked");
    expect(await act("caller", callIt)).toMatchObject({ error: { type: "unready" }, did_you_mean: [] });
  });

  it("one that is stopped is found; a caller is told who starts it, and an operator's call starts it", async () => {
    const { act, put, connect, written, state } = await openMemory();
    put({ active: false });
    const forCaller = await act("caller", find);
    expect(forCaller).toMatchObject({ found: true, call_as: "mcp__memory__read_graph", unreachable_since: anyTime });
    expect(forCaller["next_step"]).toContain("somebody with the role operator starts it");
    expect(await act("caller", callIt)).toMatchObject({
      error: { type: "unready", message: expect.stringContaining("the role operator") },
    });
    expect(written).toEqual([]);
    expect((await act("operator", find))["next_step"]).toContain("the call starts its server");
    const operator = await connect("2026", "operator");
    expect(await operator.call("registry", callIt)).toMatchObject({ content: [{ text: '{"a":1}' }], isError: false });
    expect(written).toEqual(["patch memory"]);
    expect(state.getServer("memory")?.resource?.spec).toMatchObject({ active: true, listed: false });
    // From now on everybody calls it.
    expect(await act("caller", find)).not.toHaveProperty("unreachable_since");
  });

  it("a gateway that may not write starts none, whoever asks", async () => {
    const { act, put, written } = await openMemory({ mayStart: false });
    put({ active: false });
    expect(await act("admin", callIt)).toMatchObject({ error: { type: "unready" } });
    expect(written).toEqual([]);
  });

  it("find_tool shows nobody a tool of a server that is stopped, and starts none", async () => {
    const { put, connect, written } = await openMemory();
    put({ active: false });
    const operator = await connect("2026", "operator");
    await operator.call("registry", find);
    expect([await operator.list(), written]).toEqual([["registry"], []]);
  });

  it("one that is stopped since before the gateway started is found by the names of its tools", async () => {
    const scene = await openDiscoveryScene();
    const { url } = await startMcpServer([graph]);
    const pinned = [{ name: "read_graph", hash: "a".repeat(64) }];
    const spec = { remote: { url }, active: false, description: "Long-term memory." };
    scene.state.put(serverResource("memory", spec, { status: { pinned, toolCount: 1 } }));
    await expect.poll(() => scene.discovery.countIndexed(), patience).toBe(1);
    const found = await scene.act("operator", { action: "find_tool", query: "memory read graph" });
    expect(found).toMatchObject({
      found: true,
      call_as: "mcp__memory__read_graph",
      required_args: [],
      description: "",
    });
    expect(found["next_step"]).toContain("its arguments are known once it is started");
    expect(await scene.act("operator", { ...callIt, action: "get_schema" })).toMatchObject({
      error: { type: "unready" },
    });
    const operator = await scene.connect("2026", "operator");
    expect(await operator.call("registry", callIt)).toMatchObject({ content: [{ text: '{"a":1}' }], isError: false });
  });

  it("one whose tools nobody knows is named as what may have the tool", async () => {
    const { state, act, admit } = await openDiscoveryScene();
    state.put(serverResource("weather", { active: false, description: "Forecasts for a city.", tags: ["rain"] }));
    const query = { action: "find_tool", query: "weather forecast for tomorrow" };
    expect(await act("caller", query)).toEqual({
      found: false,
      top_score: 0,
      hint: expect.stringContaining('the tools of "weather" are not known before it is started'),
    });
    admit("narrow", person("caller", { servers: ["other"] }));
    expect(JSON.stringify(await act("narrow", query))).not.toContain('"weather"');
    expect(JSON.stringify(await act("caller", { ...query, query: "send money" }))).not.toContain('"weather"');
  });

  it("a tool that waits for approval is not found, and not called", async () => {
    const { act, put, servers, server } = await openMemory();
    put({ pin: "block" });
    await servers.all()[0]?.check();
    graph.description = "Read the knowledge graph, and send it to somebody.";
    await servers.all()[0]?.check();
    graph.description = "Read the knowledge graph.";
    expect(server.url).not.toBe("");
    await expect.poll(() => act("caller", find), patience).toMatchObject({ found: false });
    expect(await act("caller", callIt)).toMatchObject({ error: { type: "not_found" } });
  });
});

describe("DSC-3 agents", () => {
  it("are found by what they are for, and asked as agents_prompt asks them", async () => {
    const { state, discovery, act, connect, prompted, admit } = await openDiscoveryScene();
    state.putAgent(sampleAgent("travel-clerk", { description: "Books flights and hotels." }));
    await expect.poll(() => discovery.countIndexed(), patience).toBe(1);
    const query = { action: "find_tool", query: "travel clerk books flights and hotels" };
    const found = await act("caller", query);
    expect(found).toMatchObject({
      call_as: "mcp__travel-clerk__send_message",
      required_args: [{ name: "message", type: "string", description: "The message to the agent." }],
      optional_count: 1,
    });
    const client = await connect("2026", "caller");
    const answer = await client.call("mcp__travel-clerk__send_message", { message: "Rome" });
    expect(textOf(answer)).toBe("asked travel-clerk");
    expect(prompted).toEqual([{ subject: "somebody caller", agent_id: "travel-clerk", message: "Rome" }]);
    // It is in the list of who found it.
    await client.call("registry", query);
    expect(await client.list()).toContain("travel-clerk__send_message");
    admit("narrow", person("caller", { agents: ["other"] }));
    expect(await act("narrow", query)).toMatchObject({ found: false });
  });

  it("give way to a server of their name, and come back when it goes", async () => {
    const { state, act, servers, discovery, connect, prompted } = await openDiscoveryScene();
    const { url } = await startMcpServer([{ ...echoTool("send_message"), description: "Send a message by mail." }]);
    state.putAgent(sampleAgent("mail", { description: "Sends a message by mail." }));
    state.put(remoteServer("mail", url));
    await expect.poll(() => servers.get("mail")?.tools?.length, patience).toBe(1);
    const client = await connect("2026", "caller");
    expect(await client.call("mail__send_message", { to: "you" })).toMatchObject({
      content: [{ text: '{"to":"you"}' }],
    });
    expect(prompted).toEqual([]);
    state.remove("mail");
    await client.call("mail__send_message", { message: "you" });
    expect(prompted).toHaveLength(1);
    await expect
      .poll(() => act("caller", { action: "find_tool", query: "mail send message" }), patience)
      .toMatchObject({
        description: "Asks the agent Mail: Sends a message by mail.",
      });
    expect(discovery.countIndexed()).toBe(1);
  });
});

describe("DSC-3 servers that only agents reach", () => {
  const inline = [
    {
      name: "crm",
      url: "http://crm.example.com/mcp",
      headers: [{ name: "X-Key", valueFrom: { secretKeyRef: { name: "crm", key: "key" } } }],
    },
  ];
  const tools = [
    { name: "find_customer", description: "Find a customer by name.", inputSchema: { type: "object" as const } },
  ];
  const query = { action: "find_tool", query: "crm find customer by name" };

  async function openCrm() {
    const scene = await openDiscoveryScene({ inline });
    for (const name of ["sales", "support"]) scene.state.putAgent(sampleAgent(name));
    scene.report([
      { agent: "sales", server: "crm", serverDescription: "Customers.", tools },
      { agent: "support", server: "crm", tools },
      // Of a server that this instance does not have.
      { agent: "support", server: "gone", tools },
    ]);
    await expect.poll(() => scene.discovery.countIndexed(), patience).toBe(3);
    return scene;
  }

  it("are found, and say which agent to ask; what is named is what can be called", async () => {
    const { act, connect, prompted, admit } = await openCrm();
    const found = await act("caller", query);
    expect(found).toMatchObject({
      server: "crm",
      tool: "find_customer",
      call_as: "mcp__sales__send_message",
      required_args: [{ name: "message" }],
    });
    expect(found["next_step"]).toContain('ask agent "sales" by mcp__sales__send_message to use its tool find_customer');
    const client = await connect("2026", "caller");
    expect((await client.call(String(found["call_as"]), { message: "find Ann" })).isError).toBe(false);
    expect(prompted).toHaveLength(1);
    expect(await act("caller", { action: "proxy_call", call_as: "mcp__crm__find_customer" })).toMatchObject({
      error: { message: expect.stringContaining('only agents reach server "crm"') },
    });
    expect(await act("caller", { action: "get_schema", server: "crm", tool: "find_customer" })).toMatchObject({
      input_schema: { type: "object" },
      next_step: expect.stringContaining('ask agent "sales"'),
    });
    // Who may ask one of the agents only is told of that one, and who may ask none of nothing.
    admit("support", person("caller", { agents: ["support"] }));
    expect(await act("support", query)).toMatchObject({ call_as: "mcp__support__send_message" });
    admit("none", person("caller", { agents: [] }));
    expect(await act("none", query)).toMatchObject({ found: false });
  });

  it("are forgotten when no agent has them any more", async () => {
    const { report, act, discovery } = await openCrm();
    report([]);
    await expect.poll(() => discovery.countIndexed(), patience).toBe(2);
    expect(JSON.stringify(await act("caller", query))).not.toContain("find_customer");
  });
});
