// One send_message call from its arguments to its single result (AGT-1, AGT-7): input, conversation, tools, loop, answer.
// Every way to fail ends in a result with a sentence; nothing is thrown to the transport.
import * as z from "zod";
import type { CallOutcome } from "../../crds/metric-names.ts";
import { mcpName } from "../../crds/names.ts";
import type { ModelCapabilities, RunConfig, RunModel } from "../../crds/run-config.ts";
import { textDeltasMetaKey } from "../../crds/text-delta.ts";
import type { CallContext, ToolEntry, ToolResult } from "../../lib/mcp/table.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import { findShownCaller, readCalledBy } from "../approvals/called-by.ts";
import { AbortedRun, CallerError, CallError, DeniedRun } from "../call-error.ts";
import type { CallFacts, Calls } from "../calls.ts";
import type { ImageLimits } from "../image-data.ts";
import type { AnswerSchema } from "../loop/answer-schema.ts";
import { createBudget, sumTokens, type Budget, type Spent } from "../loop/budget.ts";
import type { RunClock } from "../loop/run-clock.ts";
import type { RunContext } from "../loop/run-context.ts";
import { createRunMemory } from "../loop/run-memory.ts";
import { runLoop, type RunOutcome } from "../loop/run-loop.ts";
import { isBuiltIn } from "../model/built-in.ts";
import type { Models } from "../model/models.ts";
import { readsPdf } from "../model/pdf.ts";
import { ModelError, type UserPart } from "../model/types.ts";
import { createProgress, type ProgressReporter } from "../progress.ts";
import { newConversation, type SessionRef, type Sessions } from "../session/sessions.ts";
import type { RunTrace, Telemetry } from "../telemetry/telemetry.ts";
import { traced, traceDispatch, traceTurns } from "../telemetry/traced.ts";
import type { Dispatch } from "../tools/dispatch.ts";
import type { Toolbox, Tools } from "../tools/toolbox.ts";
import { renderUnavailable } from "../tools/unavailable.ts";
import { renderAnswer, withSession, withUnavailable } from "./answer.ts";
import { checkShown, parseAttachments, type Reader } from "./attachments.ts";
import { InputError, parseImages, type Seer } from "./images.ts";
import { recordMessage } from "./record-message.ts";

export interface SendMessageParts {
  config: Pick<RunConfig, "agent" | "providers" | "request" | "limits" | "history" | "emitLoopProgress">;
  models: Pick<Models, "turn">;
  /** The model as it stands: reference and what it can do. */
  activeModel: () => RunModel;
  /** What its provider refuses of images, as of now. */
  observeImageLimits: () => ImageLimits | undefined;
  tools: Tools;
  dispatch: Dispatch;
  sessions: Sessions;
  /** Absent: answers are text. */
  answerSchema: AnswerSchema | undefined;
  /** Rejects with a CallError when it is not there. */
  observeInstruction: () => Promise<string>;
  calls: Calls;
  /** What all calls may hold together of what they are sent. */
  memory: MemoryBudget;
  telemetry: Telemetry;
  onAnswered: (call: { outcome: CallOutcome; durationMs: number }) => void;
  log: Logger;
  clock: Clock;
}

const argumentsSchema = z.object({
  message: z.string(),
  images: z.array(z.object({ data: z.string(), mime_type: z.string() })).default([]),
  attachments: z.array(z.object({ data: z.string(), mime_type: z.string(), name: z.string().optional() })).default([]),
  session_id: z.string().optional(),
});

interface Input {
  content: UserPart[];
  sessionId: string | undefined;
}

/** The handler of send_message. Never rejects. */
export function createSendMessage(parts: SendMessageParts): ToolEntry["call"] {
  const { config, clock, log } = parts;
  const { wallClockMs } = config.limits;
  return async (args, caller) => {
    const startedAt = clock.now();
    const call = parts.calls.begin({
      caller: caller.signal,
      deadline: { afterMs: wallClockMs, reason: () => budget.renderTimeUp() },
      describe: () => renderFacts(caller, budget.spent()),
    });
    const { time } = call;
    const budget = createBudget(config.limits, config.request, {
      leftMs: () => time.deadlineMs - clock.now(),
      pausedMs: () => time.pausedMs,
    });
    const progress = createProgress({
      agent: mcpName(config.agent.name),
      emitLoopProgress: config.emitLoopProgress,
      send: caller.sendProgress,
      sendsText: caller.meta[textDeltasMetaKey] === true,
      clock,
    });
    const run = { caller, signal: call.signal, end: call.end, time, budget, progress };
    let failure: unknown;
    const result = await answer(parts, args, run).catch((error: unknown) => {
      failure = call.signal.aborted ? call.signal.reason : error;
      return renderFailure(failure, caller, "", log);
    });
    await progress.end();
    const outcome = findOutcome(result, caller, failure ?? call.signal.reason);
    call.done(outcome);
    const answered = { outcome, durationMs: Math.round(clock.now() - startedAt) };
    parts.onAnswered(answered);
    const line = outcome === "cancelled" ? "call cancelled by the caller" : "call answered";
    log.info({ requestId: caller.requestId, ...answered }, line);
    return result;
  };
}

const renderFacts = ({ caller }: Pick<CallContext, "caller">, { steps, usage }: Spent): CallFacts => ({
  ...defined({ caller: findShownCaller(caller) }),
  steps,
  tokens: Math.round(sumTokens(usage)),
});

/** What a caller or operator wants no more, or asks for in a way that cannot be answered, is no error of the agent's. */
function findOutcome({ isError }: ToolResult, { signal }: CallContext, failure: unknown): CallOutcome {
  if (isError !== true) return "ok";
  if (signal.aborted || failure instanceof AbortedRun || failure instanceof DeniedRun) return "cancelled";
  return failure instanceof CallerError ? "invalid" : "error";
}

