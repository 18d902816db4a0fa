// Compaction: when a conversation nears the model's context window, or has passed it, what the model is shown of its older
// part becomes a summary. The stored history only grows by that summary (AGT-4), and where none can be had nothing changes.
import type { HistorySettings, ModelCapabilities } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Models } from "../model/models.ts";
import type { ModelMessage, TurnResult } from "../model/types.ts";
import type { OpenHistory } from "../session/open-history.ts";
import { condense, findSummary, listMessages, renderForModel } from "../session/transcript.ts";
import { untilAborted } from "../../lib/process/until-aborted.ts";
import { estimatePrelude, estimateTokens, measureContext, observeUsage, type Prelude } from "./context-size.ts";
import type { RunContext } from "./run-context.ts";
import { readSummary, renderSummaryRequest, type SummarySize } from "./summary.ts";

/** Exchanges with tools that stay whole when a single turn fills the window. */
const exchangesKept = 3;
const maxSummaryTokens = 8_192;
/** Of the window. */
const summaryShare = 1 / 8;
const transcriptShare = 1 / 2;

export interface CompactionParts {
  models: Pick<Models, "turn">;
  history: OpenHistory;
  prelude: Prelude;
  settings: Pick<HistorySettings, "compactAt" | "keepTurns">;
  observeCapabilities: () => ModelCapabilities;
  log: Logger;
}

export interface Compaction {
  /** Condenses what nears the window. Rejects only as the run itself ends: its signal, its budget, its history. */
  beforeTurn(): Promise<void>;
  /** Condenses what the model has refused as too long; whether there is less now. Rejects like `beforeTurn`. */
  afterOverflow(): Promise<boolean>;
}

/** The compaction of one run. */
export function createCompaction(context: RunContext, parts: CompactionParts): Compaction {
  const { history, prelude, settings, observeCapabilities } = parts;
  let failed = false;
  return {
    async beforeTurn() {
      const { contextWindow } = observeCapabilities();
      const maxTokens = settings.compactAt * contextWindow;
      if (failed || measureContext(history.entries, prelude) <= maxTokens) return;
      const plan = planCompaction(parts, { windowTokens: contextWindow, targetTokens: maxTokens });
      if (plan !== undefined) failed = !(await compact(context, parts, plan));
    },
    async afterOverflow() {
      // The window is smaller than declared, or the estimate too low: what counts is what was just refused.
      const shownTokens = estimatePrelude(prelude) + estimateTokens(renderForModel(history.entries));
      const windowTokens = Math.min(observeCapabilities().contextWindow, shownTokens);
      const plan = planCompaction(parts, { windowTokens, targetTokens: windowTokens / 2 });
      return plan !== undefined && (await compact(context, parts, plan));
    },
  };
}

interface Plan {
  covers: number;
  /** What is to be condensed, after what an earlier summary covers. */
  messages: readonly ModelMessage[];
  previous: string | undefined;
  size: SummarySize;
}

/** The cut that leaves most of what fits `targetTokens`, else the one that leaves least; undefined when none gains anything. */
function planCompaction(
  { history, prelude, settings, observeCapabilities }: CompactionParts,
  { windowTokens, targetTokens }: { windowTokens: number; targetTokens: number },
): Plan | undefined {
  const messages = listMessages(history.entries);
  const earlier = findSummary(history.entries);
  const covered = earlier?.covers ?? 0;
  const { maxOutputTokens } = observeCapabilities();
  const writtenTokens = Math.ceil(Math.min(maxSummaryTokens, maxOutputTokens, windowTokens * summaryShare));
  const preludeTokens = estimatePrelude(prelude);
  const fits = (covers: number) =>
    preludeTokens + writtenTokens + estimateTokens(condense(messages, { covers, text: "" })) <= targetTokens;

  const cuts = listCuts(messages, settings.keepTurns).filter((cut) => cut > covered);
  const covers = cuts.find(fits) ?? cuts.at(-1);
  if (covers === undefined) return undefined;
  const condensed = messages.slice(covered, covers);
  // A summary that may be as long as what it replaces gains nothing.
  if (estimateTokens(condensed) <= writtenTokens) return undefined;
  const size = { readTokens: windowTokens * transcriptShare, writtenTokens };
  return { covers, messages: condensed, previous: earlier?.text, size };
}

/**
 * Where the kept part may begin, in order: with each of the last `keepTurns` turns, and with each of the last exchanges
 * with tools, for a turn that is too long by itself. A call and its results are never parted.
 */
function listCuts(messages: readonly ModelMessage[], keepTurns: number): number[] {
  const turns: number[] = [];
  const exchanges: number[] = [];
  for (const [index, message] of messages.entries()) {
    const isAnswer = messages[index - 1]?.role === "user";
    if (message.role === "user" && !isAnswer) turns.push(index);
    // A turn's first exchange begins where its question ends: cut there, only the question would be condensed.
    if (message.role === "assistant" && message.toolCalls.length > 0 && !isAnswer) exchanges.push(index);
  }
  return [...turns.slice(-keepTurns), ...exchanges.slice(-exchangesKept)].toSorted((a, b) => a - b);
}

/** Whether a summary is in place. It is recorded before anything is done with it. */
async function compact(context: RunContext, parts: CompactionParts, plan: Plan): Promise<boolean> {
  const turn = await askForSummary(context, parts, plan);
  const text = turn === undefined ? undefined : readSummary(turn.text, plan.size);
  if (text === undefined) return false;
  await parts.history.append({ role: "summary", covers: plan.covers, text });
  parts.log.info({ requestId: context.requestId, covers: plan.covers }, "history condensed for the model");
  return true;
}

async function askForSummary(
  context: RunContext,
  { models, log }: CompactionParts,
  plan: Plan,
): Promise<TurnResult | undefined> {
  const { bearer, deadlineMs, signal, requestId } = context;
  const request = {
    ...renderSummaryRequest(plan, plan.size),
    signal,
    deadlineMs,
    ...defined({ bearer }),
  };
  let turn: TurnResult;
  try {
    turn = await untilAborted(models.turn(request), signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ requestId, err: error }, "the model wrote no summary, the history stays whole");
    return undefined;
  }
  context.budget.addTokens(observeUsage(request, turn));
  return turn;
}
