// Prompts, answers, arguments and results in the JSON of the GenAI conventions, for those who asked for content. The bytes
// of images stay here.
import { pdfType } from "../model/pdf.ts";
import type { Attributes } from "@opentelemetry/api";
import type { ToolResult } from "../../lib/mcp/table.ts";
import type { ModelMessage, ToolCallRequest, TurnRequest, TurnResult } from "../model/types.ts";
import { contentAttributes } from "./conventions.ts";

const textPart = (content: string) => ({ type: "text", content });
const blob = (mimeType: string) => ({
  type: "blob",
  modality: mimeType === pdfType ? "document" : "image",
  mime_type: mimeType,
});
const callPart = ({ id, name, arguments: args }: ToolCallRequest) => ({ type: "tool_call", id, name, arguments: args });
const answerParts = ({ text, toolCalls }: Pick<TurnResult, "text" | "toolCalls">) => [
  ...(text === "" ? [] : [textPart(text)]),
  ...toolCalls.map(callPart),
];

function renderParts(message: ModelMessage) {
  switch (message.role) {
    case "user":
      return message.content.map((part) => (part.type === "text" ? textPart(part.text) : blob(part.mimeType)));
    case "assistant":
      return answerParts(message);
    case "tool":
      return message.results.map(({ callId, text }) => ({ type: "tool_call_response", id: callId, response: text }));
  }
}

export const renderTurnInput = ({ system, messages }: TurnRequest): Attributes => ({
  [contentAttributes.systemInstructions]: JSON.stringify([textPart(system)]),
  [contentAttributes.inputMessages]: JSON.stringify(
    messages.map((message) => ({ role: message.role, parts: renderParts(message) })),
  ),
});

export const renderTurnOutput = (turn: TurnResult): Attributes => ({
  [contentAttributes.outputMessages]: JSON.stringify([
    { role: "assistant", parts: answerParts(turn), finish_reason: turn.stopReason },
  ]),
});

export const renderToolInput = ({ arguments: args }: ToolCallRequest): Attributes => ({
  [contentAttributes.toolArguments]: JSON.stringify(args),
});

export const renderToolOutput = ({ content }: ToolResult): Attributes => ({
  [contentAttributes.toolResult]: JSON.stringify(
    content.map((part) => (part.type === "text" ? textPart(part.text) : { type: part.type })),
  ),
});
