// One tool as a run sees it, whatever stands behind it: a server's tool or a sub-agent.
import type { Ask } from "../../lib/mcp/asking.ts";
import type { Operation } from "../../crds/metric-names.ts";
import type { Rests } from "../../lib/mcp/call-deadline.ts";
import type { CallResult } from "../../lib/mcp/connect.ts";
import type { JsonObjectSchema, Progress } from "../../lib/mcp/table.ts";
import type { Holder } from "../../lib/process/memory-budget.ts";
import type { TraceContext } from "../../lib/mcp/trace-context.ts";
import type { ToolLabel, ToolLine } from "../loop/run-context.ts";
import type { JudgedCall } from "../policy/types.ts";

/** What of a call is judged, and how the arguments of that become the route's own. */
export interface JudgedPart {
  readonly call: JudgedCall;
  withArgs(args: Record<string, unknown>): Record<string, unknown>;
}

/** One tool and the way to it. */
export interface ToolRoute {
  /** What the model calls it. */
  name: string;
  label: ToolLabel;
  /** The server or sub-agent, as configured: the name in metrics and logs. */
  downstream: string;
  /** What is done there, as metrics have it. */
  operation: Operation;
  /** It asks the run's own caller: nothing leaves the agent by it, and no policy is asked about it. */
  toCaller?: true;
  /** Whether the model can read the resources that its results link to. */
  linksReadable: boolean;
  description: string;
  inputSchema: JsonObjectSchema;
  /** What is judged before it is called with these arguments; undefined where nothing leaves but to the caller. */
  judged(args: Record<string, unknown>): JudgedPart | undefined;
  /** The line shown for the tool's own progress; undefined when there is nothing to show. */
  renderProgress(progress: Progress): ToolLine | undefined;
  /** Rejects with McpError when there was no result. */
  call(
    args: Record<string, unknown>,
    options: {
      signal: AbortSignal;
      totalTimeoutMs: number;
      /** When that stands still, beside the time in which the caller is asked what the server asks. */
      rests?: Rests;
      onProgress: (progress: Progress) => void;
      trace?: TraceContext;
      /** Of the run, for agents below. */
      chain?: Record<string, unknown>;
      /** Counts the answer; the caller of this releases it. */
      holder: Holder;
      /** Where the caller can be asked what the server asks. */
      ask?: Ask;
      /** Hears that what one of those URLs was opened for is done. */
      onCompleted?: (elicitationId: string) => void;
    },
  ): Promise<CallResult>;
}
