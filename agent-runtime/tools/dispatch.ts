// From a model's tool call to the result it is shown. Problems of the model (unknown tool, bad arguments) and of servers
// go back to it as error results; only the end of the run itself is thrown.
import { createHash } from "node:crypto";
import type { Operation, Outcome } from "../../crds/metric-names.ts";
import { renderAnswer } from "../../lib/approvals/decided.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import type { CallResult } from "../../lib/mcp/connect.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import { findReservedMisuse } from "../../lib/mcp/policy-error.ts";
import { findSchemaProblem } from "../../lib/mcp/schema-check.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Holder } from "../../lib/process/memory-budget.ts";
import { renderChainMeta } from "../approvals/called-by.ts";
import { createOnWaiting } from "../approvals/on-waiting.ts";
import { DeniedRun } from "../call-error.ts";
import type { ImageLimits } from "../image-data.ts";
import type { RunContext } from "../loop/run-context.ts";
import type { ToolCallRequest, ToolResultPart } from "../model/types.ts";
import type { PolicyGate } from "../policy/gate.ts";
import type { JudgedRun, Verdict } from "../policy/types.ts";
import { untilAborted } from "../../lib/process/until-aborted.ts";
import { relayedAsking } from "../../lib/mcp/relay.ts";
import { renderToolResult } from "./result.ts";
import type { ToolRoute } from "./route.ts";
import type { Toolbox } from "./toolbox.ts";

const maxQuotedNameChars = 100;
/** Of the time a run has left, one tool gets this much at most, whatever its progress: the model must still be able to answer. */
const shareOfTimeLeft = 0.9;

export interface DispatchOptions {
  /** Bytes of a result's text shown to the model. */
  maxResultBytes: number;
  /** Whether the model can see images, as of now. */
  hasVision: () => boolean;
  /** What its provider refuses of images, as of now. */
  observeImageLimits: () => ImageLimits | undefined;
  /** Asked before anything is sent. */
  gate: Pick<PolicyGate, "judge">;
  onCall: (call: { server: string; operation: Operation; outcome: Outcome; durationMs: number }) => void;
  log: Logger;
  clock: Clock;
}

/** Runs one call. Rejects only with the reason of the run's signal. */
export type Dispatch = (context: RunContext, toolbox: Toolbox, call: ToolCallRequest) => Promise<ToolResultPart>;

/** Dispatch with the agent's settings. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const log = options.log.child({ logger: "pallas.forward.trace" });
  return async (context, toolbox, request) => {
    const answer = (shown: { text: string; images?: ToolResultPart["images"]; isError: boolean }): ToolResultPart => ({
      callId: request.id,
      name: request.name,
      images: [],
      ...shown,
    });
    const { name, written = name } = request;
    const route = toolbox.find(written, request.arguments);
    if (route === undefined) {
      return answer({ text: `There is no tool named "${name.slice(0, maxQuotedNameChars)}".`, isError: true });
    }
    const args = request.malformed === undefined ? request.arguments : undefined;
    if (!isJsonObject(args)) {
      const problem = request.malformed ?? "expected a JSON object";
      return answer({
        text: `The arguments of ${route.name} cannot be read: ${problem}. Call it again.`,
        isError: true,
      });
    }
    const problem = findSchemaProblem(route.inputSchema, args, "the arguments");
    if (problem !== undefined) {
      return answer({ text: `The arguments of ${route.name} do not fit its schema: ${problem}.`, isError: true });
    }
    const judged = route.judged(args);
    const verdict: Verdict =
      judged === undefined
        ? { go: true, args }
        : await options.gate.judge({ ...judged.call, ...observeSteps(context) }, judgedRun(context, route));
    if (!verdict.go && "denied" in verdict) {
      if (!verdict.abort) return answer({ text: verdict.text, isError: true });
      context.end(new DeniedRun(verdict.text));
      throw context.signal.reason;
    }
    const holder = context.memory.open();
    const result: CallResult = verdict.go
      ? await callRoute(context, { route, args: judged?.withArgs(verdict.args) ?? args, holder }, { ...options, log })
      : renderAnswer(verdict.answer);
    const shown = renderToolResult(result, {
      maxBytes: options.maxResultBytes,
      vision: options.hasVision(),
      imageLimits: options.observeImageLimits(),
      ...(route.linksReadable ? { readableFrom: route.downstream } : {}),
    });
    // Its text is cut to a size that need not be counted.
    holder.keep(shown.images.reduce((sum, { data }) => sum + data.length, 0));
    return answer({ ...shown, isError: result.isError === true });
  };
}

/** What the run did until now. */
const observeSteps = ({ events }: RunContext) => ({ step: events.stepName(), steps: events.steps() });

