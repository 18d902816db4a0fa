// The agent as it is built, where every host it is told of leads to a metadata address: that is never connected to, be it for
// models, telemetry, servers, other agents, the keys of tokens, or as a proxy (SEC-5).
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ask } from "../../agent-runtime/testing/client.ts";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "../../agent-runtime/testing/run-config.ts";
import type { RunConfig } from "../../crds/run-config.ts";

const program = join(import.meta.dirname, "../../dist/agent-runtime.js");
const trap = join(import.meta.dirname, "refused-connections/trap.mjs");

let agent: AgentProcess | undefined;
afterEach(() => agent?.stop());

async function start(changes: Partial<RunConfig>, env: Record<string, string> = {}): Promise<AgentProcess> {
  agent = await startAgentProcess(renderTestConfig(changes), env, program, { flags: ["--import", trap] });
  const { adminUrl } = agent;
  await vi.waitFor(() => fetch(`${adminUrl}/livez`), { timeout: 30_000 });
  return agent;
}

/** Connections to the metadata address, without the one that the trap begins itself. */
function countConnections({ output }: AgentProcess): number {
  const begun = output().split("connection begun").length - 1;
  expect(begun).toBeGreaterThan(0);
  return begun - 1;
}

const readHealth = async ({ adminUrl }: AgentProcess): Promise<unknown> => (await fetch(`${adminUrl}/health`)).json();

/** A model of a provider at this URL. */
const modelAt = (baseUrl: string): Partial<RunConfig> => {
  return {
    models: renderTestConfig().models.map((model) => ({ ...model, provider: "p", ref: "p.test" })),
    providers: renderTestConfig().providers.map((provider) => ({
      ...provider,
      name: "p",
      kind: "openai-compatible",
      baseUrl,
    })),
  };
};

describe("SEC-5 a name that leads to a metadata address is not connected to", () => {
  it("by models, servers, other agents and telemetry", async () => {
    const running = await start({
      ...modelAt("http://model.trap/v1"),
      servers: [renderTestServer("s", "http://server.trap/mcp")],
      agents: [renderTestSubAgent("other", "http://agent.trap/mcp")],
      telemetry: { otlpEndpoint: "http://telemetry.trap:4318" },
      limits: { ...renderTestConfig().limits, wallClockMs: 5_000 },
    });
    const answer = await ask(`${running.url}/mcp`, { message: "hello" });
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringContaining("model.trap leads to 169.254.169.254"),
    });
    const refused = (host: string) => ({ ok: false, detail: expect.stringContaining(`${host}.trap leads to`) });
    expect(await readHealth(running)).toMatchObject({
      providers: { p: refused("model") },
      downstreams: { s: refused("server"), other: refused("agent") },
    });
    await expect.poll(running.output).toContain("telemetry.trap leads to 169.254.169.254");
    expect(countConnections(running)).toBe(0);
  });

  it("by what reads the keys of tokens", async () => {
    const auth = { issuer: "http://issuer.trap", audiences: ["pallas"], resource: "https://agents.example.com/a/mcp" };
    const running = await start({ auth });
    await expect.poll(running.output).toContain("issuer.trap leads to 169.254.169.254");
    expect(countConnections(running)).toBe(0);
  });

  it("as a proxy", async () => {
    const proxied = {
      NODE_USE_ENV_PROXY: "1",
      HTTP_PROXY: "http://proxy.trap:80",
      HTTPS_PROXY: "http://proxy.trap:80",
    };
    const running = await start(
      { ...modelAt("http://model.example/v1"), telemetry: { otlpEndpoint: "https://telemetry.example" } },
      proxied,
    );
    expect(await readHealth(running)).toMatchObject({
      providers: { p: { ok: false, detail: expect.stringContaining("proxy.trap leads to 169.254.169.254") } },
    });
    expect(countConnections(running)).toBe(0);
  });
});
