// The program as a real process: start, problems at start, and stopping with a call in flight.
import { describe, expect, test, vi } from "vitest";
import type { McpConnection } from "../lib/mcp/connect.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { ask, connect2026 } from "./testing/client.ts";
import { startAgentProcess, type AgentProcess } from "./testing/process.ts";
import { renderTestConfig, renderTestServer } from "./testing/run-config.ts";

const keep = keepUntilEnd();
const start = (...args: Parameters<typeof startAgentProcess>) => keep(startAgentProcess(...args));

const generous = { timeout: 25_000, interval: 20 };
const statusOf = async (url: string) => (await fetch(url)).status;
const waitUntilReady = (agent: AgentProcess) =>
  vi.waitFor(async () => expect(await statusOf(`${agent.adminUrl}/readyz`)).toBe(200), generous);

/** A process answers over HTTP and writes to its output in no order that another process could rely on. */
const findLine = (agent: AgentProcess, message: string) =>
  vi.waitUntil(() => agent.lines.find((line) => line["message"] === message));

const slowConfig = () => {
  const base = renderTestConfig();
  return renderTestConfig({
    models: base.models.map((model) => ({ ...model, ref: "slow.test", provider: "slow" })),
    providers: base.providers.map((provider) => ({ ...provider, name: "slow", kind: "slow" as const })),
  });
};

const callBody = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});
const postCall = (agent: AgentProcess) =>
  fetch(`${agent.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: callBody,
  });

/** A call that takes the slow model's three seconds; `begun` resolves at its first progress. */
function callSlowly(connection: McpConnection) {
  const begun = Promise.withResolvers<void>();
  const options = { signal: new AbortController().signal, idleTimeoutMs: 10_000, onProgress: () => begun.resolve() };
  return { answer: connection.callTool("send_message", { message: "slowly" }, options), begun: begun.promise };
}

describe("AGT-12 SIGTERM with a call in flight", () => {
  test(
    "not ready at once, served on for the delay, then 503 for new calls, and the call gets its answer",
    { timeout: 40_000 },
    async () => {
      const agent = await start(slowConfig(), { PALLAS_DRAIN_DELAY_MS: "1000" });
      await waitUntilReady(agent);
      const connection = await connect2026(`${agent.url}/mcp`);
      const { answer, begun } = callSlowly(connection);
      await begun;
      agent.kill("SIGTERM");
      await vi.waitFor(async () => expect(await statusOf(`${agent.adminUrl}/readyz`)).toBe(503), generous);
      const lagging = await postCall(agent);
      expect(lagging.status).toBe(200);
      expect(lagging.headers.get("connection")).toBe("close");
      await lagging.body?.cancel();
      const health = await (await fetch(`${agent.adminUrl}/health`)).json();
      expect(health).toMatchObject({ status: "error", message: expect.stringContaining("Draining") });
      await vi.waitFor(async () => expect((await postCall(agent)).status).toBe(503), generous);
      const refused = await postCall(agent);
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(await refused.json()).toMatchObject({
        jsonrpc: "2.0",
        error: { message: expect.stringContaining("shutting down") },
      });
      expect(await answer).toMatchObject({ content: [{ text: "slowly" }] });
      expect(await agent.exited).toBe(0);
      await connection.close();
    },
  );

  test("a call over drainTimeout is aborted with an answer that says so", { timeout: 40_000 }, async () => {
    const agent = await start({ ...slowConfig(), drainTimeoutMs: 100 }, { PALLAS_DRAIN_DELAY_MS: "0" });
    await waitUntilReady(agent);
    const connection = await connect2026(`${agent.url}/mcp`);
    const { answer, begun } = callSlowly(connection);
    await begun;
    agent.kill("SIGTERM");
    expect(await answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("was shut down") }],
    });
    expect(await agent.exited).toBe(0);
    await connection.close();
  });
});

describe("LOG-1 the process", () => {
  test("logs JSON lines with time, level, logger and message, and answers", { timeout: 40_000 }, async () => {
    const agent = await start(renderTestConfig());
    await waitUntilReady(agent);
    expect((await ask(`${agent.url}/mcp`, { message: "hello" })).text).toBe("hello");
    expect(await findLine(agent, "agent started")).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: "INFO",
      logger: "pallas.agent",
      agent: "tech-research",
    });
    expect(JSON.stringify(agent.lines)).not.toContain("hello");
  });

  test(
    "in local mode an unset variable is a warning that names it and degrades health",
    { timeout: 40_000 },
    async () => {
      const config = renderTestConfig({
        servers: [
          renderTestServer("argos", "http://127.0.0.1:9/mcp", {
            headers: [{ name: "Authorization", value: "Bearer ${ARGOS_TOKEN}" }],
            timeoutMs: 1_000,
          }),
        ],
      });
      const agent = await start(config, { PALLAS_EXPAND_ENV: "1" });
      await waitUntilReady(agent);
      expect(await findLine(agent, "a variable is not set")).toMatchObject({
        level: "WARNING",
        variable: "ARGOS_TOKEN",
        place: "header Authorization of server argos",
      });
      expect(await (await fetch(`${agent.adminUrl}/health`)).json()).toMatchObject({
        status: "degraded",
        message: expect.stringContaining("Unset: ARGOS_TOKEN"),
      });
    },
  );

  test(
    "a faulty run configuration or variable ends it with code 1 and a line that says what",
    { timeout: 40_000 },
    async () => {
      const [badConfig, badPort] = [await start('{"schema":1}'), await start(renderTestConfig(), { PALLAS_PORT: "x" })];
      expect(await Promise.all([badConfig.exited, badPort.exited])).toEqual([1, 1]);
      expect(badConfig.lines).toMatchObject([{ level: "FATAL", err: { message: expect.stringContaining("agent") } }]);
      expect(badPort.lines).toMatchObject([
        { level: "FATAL", err: { message: expect.stringContaining("PALLAS_PORT") } },
      ]);
    },
  );
});
