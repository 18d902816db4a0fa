// From the loop's messages to those of the client library, written structurally so that only ai-sdk.ts imports it.
// What a model or an API cannot take is replaced, moved or left out: images, blank texts, ids and names of calls, two messages of
// the user in a row.
import { renderCalledName } from "../../lib/mcp/tool-name.ts";
import type { RenderCallId } from "./call-ids.ts";
import { pdfType } from "./pdf.ts";
import type { AssistantMessage, ImageData, ModelMessage, ToolResultPart } from "./types.ts";

export interface RenderOptions<Blocks> {
  /** False: images become a note. */
  vision: boolean;
  /** False: PDFs become a note. */
  pdf: boolean;
  /** Whether tool results can hold images; else they move to a user message behind the results. */
  imagesInToolResults: boolean;
  /** Marks the ends of the last turns for Anthropic's prompt cache. */
  cacheBreakpoints: boolean;
  /** The provider's own blocks of an assistant message, when they come from this very model. */
  readOpaque: (message: AssistantMessage) => Blocks | undefined;
  callId: RenderCallId;
  /** An answer must stand between tool results and what the user says next. */
  refusesUserAfterTool: boolean;
  /** Calls without reasoning get a stand-in for it. */
  wantsReasoning: boolean;
}

/** Stands where a server wants reasoning and none was kept, or another model answered. */
export const reasoningStandIn = { type: "reasoning" as const, text: "(not kept)" };
const blank = "(no text)";
const noOutput = "(no output)";
const bridge = "I look at what the tools returned.";
const omitted = "[an image was left out: this model reads no images]";

/** Everything before it is cached. A request holds at most four; one belongs to the system prompt with the tools. */
export const cacheBreakpoint = { anthropic: { cacheControl: { type: "ephemeral" as const } } };
/** The newest is written, the one before it is read: it was the newest of the turn before. */
const turnsMarked = 2;

type PartOptions = Pick<RenderOptions<unknown>, "vision" | "pdf">;
/** Vendors bound its characters, each in another way; what a file is called stands in the text before it. */
const pdfName = "attachment.pdf";

type RenderedMessage<Blocks> = { providerOptions?: typeof cacheBreakpoint } & (
  | ReturnType<typeof renderUser>
  | { role: "assistant"; content: Blocks | ReturnType<typeof renderPlain> }
  | { role: "tool"; content: ReturnType<typeof renderResult>[] }
);

/** Renders a conversation. Its order and number of tool results are the loop's. */
export function renderMessages<Blocks>(
  messages: readonly ModelMessage[],
  options: RenderOptions<Blocks>,
): RenderedMessage<Blocks>[] {
  const turns = messages.flatMap(({ role }, index) => (role === "assistant" ? [] : [index]));
  const marked = new Set(options.cacheBreakpoints ? turns.slice(-turnsMarked) : []);
  const rendered = messages.flatMap((message, index) => {
    const parts = renderMessage(message, options);
    const last = parts.at(-1);
    if (last !== undefined && marked.has(index)) last.providerOptions = cacheBreakpoint;
    return parts;
  });
  return joinUserMessages(rendered, options.refusesUserAfterTool);
}

/** Templates of many models want the user and the model to alternate. */
function joinUserMessages<Blocks>(messages: readonly RenderedMessage<Blocks>[], bridged: boolean) {
  const joined: RenderedMessage<Blocks>[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "user" && last?.role === "user") {
      joined[joined.length - 1] = { ...last, ...message, content: [...last.content, ...message.content] };
      continue;
    }
    if (bridged && message.role === "user" && last?.role === "tool") {
      joined.push({ role: "assistant", content: [textPart(bridge)] });
    }
    joined.push(message);
  }
  return joined;
}

function renderMessage<Blocks>(message: ModelMessage, options: RenderOptions<Blocks>): RenderedMessage<Blocks>[] {
  if (message.role === "user") return [renderUser(message.content, options)];
  if (message.role === "assistant") return renderAssistant(message, options);
  return renderResults(message.results, options);
}

