// Anthropic's messages. Input tokens exclude what was cached.
import { readArguments, renderEvent, type AnswerParts } from "./answer-parts.ts";

const stopReason = ({ cut, calls }: AnswerParts) => (cut ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn");

const renderInputUsage = (parts: AnswerParts) => ({
  input_tokens: parts.input,
  cache_read_input_tokens: parts.cacheRead,
  cache_creation_input_tokens: parts.cacheWrite,
});

const renderOutputUsage = ({ output, reasoningTokens }: AnswerParts) => ({
  output_tokens: output,
  ...(reasoningTokens === 0 ? {} : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
});

const renderMessage = (model: string, fields: object) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model,
  stop_sequence: null,
  ...fields,
});

interface Block {
  whole: object;
  /** As it is announced, and the pieces that follow. */
  start: object;
  deltas: object[];
}

function renderBlocks(parts: AnswerParts): Block[] {
  const blocks: Block[] = [];
  const { reasoning, texts } = parts;
  if (reasoning !== undefined) {
    blocks.push({
      whole: { type: "thinking", thinking: reasoning, signature: "signed" },
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: reasoning },
        { type: "signature_delta", signature: "signed" },
      ],
    });
  }
  if (texts !== undefined) {
    blocks.push({
      whole: { type: "text", text: texts.join("") },
      start: { type: "text", text: "" },
      deltas: texts.map((text) => ({ type: "text_delta", text })),
    });
  }
  for (const { id, name, argumentsText } of parts.calls) {
    blocks.push({
      whole: { type: "tool_use", id, name, input: readArguments(argumentsText) },
      start: { type: "tool_use", id, name, input: {} },
      deltas: [{ type: "input_json_delta", partial_json: argumentsText }],
    });
  }
  return blocks;
}

export function renderMessagesFrames(model: string, parts: AnswerParts): string[] {
  const event = (type: string, fields: object = {}) => renderEvent(type, { type, ...fields });
  const usage = { ...renderInputUsage(parts), output_tokens: 0 };
  const message = renderMessage(model, { content: [], stop_reason: null, usage });
  return [
    event("message_start", { message }),
    event("ping"),
    ...renderBlocks(parts).flatMap(({ start, deltas }, index) => [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: stopReason(parts), stop_sequence: null },
      usage: renderOutputUsage(parts),
    }),
    event("message_stop"),
  ];
}

export function renderMessagesWhole(model: string, parts: AnswerParts): unknown {
  return renderMessage(model, {
    content: renderBlocks(parts).map((block) => block.whole),
    stop_reason: stopReason(parts),
    usage: { ...renderInputUsage(parts), ...renderOutputUsage(parts) },
  });
}
