// The keyless models for trials and tests (CFG-2). They keep nothing: every answer follows from the conversation
// alone, so that they behave the same after a restart, on another replica and in parallel calls.
import type { RunModel } from "../../crds/run-config.ts";
import { builtInProviders } from "../../crds/references.ts";
import { sleep, type Clock } from "../../lib/process/clock.ts";
import type { ModelMessage, ToolCallRequest, TurnRequest, TurnResult } from "./types.ts";

export type BuiltIn = (typeof builtInProviders)[number];

export const isBuiltIn = (kind: string): kind is BuiltIn => builtInProviders.some((name) => name === kind);

export const slowAnswerMs = 3_000;
const fixedResponse = "***FIXED_RESPONSE";
const historyLoaded = /^HISTORY LOADED \(\d+\) messages$/;

/** One turn of a built-in model. Rejects only with the signal's reason. */
export async function builtInTurn(
  kind: BuiltIn,
  request: TurnRequest,
  model: RunModel,
  clock: Clock,
): Promise<TurnResult> {
  request.signal.throwIfAborted();
  if (kind === "slow") await sleep(clock, slowAnswerMs, request.signal);
  const { text, toolCalls } =
    kind === "playback" ? { text: playBack(request.messages), toolCalls: [] } : passThrough(request.messages);
  const written = text.length + toolCalls.reduce((sum, call) => sum + JSON.stringify(call.arguments).length, 0);
  return {
    text,
    toolCalls,
    stopReason: toolCalls.length > 0 ? "tool-calls" : "end",
    usage: { input: request.messages.reduce((sum, message) => sum + textOf(message).length, 0), output: written },
    model: model.name,
  };
}

/**
 * Tool calls asked for in the last user message; after them the texts of their results; else the fixed response of
 * the latest message that set one; else the last user message itself.
 */
function passThrough(messages: readonly ModelMessage[]): { text: string; toolCalls: ToolCallRequest[] } {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: last.results.map((result) => result.text).join(" "), toolCalls: [] };
  const userTexts = messages.filter((message) => message.role === "user").map(textOf);
  const lastUser = userTexts.at(-1) ?? "";
  const earlierCalls = messages.reduce((sum, each) => sum + (each.role === "assistant" ? each.toolCalls.length : 0), 0);
  const toolCalls = parseToolCalls(lastUser, earlierCalls);
  if (toolCalls.length > 0) return { text: "", toolCalls };
  const fixed = userTexts.findLast((text) => text.startsWith(fixedResponse));
  return { text: fixed === undefined ? lastUser : fixed.slice(fixedResponse.length).trim(), toolCalls: [] };
}

/** Every line that begins with ***CALL_TOOL is one call; its JSON may go on over the following lines. */
function parseToolCalls(text: string, firstNumber: number): ToolCallRequest[] {
  return text
    .split(/^(?=\*\*\*CALL_TOOL[ \t])/m)
    .map((segment) => /^\*\*\*CALL_TOOL[ \t]+(\S+)\s*([\s\S]*)$/.exec(segment))
    .filter((match) => match !== null)
    .map(([, name = "", json = ""], index) => {
      const call = { id: `correlationId${firstNumber + index}`, name };
      const parsed = parseArguments(json.trim());
      return parsed === undefined
        ? { ...call, arguments: json.trim(), malformed: "the arguments are not valid JSON; write one JSON object" }
        : { ...call, arguments: parsed.value };
    });
}

function parseArguments(json: string): { value: unknown } | undefined {
  if (json === "") return { value: {} };
  for (const candidate of [json, json.split("\n", 1)[0] ?? ""]) {
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      continue; // The first line alone is tried next; after that the call is malformed.
    }
  }
  return undefined;
}

/**
 * The first call takes what it is given as the recording and says so; each later call returns the recording's next
 * assistant message. A user message can hold a whole recording: turns under lines `---USER` and `---ASSISTANT`.
 */
function playBack(messages: readonly ModelMessage[]): string {
  const loadedAt = messages.findIndex((message) => message.role === "assistant" && historyLoaded.test(message.text));
  const recording = messages.slice(0, loadedAt === -1 ? messages.length : loadedAt).flatMap(parseRecording);
  if (loadedAt === -1) return `HISTORY LOADED (${recording.length}) messages`;
  const answered = messages.slice(loadedAt + 1).filter((message) => message.role === "assistant").length;
  const answers = recording.filter((turn) => turn.role === "assistant");
  const next = answers[answered];
  if (next !== undefined) return next.text;
  return `MESSAGES EXHAUSTED (list size [${recording.length}]) (${answered - answers.length + 1} overage)`;
}

function parseRecording(message: ModelMessage): { role: ModelMessage["role"]; text: string }[] {
  const text = textOf(message);
  if (message.role !== "user" || !/^---(USER|ASSISTANT)[ \t]*$/m.test(text)) return [{ role: message.role, text }];
  const parts = text.split(/^---(USER|ASSISTANT)[ \t]*$/m);
  const turns: { role: ModelMessage["role"]; text: string }[] = [];
  for (let index = 1; index < parts.length; index += 2) {
    turns.push({ role: parts[index] === "USER" ? "user" : "assistant", text: (parts[index + 1] ?? "").trim() });
  }
  return turns;
}

function textOf(message: ModelMessage): string {
  if (message.role === "assistant") return message.text;
  if (message.role === "tool") return message.results.map((result) => result.text).join(" ");
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
