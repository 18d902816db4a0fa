// The tool calls of a model's turn, made fit to be stored, sent back and answered: a history that one provider refuses for a
// name, or that cannot be written down, would be lost for good. It judges form only; what may be called is dispatch's.
import { randomUUID } from "node:crypto";
import type { AssistantMessage, ToolCallRequest, TurnResult } from "../model/types.ts";

const idLengthMax = 256;
export const argumentBytesMax = 1024 * 1024;
export const argumentDepthMax = 100;
/** What providers take back as a tool's name; those of ours all fit (tools/naming.ts). */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const nameLengthMax = 64;

/** The message that records a turn; `taken` are the ids of the calls before it. */
export function renderAnswer(turn: TurnResult, taken: ReadonlySet<string>): AssistantMessage {
  const seen = new Set(taken);
  const toolCalls = turn.toolCalls.map((call) => renderCall(call, seen));
  const message: AssistantMessage = { role: "assistant", text: turn.text.toWellFormed(), toolCalls };
  // The provider's own blocks name the calls as they came.
  const asCame = toolCalls.every((call, index) => call === turn.toolCalls[index]);
  return turn.opaque === undefined || !asCame ? message : { ...message, opaque: turn.opaque };
}

/** The very call, if nothing of it had to change. */
function renderCall(call: ToolCallRequest, seen: Set<string>): ToolCallRequest {
  const fault = findArgumentsFault(call.arguments);
  const isIdFit = call.id !== "" && call.id.length <= idLengthMax && call.id.isWellFormed() && !seen.has(call.id);
  const id = isIdFit ? call.id : `call_${randomUUID()}`;
  seen.add(id);
  if (isIdFit && fault === undefined && namePattern.test(call.name)) return call;
  const args = fault === undefined ? {} : { arguments: {}, malformed: fault };
  return { ...call, id, name: renderName(call.name), ...args };
}

/** Never the name of a tool: what is refused is replaced, not left out, and what is cut ends in a mark. */
function renderName(name: string): string {
  if (namePattern.test(name)) return name;
  const accepted = name.slice(0, nameLengthMax).replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  return `${accepted.slice(0, nameLengthMax - 1)}_`;
}

function findArgumentsFault(args: unknown): string | undefined {
  if (!isShallow(args)) return `they are nested more than ${argumentDepthMax} levels deep`;
  const bytes = Buffer.byteLength(JSON.stringify(args) ?? "");
  return bytes > argumentBytesMax ? `they have ${bytes} bytes, expected at most ${argumentBytesMax}` : undefined;
}

/** Level by level, not by recursion, which is what deep values exhaust. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const nested = level.filter((each) => typeof each === "object" && each !== null);
    if (nested.length > 0 && depth >= argumentDepthMax) return false;
    level = nested.flatMap((each) => Object.values(each));
  }
  return true;
}
