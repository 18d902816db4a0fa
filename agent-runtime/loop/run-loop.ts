// The agent's loop: a model turn, the tools it asks for, their results, the next turn, until the model asks for none.
// It knows no protocol: the model, the tools and the history are handed in. What it records it records before it acts.
import type { HistorySettings, ModelCapabilities, RequestSettings } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import { CallError } from "../call-error.ts";
import type { Models } from "../model/models.ts";
import { ModelError } from "../model/types.ts";
import type { TokenUsage, ToolCallRequest, TurnRequest, TurnResult } from "../model/types.ts";
import type { OpenHistory } from "../session/open-history.ts";
import { renderForModel } from "../session/transcript.ts";
import type { Dispatch } from "../tools/dispatch.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import { untilAborted } from "../../lib/process/until-aborted.ts";
import { findAnswerEnd, renderEndNotes, renderForbidden, type AnswerEnd, type Ended } from "./answer-end.ts";
import { settleOutput, type AnswerSchema } from "./answer-schema.ts";
import { sumTokens } from "./budget.ts";
import { createCompaction, type Compaction } from "./compact.ts";
import { observeUsage } from "./context-size.ts";
import { askMending, replaceRefusedResults, withdrawRefusedRun } from "./refusals.ts";
import type { RunContext } from "./run-context.ts";
import { runSideBySide } from "./side-by-side.ts";
import { keepWritten, renderAnswer } from "./tool-calls.ts";

/** Tool calls of one turn that run side by side; the others wait. */
export const maxConcurrentToolCalls = 32;

export interface LoopParts {
  models: Pick<Models, "turn">;
  /** What the active model can do, as of now. */
  observeCapabilities: () => ModelCapabilities;
  toolbox: Toolbox;
  dispatch: Dispatch;
  history: OpenHistory;
  system: string;
  settings: RequestSettings;
  compaction: Pick<HistorySettings, "compactAt" | "keepTurns">;
  /** Absent: the answer is text. */
  answerSchema?: AnswerSchema | undefined;
  log: Logger;
}

/**
 * `text`: what the model wrote in all steps, separated by blank lines (AGT-1), and what is missing of it. `failure`: what ended the
 * run, if not the model.
 */
export interface RunOutcome {
  text: string;
  /** The model that answered last, without its provider; empty when none did. */
  model: string;
  stopReason: AnswerEnd;
  /** The answer itself, where the agent has a schema for it; `text` is then its JSON alone. */
  output?: Record<string, unknown>;
  /** Names of tools that a model of this run was not offered. */
  toolsLeftOut: readonly string[];
  failure?: unknown;
}

/** Runs until the model is done or something stops it; never rejects. The history then may hold unanswered tool calls. */
export async function runLoop(context: RunContext, parts: LoopParts): Promise<RunOutcome> {
  const texts: string[] = [];
  const leftOut = new Set<string>();
  let model = "";
  try {
    const { system, toolbox, compaction: settings } = parts;
    const compaction = createCompaction(context, { ...parts, settings, prelude: { system, tools: toolbox.tools } });
    const goOn = () => runToEnd(context, parts, takeNext);
    const takeNext = async () => {
      const { turn, usage } = await takeTurn(context, parts, compaction);
      if (turn.text.trim() !== "") texts.push(turn.text);
      model = turn.model;
      for (const name of turn.toolsLeftOut ?? []) leftOut.add(name);
      context.budget.addTokens(usage);
      return turn;
    };
    const ended = await goOn();
    const { turn, reached } = ended;
    const isAnswer = turn.toolCalls.length === 0 && turn.text.trim() !== "";
    if (reached !== undefined && !isAnswer) throw reached;
    if (texts.length === 0 && turn.stopReason !== "end") throw new CallError(renderEmptyAnswer(turn));
    if (parts.answerSchema === undefined) {
      const text = [...texts, ...renderEndNotes(ended)].join("\n\n");
      return { text, model, stopReason: findAnswerEnd(ended), toolsLeftOut: [...leftOut] };
    }
    const settled = await settleOutput(parts.answerSchema, ended, async (request) => {
      await parts.history.append({ role: "user", content: [{ type: "text", text: request }] });
      return goOn();
    });
    const { output } = settled;
    const stopReason = findAnswerEnd(settled.ended);
    return { text: JSON.stringify(output), model, stopReason, output, toolsLeftOut: [...leftOut] };
  } catch (error) {
    await withdrawRefusedRun(parts.history, error);
    // An abort has many faces by the time it gets here; the signal's reason is the true one.
    const failure: unknown = context.signal.aborted ? context.signal.reason : error;
    return { text: texts.join("\n\n"), model, stopReason: "other", toolsLeftOut: [...leftOut], failure };
  }
}

