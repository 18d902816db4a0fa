import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { stopAfterEach } from "./testing/cleanup.ts";
import { ask } from "./testing/client.ts";
import { renderTestServer } from "./testing/run-config.ts";
import { callTool, createScriptedModels } from "./testing/scripted-models.ts";
import { startAgent, startToolServer, textResult } from "./testing/servers.ts";

const started = stopAfterEach();

function getWithHost(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("MET-2 metrics of an agent", () => {
  test("count calls, turns and tool calls under the published names", async () => {
    const argos = await startToolServer({
      read: () => textResult("x"),
      bad: () => ({ ...textResult("x"), isError: true }),
    });
    started.push(argos);
    const servers = [renderTestServer("argos", argos.url)];
    const agent = await startAgent({ servers });
    started.push(agent);
    await ask(agent.mcpUrl, { message: "***CALL_TOOL argos__read {}\n***CALL_TOOL argos__bad {}" });
    await ask(agent.mcpUrl, { message: "" });
    const response = await fetch(`${agent.adminUrl}/metrics`);
    const text = await response.text();
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    for (const line of [
      "pallas_up 1",
      'pallas_agent_info{agent="tech-research",port="0"} 1',
      'pallas_send_message_total{agent="tech-research",outcome="ok"} 1',
      'pallas_send_message_total{agent="tech-research",outcome="invalid"} 1',
      'pallas_send_message_duration_seconds_bucket{le="1800",agent="tech-research"} 2',
      'pallas_tool_calls_total{agent="tech-research",server="argos",operation="tool",outcome="ok"} 1',
      'pallas_tool_calls_total{agent="tech-research",server="argos",operation="tool",outcome="error"} 1',
      'pallas_tool_call_duration_seconds_count{agent="tech-research",server="argos",operation="tool"} 2',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(/pallas_llm_turns_total\{agent="tech-research",model="[^"]+"\} 2/);
    expect(text).toMatch(/pallas_llm_tokens_total\{agent="tech-research",model="[^"]+",kind="input"\} \d+/);
    expect(text).toContain("process_resident_memory_bytes");
  });
});

describe("SEC-4 Host names of both ports", () => {
  test.each([
    ["tech-research", 200],
    ["tech-research.agents.svc.cluster.local:9090", 200],
    ["10.1.2.3:9090", 200],
    ["localhost", 200],
    ["extra.example", 200],
    ["evil.example", 403],
    ["10.1.2.4", 403],
  ])("%s gets %s", async (host, status) => {
    const http = { allowedHosts: ["extra.example"], allowedOrigins: [], bodyLimitBytes: 1_000 };
    const agent = await startAgent({ http }, { podIp: "10.1.2.3" });
    started.push(agent);
    expect(await getWithHost(`${agent.adminUrl}/livez`, host)).toBe(status);
    const onMcp = await getWithHost(`${agent.url}/mcp`, host);
    expect(onMcp === 403).toBe(status === 403);
  });
});

describe("AGT-10 body limit", () => {
  test("a body over the limit is a 413 with a JSON-RPC error", async () => {
    const agent = await startAgent({ http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: 1_000 } });
    started.push(agent);
    const post = (bytes: number) =>
      fetch(agent.mcpUrl, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: " ".repeat(bytes),
      });
    expect((await post(1_000)).status).not.toBe(413);
    const refused = await post(1_001);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ jsonrpc: "2.0", error: { code: expect.any(Number) } });
  });
});

describe("BRR-2 runtimes in one process", () => {
  test("share no tools and no histories", async () => {
    const models = createScriptedModels([{ toolCalls: [callTool("argos__read")] }, { text: "done" }]);
    const argos = await startToolServer({ read: () => textResult("x") });
    started.push(argos);
    const [one, other] = [
      await startAgent({ servers: [renderTestServer("argos", argos.url)], scope: "shared" }),
      await startAgent({ scope: "shared" }, { models }),
    ];
    started.push(one, other);
    await ask(one.mcpUrl, { message: "hello" });
    await ask(other.mcpUrl, { message: "go" });
    expect(models.requests[0]?.tools).toEqual([]);
    expect(models.requests[0]?.messages).toHaveLength(1);
    expect(argos.seen).toEqual([]);
  });
});
