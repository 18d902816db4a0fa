// From the loop's messages to those of the client library, written structurally so that only ai-sdk.ts imports it.
// Images that a model or an API cannot take are replaced or moved, never sent as text.
import type { AssistantMessage, ImageData, ModelMessage, ToolResultPart } from "./types.ts";

export interface RenderOptions<Blocks> {
  /** False: images become a note. */
  vision: boolean;
  /** Whether tool results can hold images; else they move to a user message behind the results. */
  imagesInToolResults: boolean;
  /** Marks the ends of the last turns for Anthropic's prompt cache. */
  cacheBreakpoints: boolean;
  /** The provider's own blocks of an assistant message, when they come from this very model. */
  readOpaque: (message: AssistantMessage) => Blocks | undefined;
}

const omitted = "[an image was left out: this model reads no images]";

/** Everything before it is cached. A request holds at most four; one belongs to the system prompt with the tools. */
export const cacheBreakpoint = { anthropic: { cacheControl: { type: "ephemeral" as const } } };
/** The newest is written, the one before it is read: it was the newest of the turn before. */
const turnsMarked = 2;

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
  return messages.flatMap((message, index) => {
    const rendered = renderMessage(message, options);
    const last = rendered.at(-1);
    if (last !== undefined && marked.has(index)) last.providerOptions = cacheBreakpoint;
    return rendered;
  });
}

function renderMessage<Blocks>(message: ModelMessage, options: RenderOptions<Blocks>): RenderedMessage<Blocks>[] {
  if (message.role === "user") return [renderUser(message.content, options.vision)];
  if (message.role === "assistant") return renderAssistant(message, options.readOpaque);
  return renderResults(message.results, options);
}

function renderUser(content: Extract<ModelMessage, { role: "user" }>["content"], vision: boolean) {
  return {
    role: "user" as const,
    content: content.map((part) => (part.type === "text" ? textPart(part.text) : imagePart(part, vision))),
  };
}

function renderAssistant<Blocks>(
  message: AssistantMessage,
  readOpaque: RenderOptions<Blocks>["readOpaque"],
): RenderedMessage<Blocks>[] {
  const content = readOpaque(message) ?? renderPlain(message);
  // An empty message is refused by some providers and says nothing.
  return Array.isArray(content) && content.length === 0 ? [] : [{ role: "assistant", content }];
}

function renderPlain(message: AssistantMessage) {
  const calls = message.toolCalls.map((call) => ({
    type: "tool-call" as const,
    toolCallId: call.id,
    toolName: call.name,
    // Providers want an object even where the model wrote none.
    input: isObject(call.arguments) ? call.arguments : {},
  }));
  return message.text === "" ? calls : [textPart(message.text), ...calls];
}

function renderResults<Blocks>(
  results: readonly ToolResultPart[],
  options: RenderOptions<Blocks>,
): RenderedMessage<Blocks>[] {
  const { vision } = options;
  const inside = vision && options.imagesInToolResults;
  const tool = { role: "tool" as const, content: results.map((result) => renderResult(result, inside, vision)) };
  // An error cannot carry images inside.
  const moved = results.filter((result) => result.images.length > 0 && (!inside || result.isError));
  if (!vision || moved.length === 0) return [tool];
  const content = moved.flatMap((result) => [
    textPart(`[images returned by tool ${result.name}, call ${result.callId}]`),
    ...result.images.map((image) => imagePart(image, vision)),
  ]);
  return [tool, { role: "user" as const, content }];
}

function renderResult(result: ToolResultPart, imagesInside: boolean, vision: boolean) {
  return {
    type: "tool-result" as const,
    toolCallId: result.callId,
    toolName: result.name,
    output: renderOutput(result, imagesInside, vision),
  };
}

function renderOutput(result: ToolResultPart, imagesInside: boolean, vision: boolean) {
  const notes = vision ? [] : result.images.map(() => omitted);
  if (imagesInside && result.images.length > 0 && !result.isError) {
    const text = result.text === "" ? [] : [textPart(result.text)];
    return { type: "content" as const, value: [...text, ...result.images.map((image) => imagePart(image, true))] };
  }
  const value = [result.text, ...notes].filter((line) => line !== "").join("\n");
  return result.isError ? { type: "error-text" as const, value } : { type: "text" as const, value };
}

const textPart = (text: string) => ({ type: "text" as const, text });

function imagePart(image: ImageData, vision: boolean) {
  if (!vision) return textPart(omitted);
  return { type: "file" as const, data: { type: "data" as const, data: image.data }, mediaType: image.mimeType };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
