// OpenAI's chat completions, with `reasoning_content` as compatible servers have it.
import { defined } from "../../lib/process/defined.ts";
import { renderData, type AnswerParts } from "./answer-parts.ts";

const finishReason = ({ cut, calls }: AnswerParts) => (cut ? "length" : calls.length > 0 ? "tool_calls" : "stop");

const renderUsage = (parts: AnswerParts) => ({
  prompt_tokens: parts.input,
  completion_tokens: parts.output,
  total_tokens: parts.input + parts.output,
  prompt_tokens_details: { cached_tokens: parts.cacheRead },
  completion_tokens_details: { reasoning_tokens: parts.reasoningTokens },
});

const renderCalls = ({ calls }: AnswerParts) =>
  calls.map(({ id, name, argumentsText }) => ({ id, type: "function", function: { name, arguments: argumentsText } }));

export function renderChatFrames(model: string, parts: AnswerParts): string[] {
  const chunk = (fields: object) =>
    renderData({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, ...fields });
  const delta = (value: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
  return [
    delta({ role: "assistant", content: "" }),
    ...(parts.reasoning === undefined ? [] : [delta({ reasoning_content: parts.reasoning })]),
    ...(parts.texts ?? []).map((content) => delta({ content })),
    ...renderCalls(parts).map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
    delta({}, finishReason(parts)),
    chunk({ choices: [], usage: renderUsage(parts) }),
    "data: [DONE]\n\n",
  ];
}

export function renderChatWhole(model: string, parts: AnswerParts): unknown {
  const calls = renderCalls(parts);
  const message = {
    role: "assistant",
    content: parts.texts?.join("") ?? null,
    ...defined({ reasoning_content: parts.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: finishReason(parts) }],
    usage: renderUsage(parts),
  };
}