function renderUser(content: Extract<ModelMessage, { role: "user" }>["content"], options: PartOptions) {
  const said = content.filter((part) => part.type === "image" || part.text.trim() !== "");
  const parts = said.map((part) => {
    if (part.type === "text") return textPart(part.text);
    return part.mimeType === pdfType ? pdfPart(part, options.pdf) : imagePart(part, options.vision);
  });
  return { role: "user" as const, content: parts.length === 0 ? [textPart(blank)] : parts };
}

function renderAssistant<Blocks>(message: AssistantMessage, options: RenderOptions<Blocks>): RenderedMessage<Blocks>[] {
  const content = options.readOpaque(message) ?? renderPlain(message, options);
  // An empty message is refused by some providers and says nothing.
  return Array.isArray(content) && content.length === 0 ? [] : [{ role: "assistant", content }];
}

function renderPlain(message: AssistantMessage, options: Pick<RenderOptions<unknown>, "callId" | "wantsReasoning">) {
  const calls = message.toolCalls.map((call) => ({
    type: "tool-call" as const,
    toolCallId: options.callId(call.id),
    toolName: renderCalledName(call.name),
    // Providers want an object even where the model wrote none.
    input: isObject(call.arguments) ? call.arguments : {},
  }));
  const reasoning = options.wantsReasoning && calls.length > 0 ? [reasoningStandIn] : [];
  const text = message.text.trim() === "" ? [] : [textPart(message.text)];
  return [...reasoning, ...text, ...calls];
}

function renderResults<Blocks>(
  results: readonly ToolResultPart[],
  options: RenderOptions<Blocks>,
): RenderedMessage<Blocks>[] {
  const { vision } = options;
  const inside = vision && options.imagesInToolResults;
  const tool = { role: "tool" as const, content: results.map((result) => renderResult(result, inside, options)) };
  // An error cannot carry images inside.
  const moved = results.filter((result) => result.images.length > 0 && (!inside || result.isError));
  if (!vision || moved.length === 0) return [tool];
  const content = moved.flatMap((result) => [
    textPart(`[images returned by tool ${result.name}, call ${options.callId(result.callId)}]`),
    ...result.images.map((image) => imagePart(image, vision)),
  ]);
  return [tool, { role: "user" as const, content }];
}

function renderResult(
  result: ToolResultPart,
  imagesInside: boolean,
  { callId, vision }: Pick<RenderOptions<unknown>, "callId" | "vision">,
) {
  return {
    type: "tool-result" as const,
    toolCallId: callId(result.callId),
    toolName: renderCalledName(result.name),
    output: renderOutput(result, imagesInside, vision),
  };
}

function renderOutput(result: ToolResultPart, imagesInside: boolean, vision: boolean) {
  const notes = vision ? [] : result.images.map(() => omitted);
  if (imagesInside && result.images.length > 0 && !result.isError) {
    const text = result.text.trim() === "" ? [] : [textPart(result.text)];
    return { type: "content" as const, value: [...text, ...result.images.map((image) => imagePart(image, true))] };
  }
  const value = [result.text, ...notes].filter((line) => line.trim() !== "").join("\n") || noOutput;
  return result.isError ? { type: "error-text" as const, value } : { type: "text" as const, value };
}

const textPart = (text: string) => ({ type: "text" as const, text });

function pdfPart({ data, mimeType }: ImageData, pdf: boolean) {
  if (!pdf) return textPart("[a PDF was left out: this model reads none]");
  return { type: "file" as const, data: { type: "data" as const, data }, mediaType: mimeType, filename: pdfName };
}

function imagePart(image: ImageData, vision: boolean) {
  if (!vision) return textPart(omitted);
  return { type: "file" as const, data: { type: "data" as const, data: image.data }, mediaType: image.mimeType };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
