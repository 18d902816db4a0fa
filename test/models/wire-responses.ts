// OpenAI's responses. Reasoning is sealed, as without storing it is.
import { renderEvent, type AnswerParts } from "./answer-parts.ts";

type Item = Record<string, unknown>;

const renderReasoning = (reasoning: string): Item => ({
  type: "reasoning",
  id: "rs_1",
  summary: [],
  encrypted_content: `sealed:${reasoning}`,
});

const renderMessage = (texts: readonly string[]): Item => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: texts.join(""), annotations: [] }],
});

const renderCall = ({ id, name, argumentsText }: AnswerParts["calls"][number], index: number): Item => ({
  type: "function_call",
  id: `fc_${index + 1}`,
  call_id: id,
  name,
  arguments: argumentsText,
  status: "completed",
});

function renderItems(parts: AnswerParts): Item[] {
  return [
    ...(parts.reasoning === undefined ? [] : [renderReasoning(parts.reasoning)]),
    ...(parts.texts === undefined ? [] : [renderMessage(parts.texts)]),
    ...parts.calls.map(renderCall),
  ];
}

function renderResponse(model: string, parts: AnswerParts, output: Item[]) {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model,
    service_tier: null,
    status: parts.cut ? "incomplete" : "completed",
    incomplete_details: parts.cut ? { reason: "max_output_tokens" } : null,
    output,
    usage: {
      input_tokens: parts.input,
      input_tokens_details: { cached_tokens: parts.cacheRead },
      output_tokens: parts.output,
      output_tokens_details: { reasoning_tokens: parts.reasoningTokens },
      total_tokens: parts.input + parts.output,
    },
  };
}

export const renderResponsesWhole = (model: string, parts: AnswerParts): unknown =>
  renderResponse(model, parts, renderItems(parts));

export function renderResponsesFrames(model: string, parts: AnswerParts): string[] {
  let sequence = 0;
  const event = (type: string, fields: object) => renderEvent(type, { type, sequence_number: sequence++, ...fields });
  const begun = { id: "resp_1", object: "response", created_at: 1, model, service_tier: null };
  const frames = [event("response.created", { response: { ...begun, status: "in_progress", output: [] } })];
  for (const [index, item] of renderItems(parts).entries()) {
    const place = { output_index: index };
    frames.push(event("response.output_item.added", { ...place, item: { ...item, ...emptied(item) } }));
    for (const { type, ...fields } of deltasOf(item, parts)) {
      frames.push(event(type, { ...place, item_id: item["id"], ...fields }));
    }
    frames.push(event("response.output_item.done", { ...place, item }));
  }
  const ended = parts.cut ? "response.incomplete" : "response.completed";
  frames.push(event(ended, { response: renderResponse(model, parts, renderItems(parts)) }));
  return frames;
}

/** What of an item is not there yet when it is announced. */
function emptied({ type }: Item): Item {
  if (type === "reasoning") return { encrypted_content: null };
  if (type === "message") return { content: [], status: "in_progress" };
  return { arguments: "", status: "in_progress" };
}

function deltasOf(item: Item, parts: AnswerParts): { type: string; delta: unknown; content_index?: number }[] {
  if (item["type"] === "message") {
    return (parts.texts ?? []).map((delta) => ({ type: "response.output_text.delta", content_index: 0, delta }));
  }
  if (item["type"] === "reasoning") return [];
  return [{ type: "response.function_call_arguments.delta", delta: item["arguments"] }];
}