/** Turns and tools, until a turn asks for none; past a bound of the call one more turn, whose tools are not called. */
async function runToEnd(context: RunContext, parts: LoopParts, takeNext: () => Promise<TurnResult>): Promise<Ended> {
  for (;;) {
    const turn = await takeNext();
    if (turn.toolCalls.length === 0) return { turn };
    const reached = context.budget.takeToolCalls(turn.toolCalls.length);
    if (reached === undefined) {
      await runTools(context, parts, turn.toolCalls);
      continue;
    }
    parts.log.warn({ requestId: context.requestId, reason: reached.message }, "the call reached a limit");
    await parts.history.append(renderForbidden(turn.toolCalls, reached));
    const last = await takeNext();
    if (last.toolCalls.length > 0) await parts.history.append(renderForbidden(last.toolCalls, reached));
    return { turn: last, reached };
  }
}

interface Taken {
  turn: TurnResult;
  /** As the provider counted it, else estimated. */
  usage: TokenUsage;
}

async function takeTurn(context: RunContext, parts: LoopParts, compaction: Compaction): Promise<Taken> {
  context.signal.throwIfAborted();
  context.budget.takeStep();
  context.events.step("llm");
  await compaction.beforeTurn();
  const { turn, usage } = await askModel(context, parts, compaction);
  const answer = renderAnswer(turn, listCallIds(parts.history));
  const contextTokens = sumTokens(turn.usage);
  await parts.history.append(contextTokens > 0 ? { ...answer, contextTokens } : answer);
  return { turn: { ...turn, text: answer.text, toolCalls: keepWritten(answer.toolCalls, turn.toolCalls) }, usage };
}

/** One turn; another when the first was refused, and what was wrong with it could be mended. */
async function askModel(context: RunContext, parts: LoopParts, compaction: Compaction): Promise<Taken> {
  const ask = async () => {
    const request = renderRequest(context, parts);
    const turn = await untilAborted(parts.models.turn(request), context.signal);
    return { turn, usage: observeUsage(request, turn) };
  };
  return askMending(ask, [
    async (error) => error instanceof ModelError && error.kind === "context_overflow" && compaction.afterOverflow(),
    (error) => replaceRefusedResults(parts.history, error),
  ]);
}

function renderRequest({ signal, deadlineMs, bearer, events }: RunContext, parts: LoopParts): TurnRequest {
  return {
    system: parts.system,
    messages: renderForModel(parts.history.entries),
    tools: parts.toolbox.tools,
    settings: parts.settings,
    signal,
    deadlineMs,
    ...defined({ bearer, onText: events.text }),
  };
}

async function runTools(context: RunContext, parts: LoopParts, calls: readonly ToolCallRequest[]): Promise<void> {
  context.events.step("tool");
  const concurrency = parts.settings.parallelToolCalls ? maxConcurrentToolCalls : 1;
  await runSideBySide(calls, concurrency, async (call) => {
    context.signal.throwIfAborted();
    const result = await parts.dispatch(context, parts.toolbox, call);
    await parts.history.append({ role: "tool", results: [result] });
  });
}

const renderEmptyAnswer = ({ model, stopReason }: TurnResult) =>
  `${model} ended its answer without writing anything (${stopReason}): ask again, or rephrase the message`;

/** Results are matched to calls by id, and some models begin to count anew with every turn. */
const listCallIds = ({ entries }: OpenHistory): ReadonlySet<string> =>
  new Set(entries.flatMap((entry) => (entry.role === "assistant" ? entry.toolCalls.map(({ id }) => id) : [])));
