// The five model APIs: which path is which, and what their ways of writing an answer have in common.
import { renderData, type AnswerParts, type Frame } from "./answer-parts.ts";
import type { ScriptedAnswer, ScriptedCall } from "./script.ts";
import { renderChatFrames, renderChatWhole } from "./wire-chat.ts";
import { renderConverseEvent, renderConverseFrames, renderConverseWhole } from "./wire-converse.ts";
import { renderGenerateFrames, renderGenerateWhole } from "./wire-generate.ts";
import { renderMessagesFrames, renderMessagesWhole } from "./wire-messages.ts";
import { renderResponsesFrames, renderResponsesWhole } from "./wire-responses.ts";

/** OpenAI's two, Anthropic's, Gemini's and Bedrock's. */
export type Protocol = "chat" | "responses" | "messages" | "generate" | "converse";

interface Wire {
  path: RegExp;
  frames: (model: string, parts: AnswerParts) => Frame[];
  whole: (model: string, parts: AnswerParts) => unknown;
}

const wires: Readonly<Record<Protocol, Wire>> = {
  chat: { path: /\/chat\/completions$/, frames: renderChatFrames, whole: renderChatWhole },
  responses: { path: /\/responses$/, frames: renderResponsesFrames, whole: renderResponsesWhole },
  messages: { path: /\/messages$/, frames: renderMessagesFrames, whole: renderMessagesWhole },
  // Their paths name the model, and whether the answer is streamed.
  generate: {
    path: /\/models\/([^/]+):(stream)?generateContent$/i,
    frames: renderGenerateFrames,
    whole: renderGenerateWhole,
  },
  converse: { path: /\/model\/([^/]+)\/converse(-stream)?$/, frames: renderConverseFrames, whole: renderConverseWhole },
};

const protocols = ["chat", "responses", "messages", "generate", "converse"] as const;

const pathnameOf = (path: string) => path.split("?")[0] ?? "";

/** Of a path with or without a query; undefined for what is no model call. */
export const protocolOf = (path: string): Protocol | undefined =>
  protocols.find((protocol) => wires[protocol].path.test(pathnameOf(path)));

/** Which model is asked, and whether the answer is streamed. */
export function readCall(path: string, body: unknown): { model: string; streamed: boolean } {
  const protocol = protocolOf(path);
  const [, model, stream] = (protocol && wires[protocol].path.exec(pathnameOf(path))) ?? [];
  if (model !== undefined) return { model: decodeURIComponent(model), streamed: stream !== undefined };
  return { model: String(field(body, "model")), streamed: field(body, "stream") === true };
}

const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;

export const streamTypeOf = (protocol: Protocol): string =>
  protocol === "converse" ? "application/vnd.amazon.eventstream" : "text/event-stream";

/** Frames of a streamed answer, each ready to be written. */
export const renderFrames = (protocol: Protocol, model: string, answer: ScriptedAnswer): Frame[] =>
  wires[protocol].frames(model, partsOf(answer));

/** The answer as one JSON value. */
export const renderWhole = (protocol: Protocol, model: string, answer: ScriptedAnswer): unknown =>
  wires[protocol].whole(model, partsOf(answer));

/** An error in mid-stream. */
export function renderErrorFrame(protocol: Protocol, { event, data }: { event?: string; data: unknown }): Frame {
  if (protocol === "converse") return renderConverseEvent(event ?? "modelStreamErrorException", data, "exception");
  return `${event === undefined ? "" : `event: ${event}\n`}${renderData(data)}`;
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
