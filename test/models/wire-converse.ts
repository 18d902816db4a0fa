// Bedrock's Converse, streamed in AWS's binary frames: lengths, headers and two checksums around JSON.
import { crc32 } from "node:zlib";
import { readArguments, type AnswerParts } from "./answer-parts.ts";

const stopReason = ({ cut, calls }: AnswerParts) => (cut ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn");

const renderUsage = (parts: AnswerParts) => ({
  inputTokens: parts.input,
  outputTokens: parts.output,
  totalTokens: parts.input + parts.output + parts.cacheRead + parts.cacheWrite,
  cacheReadInputTokens: parts.cacheRead,
  cacheWriteInputTokens: parts.cacheWrite,
});

export function renderConverseWhole(_model: string, parts: AnswerParts): unknown {
  const { reasoning, texts, calls } = parts;
  const content = [
    ...(reasoning === undefined
      ? []
      : [{ reasoningContent: { reasoningText: { text: reasoning, signature: "signed" } } }]),
    ...(texts === undefined ? [] : [{ text: texts.join("") }]),
    ...calls.map(({ id, name, argumentsText }) => ({
      toolUse: { toolUseId: id, name, input: readArguments(argumentsText) },
    })),
  ];
  return {
    output: { message: { role: "assistant", content } },
    stopReason: stopReason(parts),
    usage: renderUsage(parts),
    metrics: { latencyMs: 1 },
  };
}

/** A block's announcement, which only calls have, and its pieces. */
interface Block {
  start?: object;
  deltas: object[];
}

function renderBlocks({ reasoning, texts, calls }: AnswerParts): Block[] {
  return [
    ...(reasoning === undefined
      ? []
      : [{ deltas: [{ reasoningContent: { text: reasoning } }, { reasoningContent: { signature: "signed" } }] }]),
    ...(texts === undefined ? [] : [{ deltas: texts.map((text) => ({ text })) }]),
    ...calls.map(({ id, name, argumentsText }) => ({
      start: { toolUse: { toolUseId: id, name } },
      deltas: [{ toolUse: { input: argumentsText } }],
    })),
  ];
}

export function renderConverseFrames(_model: string, parts: AnswerParts): Uint8Array[] {
  return [
    renderConverseEvent("messageStart", { role: "assistant" }),
    ...renderBlocks(parts).flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start === undefined ? [] : [renderConverseEvent("contentBlockStart", { contentBlockIndex, start })]),
      ...deltas.map((delta) => renderConverseEvent("contentBlockDelta", { contentBlockIndex, delta })),
      renderConverseEvent("contentBlockStop", { contentBlockIndex }),
    ]),
    renderConverseEvent("messageStop", { stopReason: stopReason(parts) }),
    renderConverseEvent("metadata", { usage: renderUsage(parts), metrics: { latencyMs: 1 } }),
  ];
}

const stringHeader = 7;

function renderHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([stringHeader]),
    length,
    Buffer.from(value),
  ]);
}

const prelude = 12;
const checksum = 4;

/** One frame; an exception ends a stream as an error does. */
export function renderConverseEvent(name: string, payload: unknown, kind: "event" | "exception" = "event"): Uint8Array {
  const headers = Buffer.concat([
    renderHeader(`:${kind}-type`, name),
    renderHeader(":content-type", "application/json"),
    renderHeader(":message-type", kind),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const frame = Buffer.alloc(prelude + headers.length + body.length + checksum);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(headers.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  headers.copy(frame, prelude);
  body.copy(frame, prelude + headers.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - checksum)), frame.length - checksum);
  return frame;
}
