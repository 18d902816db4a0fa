// What a run tells whoever traces it (MET-6), in the words of this program, and the listener that is there when nobody
// does. Listeners never fail, never wait and never see a token. OpenTelemetry is only known to otel.ts and what that imports.
import type { CallContext, ToolResult } from "../../lib/mcp/table.ts";
import { readTraceContext, type TraceContext } from "../../lib/mcp/trace-context.ts";
import type { RunOutcome } from "../loop/run-loop.ts";
import type { ToolCallRequest, TurnRequest, TurnResult } from "../model/types.ts";

/** Where it goes. */
export interface TelemetrySettings {
  tracesUrl: string;
  metricsUrl: string;
  /** Prompts, arguments and results go out too. */
  captureContent: boolean;
}

/** Something that has begun. The first of `end` and `fail` counts. */
export interface Span<Result> {
  /** Goes with requests that are made within it. */
  readonly context: TraceContext;
  end(result: Result): void;
  fail(error: unknown): void;
}

/** An MCP tools/call that came in. */
export type ServedCall = Pick<CallContext, "era" | "requestId" | "sessionId" | "meta"> & { tool: string };

/** A tool call on its way to a server or sub-agent. */
export interface DownstreamCall {
  /** The server or sub-agent, as configured. */
  downstream: string;
  request: ToolCallRequest;
}

/** One run of the agent's loop. */
export interface RunTrace extends Span<RunOutcome> {
  startTurn(request: TurnRequest): Span<TurnResult>;
  startTool(call: DownstreamCall): Span<ToolResult>;
}

/** `sessionKey` names the conversation; a run that fails once the caller's `signal` has aborted was cancelled. */
export type StartedRun = Pick<CallContext, "signal" | "meta"> & { sessionKey: string };

export interface Telemetry {
  startCall(call: ServedCall): Span<ToolResult>;
  startRun(run: StartedRun): RunTrace;
  /** Sends what is left, for a bounded time. Never rejects. */
  close(): Promise<void>;
}

const passOn = (context: TraceContext) => ({ context, end: () => undefined, fail: () => undefined });

/** Records nothing and passes the caller's trace context on, so that a trace goes through an agent that has no part in it. */
export const noTelemetry: Telemetry = {
  startCall: ({ meta }) => passOn(readTraceContext(meta)),
  startRun({ meta }) {
    const span = passOn(readTraceContext(meta));
    return { ...span, startTurn: () => span, startTool: () => span };
  },
  close: async () => undefined,
};
