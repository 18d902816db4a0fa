// The three model APIs: which path is which, and what their ways of writing an answer have in common.
import type { AnswerParts } from "./answer-parts.ts";
import type { ScriptedAnswer, ScriptedCall } from "./script.ts";
import { renderChatFrames, renderChatWhole } from "./wire-chat.ts";
import { renderMessagesFrames, renderMessagesWhole } from "./wire-messages.ts";
import { renderResponsesFrames, renderResponsesWhole } from "./wire-responses.ts";

export type Protocol = "chat" | "responses" | "messages";

const paths: readonly (readonly [string, Protocol])[] = [
  ["/chat/completions", "chat"],
  ["/responses", "responses"],
  ["/messages", "messages"],
];

/** Of a path with or without a query; undefined for what is no model call. */
export function protocolOf(path: string): Protocol | undefined {
  const [pathname = ""] = path.split("?");
  return paths.find(([ending]) => pathname.endsWith(ending))?.[1];
}

/** Which model is asked, and whether the answer is streamed. */
export function readCall(_path: string, body: unknown): { model: string; streamed: boolean } {
  return { model: String(field(body, "model")), streamed: field(body, "stream") === true };
}

const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;

/** Frames of a streamed answer, each ready to be written. */
export function renderFrames(protocol: Protocol, model: string, answer: ScriptedAnswer): string[] {
  const parts = partsOf(answer);
  if (protocol === "chat") return renderChatFrames(model, parts);
  if (protocol === "responses") return renderResponsesFrames(model, parts);
  return renderMessagesFrames(model, parts);
}

/** The answer as one JSON value. */
export function renderWhole(protocol: Protocol, model: string, answer: ScriptedAnswer): unknown {
  const parts = partsOf(answer);
  if (protocol === "chat") return renderChatWhole(model, parts);
  if (protocol === "responses") return renderResponsesWhole(model, parts);
  return renderMessagesWhole(model, parts);
}

function partsOf(answer: ScriptedAnswer): AnswerParts {
  const { text, usage = {} } = answer;
  return {
    reasoning: answer.reasoning,
    texts: text === undefined ? undefined : [text].flat(),
    calls: (answer.toolCalls ?? []).map((call, index) => ({
      id: call.id ?? `call_${index + 1}`,
      name: call.name,
      argumentsText: argumentsText(call),
    })),
    cut: answer.stop === "length",
    input: usage.input ?? 1,
    output: usage.output ?? 1,
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite: usage.cacheWrite ?? 0,
    reasoningTokens: usage.reasoning ?? 0,
  };
}

const argumentsText = (call: ScriptedCall) =>
  typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments ?? {});