interface Running {
  caller: CallContext;
  signal: AbortSignal;
  end: RunContext["end"];
  time: RunClock;
  budget: Budget;
  progress: ProgressReporter;
}

async function answer(parts: SendMessageParts, args: Record<string, unknown>, run: Running): Promise<ToolResult> {
  const { caller } = run;
  const input = parseInput(args, renderSeer(parts));
  const session = await parts.sessions.resolve({
    sessionId: input.sessionId,
    connectionId: caller.sessionId,
    caller: caller.caller,
  });
  const { signal, meta } = caller;
  const trace = parts.telemetry.startRun({ sessionKey: session.key, signal, meta });
  const { unavailable, ...outcome } = await traced(trace, () => converse(parts, { input, session, run, trace }));
  const { sessionId } = session;
  const told = { sessionId, tellsSession: input.sessionId === newConversation };
  const result =
    "failure" in outcome
      ? withSession(renderFailure(outcome.failure, caller, outcome.text, parts.log), told)
      : renderAnswer(outcome, { ...told, spent: run.budget.spent() });
  return withUnavailable(result, unavailable);
}

interface Conversation {
  input: Input;
  session: SessionRef;
  run: Running;
  trace: RunTrace;
}

/** `unavailable`: servers that lent it no tools. */
type ConversationOutcome = RunOutcome & Pick<Toolbox, "unavailable">;

/** Runs the loop on the conversation's history, waiting for it first. */
async function converse(
  parts: SendMessageParts,
  { input, session, run, trace }: Conversation,
): Promise<ConversationOutcome> {
  const instruction = await parts.observeInstruction();
  const history = await parts.sessions.open(session, run.signal);
  const context = createContext(parts, session, run);
  try {
    const toolbox = await parts.tools.open(context);
    try {
      await recordMessage(history, input.content, parts.observeImageLimits());
      const { log, config, answerSchema } = parts;
      const { unavailable } = toolbox;
      const notes = [...renderUnavailable(unavailable), ...toolbox.guidance];
      const system = [instruction, ...notes, answerSchema?.instruction ?? []].flat();
      const outcome = await runLoop(context, {
        models: traceTurns(parts.models, trace),
        observeCapabilities: () => renderCapabilities(parts.activeModel()),
        toolbox,
        dispatch: traceDispatch(parts.dispatch, trace),
        history,
        system: system.join("\n\n"),
        answerSchema,
        settings: config.request,
        compaction: config.history,
        log,
      });
      return { ...outcome, unavailable };
    } finally {
      toolbox.close();
    }
  } finally {
    context.memory.release();
    await history.close();
  }
}

function renderSeer({ activeModel, observeImageLimits, config }: SendMessageParts): Seer & Reader {
  const model = activeModel();
  const { ref, capabilities } = model;
  const pdf = readsPdf(model, config.providers);
  return { ref, vision: capabilities.vision, pdf, imageLimits: observeImageLimits() };
}

/** Throws InputError. */
function parseInput(args: Record<string, unknown>, seer: Seer & Reader): Input {
  const parsed = argumentsSchema.safeParse(args);
  if (!parsed.success) throw new InputError(`the arguments cannot be used: ${z.prettifyError(parsed.error)}`);
  const { message, session_id: sessionId } = parsed.data;
  const images = parseImages(parsed.data.images, seer);
  const files = parseAttachments(parsed.data.attachments, seer);
  const text: UserPart[] = message.trim() === "" ? [] : [{ type: "text", text: message }];
  const content = [...text, ...files, ...images.map((image) => ({ type: "image" as const, ...image }))];
  if (content.length === 0) throw new InputError("the message is empty: write one, or send an image or an attachment");
  checkShown(content);
  return { content, sessionId };
}

function createContext(parts: SendMessageParts, session: SessionRef, run: Running): RunContext {
  const { config } = parts;
  const { bearer, requestId, asking } = run.caller;
  const { time } = run;
  return {
    agent: mcpName(config.agent.name),
    sessionKey: session.key,
    requestId,
    ...defined({ bearer, asking }),
    signal: run.signal,
    end: run.end,
    calledBy: readCalledBy(run.caller.caller, run.caller.meta, config.agent.name),
    get deadlineMs() {
      return time.deadlineMs;
    },
    time,
    budget: run.budget,
    memory: createRunMemory(parts.memory),
    events: run.progress,
  };
}

/** A built-in model takes all there is, and answers by all there was: it is condensed for only where that is declared. */
function renderCapabilities({ provider, capabilities, capabilitiesDeclared }: RunModel): ModelCapabilities {
  return isBuiltIn(provider) && !capabilitiesDeclared ? { ...capabilities, contextWindow: Infinity } : capabilities;
}

/** One sentence, and what had been written before, which was paid for. The caller's own doing is nothing to warn of. */
function renderFailure(error: unknown, caller: CallContext, written: string, log: Logger): ToolResult {
  const sentence = renderSentence(error, caller);
  if (!caller.signal.aborted && !(error instanceof CallerError)) {
    log.warn({ requestId: caller.requestId, err: error }, "call failed");
  }
  const text = written === "" ? sentence : `${sentence}\n\nWritten until then:\n\n${written}`;
  return { content: [{ type: "text", text }], isError: true };
}

function renderSentence(error: unknown, caller: CallContext): string {
  if (caller.signal.aborted) return "The call was cancelled.";
  if (error instanceof CallError || error instanceof ModelError) return error.message;
  return `The agent failed unexpectedly; its log has the details under request ${caller.requestId}.`;
}
