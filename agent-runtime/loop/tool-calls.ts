// The tool calls of a model's turn, made fit to be stored, sent back and answered: a history that one provider refuses for a
// name, or that cannot be written down, would be lost for good. It judges form only; what may be called is dispatch's.
import { randomUUID } from "node:crypto";
import type { AssistantMessage, ToolCallRequest, TurnResult } from "../model/types.ts";
import { renderCalledName } from "../../lib/mcp/tool-name.ts";

/** What is kept; a provider is sent what it takes (model/call-ids.ts). */
const maxIdChars = 256;
export const maxArgumentBytes = 1024 * 1024;
export const maxArgumentDepth = 100;

/** The message that records a turn; `taken` are the ids of the calls before it. */
export function renderAnswer(turn: TurnResult, taken: ReadonlySet<string>): AssistantMessage {
  const seen = new Set(taken);
  const toolCalls = turn.toolCalls.map((call) => renderCall(call, seen));
  const message: AssistantMessage = { role: "assistant", text: turn.text.toWellFormed(), toolCalls };
  // The provider's own blocks name the calls as they came.
  const asCame = toolCalls.every((call, index) => call === turn.toolCalls[index]);
  return turn.opaque === undefined || !asCame ? message : { ...message, opaque: turn.opaque };
}

/** Calls as they are recorded, with the names that were `written` where these are others: tools are found by those. */
export const keepWritten = (recorded: readonly ToolCallRequest[], written: readonly ToolCallRequest[]) =>
  recorded.map((call, at): ToolCallRequest => {
    const { name } = written[at] ?? call;
    return name === call.name ? call : { ...call, written: name };
  });

/** The very call, if nothing of it had to change. */
function renderCall(call: ToolCallRequest, seen: Set<string>): ToolCallRequest {
  const problem = findArgumentsProblem(call.arguments);
  const isIdFit = call.id !== "" && call.id.length <= maxIdChars && call.id.isWellFormed() && !seen.has(call.id);
  const id = isIdFit ? call.id : `call_${randomUUID()}`;
  seen.add(id);
  const name = renderCalledName(call.name);
  if (isIdFit && problem === undefined && name === call.name) return call;
  const args = problem === undefined ? {} : { arguments: {}, malformed: problem };
  return { ...call, id, name, ...args };
}

function findArgumentsProblem(args: unknown): string | undefined {
  if (!isShallow(args)) return `they are nested more than ${maxArgumentDepth} levels deep`;
  const bytes = Buffer.byteLength(JSON.stringify(args) ?? "");
  return bytes > maxArgumentBytes ? `they have ${bytes} bytes, expected at most ${maxArgumentBytes}` : undefined;
}

/** Level by level, not by recursion, which is what deep values exhaust. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const nested = level.filter((each) => typeof each === "object" && each !== null);
    if (nested.length > 0 && depth >= maxArgumentDepth) return false;
    level = nested.flatMap((each) => Object.values(each));
  }
  return true;
}
