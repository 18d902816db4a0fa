// A person's conversations through the gateway, in front of a real agent: listed, followed, and nobody else's.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createTestGateway } from "../../agent-runtime/testing/gateway.ts";
import { createScriptedModels } from "../../agent-runtime/testing/scripted-models.ts";
import { startAgent } from "../../agent-runtime/testing/servers.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import { startManagement } from "../../gateway/management/testing/management.ts";
import { resourceClients } from "../../lib/mcp/resource-clients.fixture.ts";
import { sampleAgent } from "../../plan/testing/resources.ts";

const agentName = "tech-research";
const at = (path: string) => `resource://agents/${agentName}/${path}`;
const prompt = (message: string, more: object = {}) => ({ agent_id: agentName, message, ...more });

async function start(scope: RunConfig["scope"] = "connection") {
  const { readLive, sign } = await createTestGateway();
  const held: (() => void)[] = [];
  const models = createScriptedModels([
    async ({ messages }) => {
      if (JSON.stringify(messages.at(-1)).includes("wait")) await new Promise<void>((resolve) => held.push(resolve));
      return { text: "yes" };
    },
  ]);
  const agent = await startAgent({ gateway: true, scope }, { readLive, models });
  onTestFinished(() => agent.stop());
  const management = await startManagement({ agents: [sampleAgent(agentName, { scope })], readAgentsToken: sign });
  onTestFinished(() => management.stop());
  management.state.setEndpoint(agentName, { mcpUrl: agent.mcpUrl, adminUrl: agent.adminUrl });
  return { ...management, agent, release: () => held.splice(0).forEach((resolve) => resolve()) };
}

describe("MGM-2 conversations", () => {
  test("are those of who asks, the newest first, and go on by their ids", async () => {
    const { connect } = await start();
    const [ann, bob] = [await connect("caller"), await connect("admin")];
    expect(await ann.read(at("conversations"))).toEqual({
      agent_id: agentName,
      scope: "connection",
      conversations: [],
    });
    await ann.call("agents_prompt", prompt("the first"));
    await ann.call("agents_prompt", prompt("the second"));
    await bob.call("agents_prompt", prompt("a secret"));
    const read = async (): Promise<unknown[]> => {
      const { conversations } = Object(await ann.read(at("conversations")));
      return conversations;
    };
    const [second, first] = await read();
    const form = { session_id: expect.any(String), begun_at: expect.any(String), last_at: expect.any(String) };
    expect(second).toEqual({ ...form, title: "the second", turns: 1, answering: false });
    await ann.call("agents_prompt", prompt("go on", { session_id: Reflect.get(Object(first), "session_id") }));
    expect(await read()).toMatchObject([{ title: "the first", turns: 2 }, second]);
    expect(await ann.read(at("ui/state"))).toMatchObject({
      session_id: Reflect.get(Object(first), "session_id"),
      messages: [{ content: { text: "the first" } }, {}, { content: { text: "go on" } }, {}],
    });
    expect(JSON.stringify(await ann.read(at("conversations")))).not.toContain("secret");
  });

  test("of the scope shared are one that callers read, and none to who may only look on", async () => {
    const { connect } = await start("shared");
    const [caller, viewer] = [await connect("caller"), await connect("viewer")];
    await caller.call("agents_prompt", prompt("for all"));
    const shared = { session_id: null, shared: true, title: "for all", turns: 1 };
    const others = await connect("operator");
    expect(await others.read(at("conversations"))).toMatchObject({ scope: "shared", conversations: [shared] });
    expect(await others.read(at("ui/state"))).toMatchObject({ session_id: null, messages: [{}, {}] });
    expect(await viewer.read(at("conversations"))).toMatchObject({ scope: "shared", conversations: [] });
    expect(await viewer.read(at("ui/state"))).toMatchObject({ messages: [] });
  });

  test("of an agent that cannot be asked say why", async () => {
    const { connect, agent } = await start();
    await agent.stop();
    expect(await (await connect("caller")).read(at("conversations"))).toEqual({
      agent_id: agentName,
      scope: "connection",
      conversations: [],
      message: expect.stringMatching(/refused|fetch failed|connect/i),
    });
  });
});

describe.each(resourceClients)("MGM-2 subscribing to one's conversations, with $name", (kind) => {
  test("tells of one's own calls when they begin and end, and of nobody else's", async () => {
    const { url, connect, release } = await start();
    const [ann, bob] = [await kind.connect(url, "caller"), await kind.connect(url, "admin")];
    for (const client of [ann, bob]) {
      onTestFinished(() => client.close());
      await client.subscribe([at("conversations")]);
    }
    const talking = (await connect("caller")).call("agents_prompt", prompt("wait for it"));
    const read = async () => JSON.parse(await ann.read(at("conversations")));
    await vi.waitFor(() => expect(ann.heard).toContain(at("conversations")), 10_000);
    expect(await read()).toMatchObject({ conversations: [{ title: "wait for it", answering: true }] });
    ann.heard.length = 0;
    release();
    await talking;
    await vi.waitFor(() => expect(ann.heard).toContain(at("conversations")), 10_000);
    expect(await read()).toMatchObject({ conversations: [{ answering: false }] });
    expect(bob.heard).toEqual([]);
  });
});
