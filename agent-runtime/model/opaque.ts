// The provider's own blocks of an answer: reasoning, signatures, ids. Kept where plain text and calls would lose something, and
// sent back to the model that wrote them only, as far as its server takes them. Imports the client library as ai-sdk.ts does.
import { assistantModelMessageSchema } from "ai";
import type { AssistantContent } from "ai";
import type { RunModel } from "../../crds/run-config.ts";
import { isCommonCallId, type RenderCallId } from "./call-ids.ts";
import { reasoningStandIn } from "./messages.ts";
import { withoutThinking } from "./thinking-text.ts";
import type { AssistantMessage } from "./types.ts";

/** Undefined where plain text and calls say the same. */
export function renderOpaque(content: AssistantContent, model: RunModel): unknown {
  if (typeof content === "string") return undefined;
  // Custom parts are the library's own bookkeeping of a response.
  const [first, ...others] = content.filter((part) => part.type !== "custom");
  if (first === undefined) return undefined;
  const isThought = first.type === "text" && withoutThinking(first.text) !== first.text;
  const blocks = isThought ? [{ ...first, text: withoutThinking(first.text) }, ...others] : [first, ...others];
  const plain = blocks.every(
    (part) =>
      (part.type === "text" || (part.type === "tool-call" && isCommonCallId(part.toolCallId))) &&
      part.providerOptions === undefined,
  );
  return plain ? undefined : { model: model.ref, content: blocks };
}

/** Undefined for what another model left, and for what this version cannot read. */
export function parseOpaque({ opaque }: AssistantMessage, model: RunModel): AssistantContent | undefined {
  if (typeof opaque !== "object" || opaque === null || !("model" in opaque) || !("content" in opaque)) return undefined;
  if (opaque.model !== model.ref) return undefined;
  const parsed = assistantModelMessageSchema.safeParse({ role: "assistant", content: opaque.content });
  return parsed.success ? parsed.data.content : undefined;
}

export interface ReplayRules {
  callId: RenderCallId;
  reasoning: "as-it-came" | "keep" | "omit";
}

/** The blocks as they may go back. */
export function fitBlocks(content: AssistantContent, { callId, reasoning }: ReplayRules): AssistantContent {
  if (typeof content === "string") return content.trim() === "" ? [] : content;
  const blocks = content
    // A blank text is refused by some, and says nothing.
    .filter((part) => part.type !== "text" || part.text.trim() !== "")
    .filter((part) => reasoning !== "omit" || part.type !== "reasoning")
    .map((part) => (part.type === "tool-call" ? { ...part, toolCallId: callId(part.toolCallId) } : part));
  const wanting =
    reasoning === "keep" &&
    blocks.some((part) => part.type === "tool-call") &&
    blocks.every((part) => part.type !== "reasoning" || part.text === "");
  return wanting ? [reasoningStandIn, ...blocks] : blocks;
}
