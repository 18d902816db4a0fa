// A run's events as OpenTelemetry spans and metrics. Everything is handed in and nothing is registered globally. Attributes
// are chosen one by one: no header, no error text, and content only on request. This file is loaded only when it is used.
import { createHash } from "node:crypto";
import { createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, Context, SpanContext, Tracer } from "@opentelemetry/api";
import type { RunConfig } from "../../crds/run-config.ts";
import { readTraceContext, type TraceContext } from "../../lib/mcp/trace-context.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import type { RunOutcome } from "../loop/run-loop.ts";
import type { StopReason, TokenUsage, TurnRequest, TurnResult } from "../model/types.ts";
import { renderToolInput, renderToolOutput, renderTurnInput, renderTurnOutput } from "./content.ts";
import { attributes as a, operations, providerName, toolError, toolsCall } from "./conventions.ts";
import { startExporting } from "./export.ts";
import { createInstruments, type Instruments } from "./instruments.ts";
import type {
  DownstreamCall,
  RunTrace,
  ServedCall,
  Span,
  StartedRun,
  Telemetry,
  TelemetrySettings,
} from "./telemetry.ts";
import { renderConventionalUsage } from "./usage.ts";

const cancelled = "cancelled";
const maxIdChars = 128;

/** Session ids let whoever has one go on with the conversation: what leaves is a digest, the same in every span. */
const digest = (id: string) => createHash("sha256").update(id).digest("hex").slice(0, 32);

/**
 * A word from a bounded set, never a text: the `kind` of our own errors, else the name. Told by form, since their classes would
 * tie this file to the client libraries, and what is loaded at start to this file.
 */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "kind" in error && typeof error.kind === "string" ? error.kind : error.name;
}

const finishReasons: Record<StopReason, string> = {
  end: "stop",
  "tool-calls": "tool_call",
  length: "length",
  "content-filter": "content_filter",
  other: "unknown",
};

function parentOf({ traceparent, tracestate }: TraceContext): Context {
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = "", spanId = "", flags = "00"] = traceparent.split("-");
  const parent: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  if (tracestate !== undefined) parent.traceState = createTraceState(tracestate);
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

