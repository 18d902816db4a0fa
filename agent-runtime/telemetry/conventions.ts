// Every name that leaves over OTLP, in one place: the GenAI and MCP semantic conventions of OpenTelemetry as they stood in
// open-telemetry/semantic-conventions-genai on 2026-10-06. They are in development and get renamed; a new date is a release note.
import type { RunProvider } from "../../crds/run-config.ts";

export const operations = { chat: "chat", invokeAgent: "invoke_agent", executeTool: "execute_tool" } as const;
export const toolsCall = "tools/call";

export const attributes = {
  agentName: "gen_ai.agent.name",
  agentVersion: "gen_ai.agent.version",
  conversation: "gen_ai.conversation.id",
  errorType: "error.type",
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestEffort: "gen_ai.request.reasoning.level",
  requestMaxTokens: "gen_ai.request.max_tokens",
  requestModel: "gen_ai.request.model",
  requestTemperature: "gen_ai.request.temperature",
  requestTopK: "gen_ai.request.top_k",
  requestTopP: "gen_ai.request.top_p",
  responseFinishReasons: "gen_ai.response.finish_reasons",
  responseModel: "gen_ai.response.model",
  toolCallId: "gen_ai.tool.call.id",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  usageCacheRead: "gen_ai.usage.cache_read.input_tokens",
  usageCacheWrite: "gen_ai.usage.cache_write.input_tokens",
  usageInput: "gen_ai.usage.input_tokens",
  usageOutput: "gen_ai.usage.output_tokens",
  usageReasoning: "gen_ai.usage.reasoning.output_tokens",
  mcpMethod: "mcp.method.name",
  mcpProtocol: "mcp.protocol.version",
  mcpSession: "mcp.session.id",
  jsonRpcRequest: "jsonrpc.request.id",
  networkTransport: "network.transport",
  /** Our own: the server or sub-agent, as configured. */
  downstream: "pallas.downstream",
} as const;

/** Sent only where content is asked for. */
export const contentAttributes = {
  systemInstructions: "gen_ai.system_instructions",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
} as const;

export const metrics = {
  inferenceSeconds: "gen_ai.client.inference.duration",
  inputTokens: "gen_ai.client.inference.usage.input_tokens",
  outputTokens: "gen_ai.client.inference.usage.output_tokens",
  cacheReadTokens: "gen_ai.client.inference.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.client.inference.usage.cache_write.input_tokens",
  reasoningTokens: "gen_ai.client.inference.usage.reasoning.output_tokens",
  agentSeconds: "gen_ai.invoke_agent.duration",
  agentInferenceCalls: "gen_ai.invoke_agent.inference_calls",
  agentToolCalls: "gen_ai.invoke_agent.tool_calls",
  toolSeconds: "gen_ai.execute_tool.duration",
  servedSeconds: "mcp.server.operation.duration",
} as const;

/** `error.type` of a tool result that says it is an error. */
export const toolError = "tool_error";

const providerNames: Partial<Record<RunProvider["kind"], string>> = {
  anthropic: "anthropic",
  openai: "openai",
  google: "gcp.gemini",
  bedrock: "aws.bedrock",
};

/** The well-known name of a vendor; for others the name the user gave. */
export const providerName = ({ kind, name }: Pick<RunProvider, "kind" | "name">): string => providerNames[kind] ?? name;
