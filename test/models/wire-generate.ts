// Gemini's generateContent. Arguments of calls are values; each call carries the signature that Gemini 3 wants back.
import { readArguments, renderData, type AnswerParts } from "./answer-parts.ts";

const renderUsage = (parts: AnswerParts) => ({
  promptTokenCount: parts.input,
  candidatesTokenCount: parts.output - parts.reasoningTokens,
  thoughtsTokenCount: parts.reasoningTokens,
  cachedContentTokenCount: parts.cacheRead,
  totalTokenCount: parts.input + parts.output,
});

function renderParts({ reasoning, texts, calls }: AnswerParts): object[] {
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(texts ?? []).map((text) => ({ text })),
    ...calls.map(({ id, name, argumentsText }) => ({
      functionCall: { id, name, args: readArguments(argumentsText) },
      thoughtSignature: "c2lnbmVk",
    })),
  ];
}

function renderResponse(model: string, parts: AnswerParts, content: object[], isLast: boolean): object {
  const candidate = { index: 0, content: { role: "model", parts: content } };
  const finish = isLast ? { finishReason: parts.cut ? "MAX_TOKENS" : "STOP" } : {};
  return {
    candidates: [{ ...candidate, ...finish }],
    modelVersion: model,
    responseId: "gen_1",
    ...(isLast ? { usageMetadata: renderUsage(parts) } : {}),
  };
}

export const renderGenerateWhole = (model: string, parts: AnswerParts): unknown =>
  renderResponse(model, parts, renderParts(parts), true);

export function renderGenerateFrames(model: string, parts: AnswerParts): string[] {
  const content = renderParts(parts).map((part) => renderData(renderResponse(model, parts, [part], false)));
  return [...content, renderData(renderResponse(model, parts, [{ text: "" }], true))];
}
