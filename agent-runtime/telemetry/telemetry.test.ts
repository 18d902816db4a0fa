// Traces of real agents over real HTTP, as a collector gets them.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { createLogger } from "../../lib/process/log.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import { ModelError } from "../model/types.ts";
import { stopAfterEach } from "../testing/cleanup.ts";
import { ask, connect2026, sendMessage } from "../testing/client.ts";
import { startOtlpCollector, type CollectedSpan, type OtlpCollector } from "../testing/otlp-collector.ts";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "../testing/run-config.ts";
import { callTool, createScriptedModels, waitForAbort, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult, type ToolServer } from "../testing/servers.ts";
import { readTelemetrySettings, startTelemetry } from "./settings.ts";
import { noTelemetry, type Telemetry } from "./telemetry.ts";

const started = stopAfterEach();
const log = createLogger({ logger: "test", level: "SILENT" });
const token = "t0ken-of-the-caller";
const prompt = "the-pr0mpt";
const callersTrace = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${callersTrace}-b7ad6b7169203331-01`;

const agentNamed = (name: string) => ({ ...renderTestConfig().agent, name });

async function openTelemetry(collector: OtlpCollector, config: RunConfig, captureContent = "false") {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: undefined,
    OTEL_SDK_DISABLED: false,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: captureContent === "true",
  };
  return startTelemetry(readTelemetrySettings(variables, config), { config, log });
}

interface Scene {
  collector: OtlpCollector;
  tools: ToolServer;
  url: string;
  /** Sends what is waiting. */
  flush(): Promise<unknown>;
}

interface ChainOptions {
  models?: ScriptedModels;
  captureContent?: string;
  /** Who listens to the orchestrator; default: OpenTelemetry. */
  orchestrator?: Telemetry;
}

/** An orchestrator that asks a sub-agent, which calls a tool. */
async function startChain({ models, captureContent, orchestrator }: ChainOptions = {}): Promise<Scene> {
  const collector = await startOtlpCollector();
  const tools = await startToolServer({ read: () => textResult("r3sult") });
  const below = renderTestConfig({
    agent: agentNamed("researcher"),
    servers: [renderTestServer("argos", tools.url, { forwardInboundAuth: true })],
  });
  const telemetryBelow = await openTelemetry(collector, below, captureContent);
  const researcher = await startAgent(below, { telemetry: telemetryBelow });
  const sub = renderTestSubAgent("researcher", researcher.mcpUrl, { forwardInboundAuth: true });
  const config = renderTestConfig({ agent: agentNamed("orchestrator"), agents: [sub] });
  const telemetry = orchestrator ?? (await openTelemetry(collector, config, captureContent));
  const agent = await startAgent(config, models === undefined ? { telemetry } : { telemetry, models });
  started.push(collector, tools, researcher, agent);
  const flush = () => Promise.all([telemetry.close(), telemetryBelow.close()]);
  return { collector, tools, url: agent.mcpUrl, flush };
}

const askBelow = (): ScriptedModels =>
  createScriptedModels([
    {
      toolCalls: [
        callTool("researcher__researcher", { message: `${prompt}\n***CALL_TOOL argos__read {"id":"arg1"}` }, "c1"),
      ],
      usage: { input: 10, output: 4, cache_hit: 30, reasoning: 2 },
      model: "test",
    },
    { text: "done", model: "test" },
  ]);

/** Sends one message with headers or `_meta` of the caller's own. */
async function post(url: string, meta: Record<string, unknown>, headers: Record<string, string> = {}): Promise<void> {
  const envelope = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "send_message", arguments: { message: prompt }, _meta: { ...envelope, ...meta } };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "send_message",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
  });
  expect(await response.text()).toContain('"result"');
}

function find(spans: readonly CollectedSpan[], service: string, name: string): CollectedSpan {
  const found = spans.find((span) => span.service === service && span.name === name);
  if (found === undefined) throw new Error(`no span ${name} of ${service} in ${spans.map((span) => span.name).join()}`);
  return found;
}

describe("MET-6 traces", () => {
  test("of an orchestrator, its sub-agent and the tool server are one, each span below the one that caused it", async () => {
    const { collector, tools, url, flush } = await startChain({ models: askBelow() });
    await ask(url, { message: prompt }, token);
    await flush();
    const chain = [
      ["orchestrator", "tools/call send_message", 2],
      ["orchestrator", "invoke_agent orchestrator", 1],
      ["orchestrator", "execute_tool researcher__researcher", 3],
      ["researcher", "tools/call send_message", 2],
      ["researcher", "invoke_agent researcher", 1],
      ["researcher", "execute_tool argos__read", 3],
    ] as const;
    let parent = "";
    for (const [service, name, kind] of chain) {
      const span = find(collector.spans, service, name);
      expect({ name, parent: span.parentSpanId, kind: span.kind }).toEqual({ name, parent, kind });
      parent = span.spanId;
    }
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
    const received = tools.seen[0]?.context.meta["traceparent"];
    expect(received).toBe(`00-${collector.spans[0]?.traceId}-${parent}-01`);
    const chat = find(collector.spans, "orchestrator", "chat test");
    expect(chat.parentSpanId).toBe(find(collector.spans, "orchestrator", "invoke_agent orchestrator").spanId);
  });

  test("have the attributes of the conventions", async () => {
    const { collector, url, flush } = await startChain({ models: askBelow() });
    await ask(url, { message: prompt });
    await flush();
    const attributesOf = (name: string) => find(collector.spans, "orchestrator", name).attributes;
    const conversation = attributesOf("invoke_agent orchestrator")["gen_ai.conversation.id"];
    expect(conversation).toMatch(/^[0-9a-f]{32}$/);
    expect(attributesOf("chat test")).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "passthrough",
      "gen_ai.request.model": "test",
      "gen_ai.response.model": "test",
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.conversation.id": conversation,
      "gen_ai.usage.input_tokens": 40,
      "gen_ai.usage.cache_read.input_tokens": 30,
      "gen_ai.usage.output_tokens": 4,
      "gen_ai.usage.reasoning.output_tokens": 2,
    });
    expect(attributesOf("execute_tool researcher__researcher")).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "researcher__researcher",
      "gen_ai.tool.type": "extension",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.conversation.id": conversation,
      "mcp.method.name": "tools/call",
      "pallas.downstream": "researcher",
    });
    expect(attributesOf("tools/call send_message")).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": "send_message",
      "mcp.protocol.version": "2026-07-28",
      "jsonrpc.request.id": expect.any(String),
    });
    const names = collector.metrics.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "gen_ai.client.inference.duration",
        "gen_ai.client.inference.usage.input_tokens",
        "gen_ai.invoke_agent.duration",
        "gen_ai.execute_tool.duration",
        "mcp.server.operation.duration",
      ]),
    );
  });

  test("hold no token, session id, prompt, argument or result", async () => {
    const { collector, url, flush } = await startChain({ models: askBelow() });
    const { sessionId } = await ask(url, { message: prompt }, token);
    await flush();
    expect(sessionId).toEqual(expect.any(String));
    const sent = collector.bodies.join("\n");
    expect(sent).toContain("execute_tool argos__read");
    for (const secret of [token, sessionId, prompt, "arg1", "r3sult", "You are an agent under test"]) {
      expect(sent).not.toContain(secret);
    }
  });

  test("hold content, cut at 16,384 characters, when that is asked for, and still no token", async () => {
    const { collector, url, flush } = await startChain({ captureContent: "true" });
    await ask(url, { message: `${prompt}${"x".repeat(20_000)}` }, token);
    await flush();
    const { attributes } = find(collector.spans, "orchestrator", "chat test");
    expect(attributes["gen_ai.input.messages"]).toContain(prompt);
    expect(attributes["gen_ai.input.messages"]).toHaveLength(16_384);
    expect(attributes["gen_ai.system_instructions"]).toContain("You are an agent under test");
    expect(attributes["gen_ai.output.messages"]).toContain(prompt);
    expect(collector.bodies.join("\n")).not.toContain(token);
  });

  test("say of a failure what kind it was, never its text", async () => {
    const models = createScriptedModels([
      () => Promise.reject(new ModelError("s3cret words", { kind: "quota", provider: "passthrough" })),
    ]);
    const { collector, url, flush } = await startChain({ models });
    await ask(url, { message: prompt });
    await flush();
    for (const [name, type] of [
      ["chat test", "quota"],
      ["invoke_agent orchestrator", "quota"],
      ["tools/call send_message", "tool_error"],
    ] as const) {
      const span = find(collector.spans, "orchestrator", name);
      expect([span.status, span.attributes["error.type"]]).toEqual([{ code: 2, message: "" }, type]);
    }
    expect(collector.bodies.join("\n")).not.toContain("s3cret");
  });

  test("say of a server that is gone that it could not be reached, and of a cancelled run that it was", async () => {
    const models = createScriptedModels([
      { toolCalls: [callTool("argos__read")], model: "test" },
      { text: "one", model: "test" },
      { toolCalls: [callTool("argos__read")], model: "test" },
      { text: "two", model: "test" },
      waitForAbort,
    ]);
    const collector = await startOtlpCollector();
    const tools = await startToolServer({ read: () => textResult("x") });
    const config = renderTestConfig({ servers: [renderTestServer("argos", tools.url)] });
    const telemetry = await openTelemetry(collector, config);
    const agent = await startAgent(config, { telemetry, models });
    started.push(collector, agent);
    await ask(agent.mcpUrl, { message: "one" });
    await tools.stop();
    await ask(agent.mcpUrl, { message: "two" });
    const connection = await connect2026(agent.mcpUrl);
    const cancelling = new AbortController();
    const running = sendMessage(connection, { message: "three" }, cancelling.signal);
    await expect.poll(() => models.requests.length).toBe(5);
    cancelling.abort();
    await expect(running).rejects.toThrow("cancelled");
    await connection.close();
    await agent.close();
    await telemetry.close();
    const errorsOf = (name: string) =>
      collector.spans.filter((span) => span.name === name).map((span) => span.attributes["error.type"]);
    expect(errorsOf("execute_tool argos__read")).toEqual([undefined, "unreachable"]);
    expect(errorsOf("invoke_agent tech-research")).toEqual([undefined, undefined, "cancelled"]);
  });

  test.each([
    ["_meta", { traceparent, tracestate: "vendor=1" }, {}],
    ["HTTP headers", {}, { traceparent, tracestate: "vendor=1" }],
    [
      "_meta rather than headers",
      { traceparent, tracestate: "vendor=1" },
      { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` },
    ],
  ])("continue the caller's, from %s", async (_where, meta, headers) => {
    const { collector, tools, url, flush } = await startChain({ models: askBelow() });
    await post(url, meta, headers);
    await flush();
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([callersTrace]));
    expect(find(collector.spans, "orchestrator", "tools/call send_message").parentSpanId).toBe("b7ad6b7169203331");
    expect(tools.seen[0]?.context.meta["tracestate"]).toBe("vendor=1");
  });

  test("continue that of the HTTP headers of a 2025 session, whose id stays here", async () => {
    const { collector, url, flush } = await startChain();
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { traceparent } } });
    await client.connect(transport);
    await client.callTool({ name: "send_message", arguments: { message: prompt } });
    const { sessionId = "" } = transport;
    await client.close();
    await flush();
    const { traceId, attributes } = find(collector.spans, "orchestrator", "tools/call send_message");
    expect([traceId, attributes["mcp.session.id"]]).toEqual([callersTrace, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(sessionId).not.toBe("");
    expect(collector.bodies.join("\n")).not.toContain(sessionId);
  });

  test("are not made where the caller's says so", async () => {
    const { collector, tools, url, flush } = await startChain({ models: askBelow() });
    await post(url, { traceparent: `${traceparent.slice(0, -1)}0` });
    await flush();
    expect(collector.spans).toEqual([]);
    expect(tools.seen[0]?.context.meta["traceparent"]).toMatch(new RegExp(`^00-${callersTrace}-[0-9a-f]{16}-00$`));
  });

  test("go through an agent that has no endpoint", async () => {
    const { collector, url, flush } = await startChain({ models: askBelow(), orchestrator: noTelemetry });
    await post(url, { traceparent });
    await flush();
    expect(find(collector.spans, "researcher", "tools/call send_message")).toMatchObject({
      traceId: callersTrace,
      parentSpanId: "b7ad6b7169203331",
    });
  });
});