function renderContext({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const state = traceState?.serialize() ?? "";
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  return state === "" ? { traceparent } : { traceparent, tracestate: state };
}

interface Opening<Result> {
  name: string;
  kind: SpanKind;
  parent: TraceContext;
  /** On the span and on its metrics, so of few values. */
  labels: Attributes;
  /** On the span alone. */
  details: Attributes;
  /** Told of the end: seconds, and labels with `error.type` when it failed. */
  onEnd: (seconds: number, labels: Attributes, result?: Result) => void;
  /** What the result adds. */
  describe: (result: Result) => { labels?: Attributes; details?: Attributes; error?: string | undefined };
  /** A failure after it aborted is a cancellation. */
  signal?: AbortSignal;
}

function openSpan<Result>(tracer: Tracer, opening: Opening<Result>): Span<Result> {
  const { kind, labels, details } = opening;
  const span = tracer.startSpan(
    opening.name,
    { kind, attributes: { ...labels, ...details } },
    parentOf(opening.parent),
  );
  const startedMs = systemClock.now();
  let open = true;
  const finish = (described: ReturnType<Opening<Result>["describe"]>, result?: Result) => {
    if (!open) return;
    open = false;
    const error = described.error !== undefined && opening.signal?.aborted === true ? cancelled : described.error;
    const failure = error === undefined ? {} : { [a.errorType]: error };
    span.setAttributes({ ...described.labels, ...described.details, ...failure });
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    opening.onEnd((systemClock.now() - startedMs) / 1_000, { ...labels, ...described.labels, ...failure }, result);
  };
  return {
    context: renderContext(span.spanContext()),
    end: (result) => finish(opening.describe(result), result),
    fail: (error) => finish({ error: errorType(error) }),
  };
}

function renderUsage(usage: TokenUsage): Attributes {
  const { input, output, cacheRead, cacheWrite, reasoning } = renderConventionalUsage(usage);
  return {
    [a.usageInput]: input,
    [a.usageOutput]: output,
    ...(cacheRead === 0 ? {} : { [a.usageCacheRead]: cacheRead }),
    ...defined({ [a.usageCacheWrite]: cacheWrite, [a.usageReasoning]: reasoning }),
  };
}

function renderModel({ models, providers }: RunConfig, name?: string) {
  const model = models.find((each) => each.name === name) ?? models[0];
  const provider = providers.find((each) => each.name === model?.provider);
  return {
    model: model?.name ?? "",
    provider: provider === undefined ? (model?.provider ?? "") : providerName(provider),
  };
}

function renderSettings({ temperature, topP, topK, maxTokens, effort }: TurnRequest["settings"]): Attributes {
  return {
    ...defined({
      [a.requestTemperature]: temperature,
      [a.requestTopP]: topP,
      [a.requestTopK]: topK,
      [a.requestMaxTokens]: maxTokens,
      [a.requestEffort]: effort,
    }),
  };
}

interface Parts {
  config: RunConfig;
  tracer: Tracer;
  instruments: Instruments;
  /** Renders prompts and the like, or nothing where they are not asked for. */
  content: (render: () => Attributes) => Attributes;
}

const openCall = ({ tracer, instruments }: Parts, { tool, era, requestId, sessionId, meta }: ServedCall) =>
  openSpan<ToolResult>(tracer, {
    name: `${toolsCall} ${tool}`,
    kind: SpanKind.SERVER,
    parent: readTraceContext(meta),
    labels: { [a.mcpMethod]: toolsCall, [a.toolName]: tool, [a.networkTransport]: "tcp" },
    details: {
      [a.jsonRpcRequest]: requestId.slice(0, maxIdChars),
      ...(era === "2026" ? { [a.mcpProtocol]: "2026-07-28" } : {}),
      ...(sessionId === undefined ? {} : { [a.mcpSession]: digest(sessionId) }),
    },
    onEnd: instruments.served,
    describe: ({ isError }) => ({ error: isError === true ? toolError : undefined }),
  });

/** What spans of one run have in common. */
interface Within {
  parent: TraceContext;
  conversation: Attributes;
  signal: AbortSignal;
}

function openTurn({ config, tracer, instruments, content }: Parts, request: TurnRequest, within: Within) {
  const { model, provider } = renderModel(config);
  return openSpan<TurnResult>(tracer, {
    name: `${operations.chat} ${model}`,
    kind: SpanKind.CLIENT,
    parent: within.parent,
    signal: within.signal,
    labels: { [a.operation]: operations.chat, [a.provider]: provider, [a.requestModel]: model },
    details: {
      ...within.conversation,
      ...renderSettings(request.settings),
      ...content(() => renderTurnInput(request)),
    },
    onEnd: (seconds, labels, turn) => instruments.inference(seconds, labels, turn?.usage),
    describe: (turn) => ({
      // After a fallback another provider may have answered.
      labels: { [a.provider]: renderModel(config, turn.model).provider, [a.responseModel]: turn.model },
      details: {
        [a.responseFinishReasons]: [finishReasons[turn.stopReason]],
        ...renderUsage(turn.usage),
        ...content(() => renderTurnOutput(turn)),
      },
    }),
  });
}

const openTool = ({ tracer, instruments, content }: Parts, { downstream, request }: DownstreamCall, within: Within) =>
  openSpan<ToolResult>(tracer, {
    name: `${operations.executeTool} ${request.name}`,
    // Not internal: it is at once the client's side of the MCP request that the server's span belongs to.
    kind: SpanKind.CLIENT,
    parent: within.parent,
    signal: within.signal,
    labels: { [a.operation]: operations.executeTool, [a.toolName]: request.name, [a.downstream]: downstream },
    details: {
      [a.toolType]: "extension",
      [a.toolCallId]: request.id.slice(0, maxIdChars),
      [a.mcpMethod]: toolsCall,
      ...within.conversation,
      ...content(() => renderToolInput(request)),
    },
    onEnd: instruments.tool,
    describe: (result) => ({
      details: content(() => renderToolOutput(result)),
      error: result.isError === true ? toolError : undefined,
    }),
  });

function openRun(parts: Parts, { sessionKey, signal, meta }: StartedRun): RunTrace {
  const { config, tracer, instruments } = parts;
  const { name, version } = config.agent;
  const conversation = { [a.conversation]: digest(sessionKey) };
  const counts = { turns: 0, toolCalls: 0 };
  const run = openSpan<RunOutcome>(tracer, {
    name: `${operations.invokeAgent} ${name}`,
    kind: SpanKind.INTERNAL,
    parent: readTraceContext(meta),
    signal,
    labels: { [a.operation]: operations.invokeAgent, [a.agentName]: name },
    details: { [a.agentVersion]: version, [a.provider]: renderModel(config).provider, ...conversation },
    onEnd: (seconds, labels) => instruments.agent(seconds, labels, counts),
    describe: (outcome) => ({ error: "failure" in outcome ? errorType(outcome.failure) : undefined }),
  });
  const within = { parent: run.context, conversation, signal };
  return {
    ...run,
    startTurn(request) {
      counts.turns += 1;
      return openTurn(parts, request, within);
    },
    startTool(call) {
      counts.toolCalls += 1;
      return openTool(parts, call, within);
    },
  };
}

/** Sends to the collector at `options` until closed. */
export function createOtelTelemetry(options: TelemetrySettings & { config: RunConfig; log: Logger }): Telemetry {
  const { config, captureContent } = options;
  const { tracer, meter, close } = startExporting(options);
  const content = (render: () => Attributes) => (captureContent ? render() : {});
  const parts = { config, tracer, instruments: createInstruments(meter), content };
  return { startCall: (call) => openCall(parts, call), startRun: (run) => openRun(parts, run), close };
}
