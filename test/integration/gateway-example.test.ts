// An agent's state followed through the gateway as it is built, by clients that others wrote: subscribe, an agent starts to work,
// be notified, read again, unsubscribe, and hear nothing more.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createTestGateway } from "../../agent-runtime/testing/gateway.ts";
import { createScriptedModels, waitForAbort } from "../../agent-runtime/testing/scripted-models.ts";
import { startAgent, type TestAgent } from "../../agent-runtime/testing/servers.ts";
import { resourceClients } from "../../lib/mcp/resource-clients.fixture.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { pythonSubscribers, startPythonSubscriber } from "../python/subscriber.ts";
import { personAs, startStateFileGateway, type StateFileGateway } from "./state-file-gateway.ts";

const name = "tech-research";
const state = `resource://agents/${name}/state`;
const patience = { timeout: 30_000, interval: 50 };
const python = await findPython();

/** What the example needs of a client. */
interface Follower {
  read(): Promise<string>;
  subscribe(): Promise<void>;
  unsubscribe(): Promise<void>;
  countHeard(): number;
}

async function openSdk(kind: (typeof resourceClients)[number], url: string): Promise<Follower> {
  const client = await kind.connect(url, "", "a-viewer");
  onTestFinished(() => client.close());
  return {
    read: () => client.read(state),
    subscribe: () => client.subscribe([state]),
    unsubscribe: () => client.unsubscribe(state),
    countHeard: () => client.heard.filter((uri) => uri === state).length,
  };
}

const bySdk = resourceClients.map((kind) => ({
  name: kind.name,
  isLeftOut: false,
  connect: (url: string) => openSdk(kind, url),
}));

const byPython = pythonSubscribers.map(({ name: client, version, args }) => ({
  name: client,
  isLeftOut: python === undefined,
  async connect(url: string): Promise<Follower> {
    if (python === undefined) throw new Error("expected a Python, found none");
    const interpreter = await openEnvironment(python, version);
    const subscriber = await startPythonSubscriber(interpreter, [...args, "--token", "a-viewer"], url);
    onTestFinished(() => subscriber.stop());
    const act = async (verb: "subscribe" | "unsubscribe") => expect(await subscriber.act(verb, state)).toBe("");
    return {
      read: () => subscriber.act("read", state),
      subscribe: () => act("subscribe"),
      unsubscribe: () => act("unsubscribe"),
      countHeard: () => subscriber.updates().filter((uri) => uri === state).length,
    };
  },
}));

describe("MGM-2 an agent's state through the built gateway", () => {
  let agent: TestAgent;
  let gateway: StateFileGateway;
  let approver: Client;

  beforeAll(async () => {
    const { readLive, sign } = await createTestGateway();
    agent = await startAgent({ gateway: true }, { readLive, models: createScriptedModels([waitForAbort]) });
    gateway = await startStateFileGateway({
      agents: [{ name, endpoint: { mcpUrl: agent.mcpUrl, adminUrl: agent.adminUrl } }],
      tokens: { "a-viewer": personAs("viewer"), "an-approver": personAs("approver") },
      agentsToken: await sign(),
    });
    approver = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: "Bearer an-approver" } };
    await approver.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
  });
  afterAll(async () => {
    await approver?.close();
    await gateway?.[Symbol.asyncDispose]();
    await agent?.stop();
  });

  const call = (tool: string, more: object = {}) =>
    approver.callTool({ name: tool, arguments: { agent_id: name, ...more } }, { timeout: 120_000 });
  const stateOf = async (follower: Follower): Promise<unknown> => JSON.parse(await follower.read());

  test.each([...bySdk, ...byPython])(
    "$name subscribes, hears that the agent works, reads again, and hears nothing more once it has unsubscribed",
    { timeout: 900_000 },
    async ({ connect, isLeftOut }) => {
      if (isLeftOut) return;
      const url = `${gateway.url}/mcp`;
      // Subscribed all the time: what it has heard of, the gateway has said.
      const witness = await openSdk(resourceClients[0], url);
      await witness.subscribe();
      const follower = await connect(url);
      // While somebody subscribes, a read says what the gateway asked last.
      await vi.waitFor(async () => expect(await stateOf(follower)).toMatchObject({ state: "idle" }), patience);
      await follower.subscribe();

      const before = follower.countHeard();
      const working = call("agents_prompt", { message: "think" });
      await vi.waitFor(() => expect(follower.countHeard()).toBeGreaterThan(before), patience);
      expect(await stateOf(follower)).toMatchObject({ state: "running" });

      const atWork = [follower.countHeard(), witness.countHeard()] as const;
      expect(await call("agents_abort_agent")).toMatchObject({ structuredContent: { aborted: 1 } });
      await working;
      await vi.waitFor(() => expect(follower.countHeard()).toBeGreaterThan(atWork[0]), patience);
      await vi.waitFor(() => expect(witness.countHeard()).toBeGreaterThan(atWork[1]), patience);
      expect(await stateOf(follower)).toMatchObject({ state: "idle" });

      await follower.unsubscribe();
      const [heard, witnessed] = [follower.countHeard(), witness.countHeard()];
      const again = call("agents_prompt", { message: "think again" });
      await vi.waitFor(() => expect(witness.countHeard()).toBeGreaterThan(witnessed), patience);
      await call("agents_abort_agent");
      await again;
      // It was asked after the witness had heard: what was on its way has come.
      expect(await stateOf(follower)).toMatchObject({ state: expect.stringMatching(/idle|running/) });
      expect(follower.countHeard()).toBe(heard);
    },
  );
});