/** The run as people and rules see it. */
const judgedRun = (context: RunContext, { label }: ToolRoute): JudgedRun => ({
  ...context.calledBy,
  ...(context.asking && { asking: context.asking }),
  signal: context.signal,
  get sessionHash() {
    return createHash("sha256").update(context.sessionKey).digest("hex");
  },
  onWaiting: createOnWaiting(context, label),
});

/** Calls the tool between its started and completed or failed lines. A failure becomes a result of one sentence (LOG-3). */
async function callRoute(
  context: RunContext,
  { route, args, holder }: { route: ToolRoute; args: Record<string, unknown>; holder: Holder },
  { onCall, log, clock }: DispatchOptions,
): Promise<CallResult> {
  const { label, downstream, operation } = route;
  const fields = { server: downstream, tool: label.tool, requestId: context.requestId };
  const startedAt = clock.now();
  let outcome: Outcome = "error";
  const below = followWaits(context);
  context.events.toolStarted(label);
  try {
    const onProgress = (progress: Parameters<ToolRoute["renderProgress"]>[0]) => {
      const line = route.renderProgress(progress);
      if (line === undefined) return;
      context.events.toolProgress(label, line);
      below.note(line.waits === true);
    };
    const totalTimeoutMs = Math.max(1, Math.floor((context.deadlineMs - startedAt) * shareOfTimeLeft));
    const asking = context.asking && pausing(context.asking, context);
    const work = route.call(args, {
      signal: context.signal,
      totalTimeoutMs,
      rests: context.time.rests,
      chain: renderChainMeta(context.calledBy, context.events.stepName()),
      onProgress,
      holder,
      ...relayedAsking(label.server, asking, clock),
    });
    const result = await untilAborted(work, context.signal);
    outcome = result.isError === true ? "error" : "ok";
    if (outcome === "error") log.warn(fields, "a tool reported an error");
    return result;
  } catch (error) {
    if (context.signal.aborted) {
      outcome = "cancelled";
      log.info(fields, "a tool call was cancelled");
      throw context.signal.reason;
    }
    log.warn({ ...fields, err: error }, "a tool call failed");
    const misuse = findReservedMisuse(error, downstream)?.data?.["reason"];
    const sentence =
      typeof misuse === "string"
        ? misuse
        : error instanceof McpError
          ? error.tell()
          : `something in the agent broke, ${seeLog(context)}`;
    return { content: [{ type: "text", text: `The tool failed: ${sentence}` }], isError: true };
  } finally {
    below.note(false);
    context.events.toolEnded(label, outcome === "ok" ? "completed" : "failed");
    onCall({ server: downstream, operation, outcome, durationMs: clock.now() - startedAt });
  }
}

/** The run's time stands still while an agent below says that it waits for people. */
function followWaits({ time }: RunContext) {
  let goOn: (() => void) | undefined;
  return {
    note(waits: boolean) {
      if (waits) {
        goOn ??= time.pause();
        return;
      }
      goOn?.();
      goOn = undefined;
    },
  };
}

/** While the caller is asked, the run's time stands still. */
const pausing = (asking: Asking, { time }: RunContext): Asking => ({
  ...asking,
  async ask(question, signal) {
    const goOn = time.pause();
    try {
      return await asking.ask(question, signal);
    } finally {
      goOn();
    }
  },
});

const seeLog = ({ requestId }: RunContext) => `its log has the details under request ${requestId}`;
