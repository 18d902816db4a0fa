// The built gateway with an endpoint of embeddings: its key from a mounted file, what counts, what its metrics and log say, and that a search
// is answered when the endpoint is gone.
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { connect2026 } from "../../gateway/testing/tool-clients.ts";
import { startEmbeddingsServer, type EmbeddingsServer } from "../models/embeddings-server.ts";
import { personAs, startStateFileGateway, type StateFileGateway } from "./state-file-gateway.ts";

const key = "sk-very-secret-0123456789";
const patience = { timeout: 30_000, interval: 100 };
let endpoint: EmbeddingsServer;
let gateway: StateFileGateway;

beforeAll(async () => {
  endpoint = await startEmbeddingsServer({ width: 384 });
  gateway = await startStateFileGateway({
    agents: ["weather", "travel", "billing"].map((name) => ({
      name,
      spec: { description: `Knows all about ${name}.` },
    })),
    tokens: { "an-operator": personAs("operator"), "a-caller": personAs("caller") },
    agentsToken: "of-the-gateway",
    embeddings: {
      ...{ kind: "openai", baseUrl: endpoint.url, model: "m" },
      ...{ apiKey: { name: "models", key: "embeddings" }, keyText: `${key}\n` },
    },
  });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await endpoint?.close();
});

async function act(token: string, args: Record<string, unknown>) {
  const client = await connect2026(`${gateway.url}/registry/mcp`, { authorization: `Bearer ${token}` });
  onTestFinished(() => client.close());
  return (await client.call("registry", args)).structuredContent;
}
const find = (query: string) => act("a-caller", { action: "find_tool", query });
const metrics = async () => (await fetch(`${gateway.adminUrl}/metrics`)).text();

test("DSC-3 an endpoint counts once it has seen all tools, and nothing waits for it when it is gone", async () => {
  const embeddings = { provider: "openai", model: "m", tools: 3, embedded: 3, degraded: false };
  await vi.waitFor(
    async () => expect(await act("an-operator", { action: "status" })).toMatchObject({ embeddings }),
    patience,
  );
  await vi.waitFor(
    async () => expect(await find("send a message to weather")).not.toHaveProperty("degraded"),
    patience,
  );
  expect(await find("send a message to billing")).toMatchObject({ found: true, call_as: "mcp__billing__send_message" });
  expect(new Set(endpoint.requests.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${key}`]));
  expect(await metrics()).toMatch(/^pallas_gateway_embeddings_tools\{state="embedded"\} 3$/m);

  await endpoint.close();
  for (const about of ["travel", "weather", "billing", "travel plans"]) {
    const answer = await find(`send a message to ${about} agent`);
    expect(answer).toMatchObject({ found: true, degraded: true });
  }
  const shown = await metrics();
  expect(shown).toMatch(/^pallas_gateway_embeddings_failing 1$/m);
  expect(shown).toMatch(/^pallas_gateway_embeddings_requests_total\{purpose="query",outcome="error"\} 3$/m);
  expect(gateway.lines.filter(({ level }) => level === "WARNING").map(({ message }) => message)).toEqual([
    "embeddings fail, tools are searched without them",
  ]);
  expect(JSON.stringify([gateway.lines, shown])).not.toContain(key);
});
