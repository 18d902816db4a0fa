// What find_tool answers of a search (DSC-2): the best tool with what its call needs, and a few others. Pure.
import type { Confidence } from "../../lib/search/confidence.ts";
import { messageSchema, type KnownTool } from "./known-tools.ts";
import { agentTool } from "./may-call.ts";
import { summariseArguments } from "./schema-summary.ts";
import { callAsOf } from "./tool-name.ts";

export interface FoundTool {
  readonly known: KnownTool;
  readonly score: number;
  /** Where only agents reach it: the one to ask. */
  readonly agent: string | undefined;
}

export interface Answered {
  readonly confidence: Exclude<Confidence, "none">;
  /** How the best is called. */
  readonly nextStep: string;
}

export const maxOthers = 4;
const maxDescriptionChars = 1_000;
const maxOtherDescriptionChars = 200;

export function renderFound(best: FoundTool, others: readonly FoundTool[], { confidence, nextStep }: Answered) {
  const { source, tool } = best.known;
  // What is called is what says which arguments it needs.
  const { required, optionalCount } = best.agent === undefined ? summariseArguments(tool.inputSchema) : ofMessage;
  return {
    found: true,
    confidence,
    score: renderScore(best.score),
    call_as: callAsOfFound(best),
    server: source.name,
    tool: tool.name,
    description: cut(tool.description ?? tool.title ?? "", maxDescriptionChars),
    required_args: required,
    optional_count: optionalCount,
    next_step: nextStep,
    ...(source.unreachableSince !== undefined && { unreachable_since: source.unreachableSince }),
    other_matches: others.slice(0, maxOthers).map(renderOther),
  };
}

function renderOther(found: FoundTool) {
  const { tool } = found.known;
  return {
    call_as: callAsOfFound(found),
    tool: tool.name,
    description: cut(tool.description ?? tool.title ?? "", maxOtherDescriptionChars),
    score: renderScore(found.score),
  };
}

/** It works as it is given: of what only agents reach it is the message to one of them. */
const callAsOfFound = ({ known: { source, tool }, agent }: FoundTool): string =>
  agent === undefined ? callAsOf(source.name, tool.name) : callAsOf(agent, agentTool);

const ofMessage = summariseArguments(messageSchema);

/**
 * Nothing that is likely enough, with what comes nearest: whoever asked may know better.
 *
 * @param stopped names of servers that may have such a tool, which nobody knows before they are started
 */
export function renderNotFound(topScore: number, stopped: readonly string[], nearest: readonly FoundTool[]) {
  const advice = "no tool here fits well: name the service, the action and the object in the query";
  const candidates = nearest.length === 0 ? "" : ", or see whether one of other_matches fits";
  const names = stopped.map((name) => `"${name}"`).join(", ");
  const further =
    stopped.length === 0
      ? ""
      : `; the tools of ${names} are not known before it is started: somebody with the role operator does so by the action activate`;
  return {
    found: false,
    top_score: renderScore(topScore),
    hint: `${advice}${candidates}${further}`,
    ...(nearest.length > 0 && { other_matches: nearest.slice(0, maxOthers + 1).map(renderOther) }),
  };
}

const renderScore = (score: number): number => Math.round(score * 1_000) / 1_000;

const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
