// The agent's loop: a model turn, the tools it asks for, their results, the next turn, until the model asks for none.
// It knows no protocol: the model, the tools and the history are handed in. What it records it records before it acts.
import { randomUUID } from "node:crypto";
import type { RequestSettings } from "../../crds/run-config.ts";
import { CallFault } from "../call-fault.ts";
import type { Models } from "../model/models.ts";
import type { AssistantMessage, ToolCallRequest, TurnResult } from "../model/types.ts";
import type { OpenHistory } from "../session/sessions.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import { renderForModel } from "../session/transcript.ts";
import type { Dispatch } from "../tools/dispatch.ts";
import type { RunContext } from "./run-context.ts";

export interface LoopParts {
  models: Pick<Models, "turn">;
  toolbox: Toolbox;
  dispatch: Dispatch;
  history: OpenHistory;
  system: string;
  settings: RequestSettings;
}

/** `text`: what the model wrote in all steps, separated by blank lines (AGT-1). `failure`: what ended the run, if not the model. */
export interface RunOutcome {
  text: string;
  failure?: unknown;
}

/** Runs until the model is done or something stops it; never rejects. The history then may hold unanswered tool calls. */
export async function runLoop(context: RunContext, parts: LoopParts): Promise<RunOutcome> {
  const texts: string[] = [];
  try {
    for (;;) {
      const turn = await takeTurn(context, parts);
      if (turn.text.trim() !== "") texts.push(turn.text);
      context.budget.addTokens(turn.usage);
      if (turn.toolCalls.length === 0) {
        if (texts.length === 0 && turn.stopReason !== "end") throw new CallFault(renderEmptyAnswer(turn));
        return { text: texts.join("\n\n") };
      }
      context.budget.takeToolCalls(turn.toolCalls.length);
      await runTools(context, parts, turn.toolCalls);
    }
  } catch (error) {
    // An abort has many faces by the time it gets here; the signal's reason is the true one.
    return { text: texts.join("\n\n"), failure: context.signal.aborted ? context.signal.reason : error };
  }
}

async function takeTurn(context: RunContext, parts: LoopParts): Promise<TurnResult> {
  context.signal.throwIfAborted();
  context.budget.takeStep();
  context.events.step("llm");
  const turn = await parts.models.turn({
    system: parts.system,
    messages: renderForModel(parts.history.messages),
    tools: parts.toolbox.tools,
    settings: parts.settings,
    signal: context.signal,
    deadlineMs: context.deadlineMs,
    ...(context.bearer === undefined ? {} : { bearer: context.bearer }),
  });
  const toolCalls = withUniqueIds(turn.toolCalls);
  await parts.history.append(renderAssistant({ ...turn, toolCalls }));
  return { ...turn, toolCalls };
}

async function runTools(context: RunContext, parts: LoopParts, calls: readonly ToolCallRequest[]): Promise<void> {
  context.events.step("tool");
  const runOne = async (call: ToolCallRequest) => {
    const result = await parts.dispatch(context, parts.toolbox, call);
    await parts.history.append({ role: "tool", results: [result] });
  };
  if (!parts.settings.parallelToolCalls) {
    for (const call of calls) await runOne(call);
    return;
  }
  // All settle before anything is thrown: no result may reach the history after the run has ended.
  const outcomes = await Promise.allSettled(calls.map(runOne));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

const renderEmptyAnswer = ({ model, stopReason }: TurnResult) =>
  `${model} ended its answer without writing anything (${stopReason}): ask again or otherwise`;

function renderAssistant(turn: TurnResult): AssistantMessage {
  const { text, toolCalls, opaque } = turn;
  return { role: "assistant", text, toolCalls, ...(opaque === undefined ? {} : { opaque }) };
}

/** Results are matched to calls by id: models that leave ids out or repeat them get new ones. */
function withUniqueIds(calls: readonly ToolCallRequest[]): ToolCallRequest[] {
  const seen = new Set<string>();
  return calls.map((call) => {
    const id = call.id === "" || seen.has(call.id) ? `call_${randomUUID()}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}
