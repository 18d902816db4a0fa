// With opaque.ts the only importer of `ai`: one streamed call of one model. Retries, fallbacks and the tool loop are not its business,
// and it is told to do none of the library's own. The library never sees a credential of ours.
import { jsonSchema, NoSuchToolError, streamText, tool } from "ai";
import type { LanguageModelUsage, TextStreamPart, ToolSet } from "ai";
import type { RunModel, RunProvider } from "../../crds/run-config.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { untilAborted } from "../../lib/process/until-aborted.ts";
import type { Access } from "./access.ts";
import { createCallIds } from "./call-ids.ts";
import { createClient } from "./clients.ts";
import { toModelError } from "./errors.ts";
import { addToBody } from "./extra-body.ts";
import type { FittedTool, LeftOut } from "./fit-tools.ts";
import { createProviderFetch } from "./http.ts";
import { cacheBreakpoint, renderMessages } from "./messages.ts";
import { fitBlocks, parseOpaque, renderOpaque } from "./opaque.ts";
import { readsPdf } from "./pdf.ts";
import { renderSampling, type Parameter } from "./sampling.ts";
import { watchSilence, type SilenceWatch } from "./silence.ts";
import { createThinkingFilter, withoutThinking } from "./thinking-text.ts";
import { restoreKeys } from "./tool-schemas/keys.ts";
import { ModelError } from "./types.ts";
import type { ModelMessage, StopReason, TokenUsage, ToolCallRequest, TurnRequest, TurnResult } from "./types.ts";
import type { VendorRules } from "./vendor-rules.ts";

// Its warnings would go to the console of the process; they come with the stream too, and are handed to onNote.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A call without a single byte for this long has stalled. */
const maxSilenceMs = 120_000;

/** How a request is made to fit its model; what was asked for stays in the request itself. */
export interface RequestFit {
  tools: readonly FittedTool[];
  leftOut: readonly LeftOut[];
  /** The conversation with the images that its provider takes. */
  messages: readonly ModelMessage[];
  /** What the model is told behind the agent's instruction. */
  systemNote: string;
  rules: VendorRules;
  /** Parameters that this model has refused before. */
  refused: ReadonlySet<Parameter>;
  /** Undefined: no limit is sent. */
  outputTokens: number | undefined;
  /** Answers go back without the provider's own blocks. */
  plainReplay: boolean;
}

export interface StreamTurnInput {
  provider: RunProvider;
  model: RunModel;
  access: Access;
  request: TurnRequest;
  fit: RequestFit;
  clock: Clock;
  /** Hears of what was not sent as asked. */
  onNote: (note: string) => void;
  /** Speaks HTTP. */
  fetch: typeof globalThis.fetch;
}

/**
 * One model turn, streamed.
 * @throws ModelError, or the reason of the request's signal.
 */
export async function streamTurn(input: StreamTurnInput): Promise<TurnResult> {
  const { provider, model, request, clock } = input;
  const watch = watchSilence({
    clock,
    silenceMs: maxSilenceMs,
    deadlineMs: request.deadlineMs,
    signal: request.signal,
  });
  try {
    // A library that is deaf to its signal must not hold the turn.
    return await untilAborted(callModel(input, watch), watch.signal);
  } catch (error) {
    request.signal.throwIfAborted();
    const expired = watch.expired();
    if (expired !== undefined) {
      const what = expired === "silence" ? `sent nothing for ${maxSilenceMs / 1000} s` : "had no time left to answer";
      throw new ModelError(`${provider.name}: model '${model.name}' ${what}; check the provider or allow more time`, {
        kind: "network",
        provider: provider.name,
      });
    }
    throw toModelError(error, {
      provider: provider.name,
      model: model.name,
      cure: input.access.cure,
      secrets: input.access.secrets,
      nowMs: clock.wallNow(),
    });
  } finally {
    watch.stop();
  }
}

async function callModel(input: StreamTurnInput, watch: SilenceWatch): Promise<TurnResult> {
  const { provider, model, request, fit } = input;
  const { refused, rules, outputTokens } = fit;
  const { kind } = provider;
  const hasTools = fit.tools.length > 0;
  const { settings } = request;
  const { notes, ...sampling } = renderSampling({ kind, model, settings, refused, outputTokens, rules, hasTools });
  for (const { param, reason } of notes) input.onNote(`${param}: ${reason}`);
  let bytesSeen = false;
  const { credential, headers, renew } = input.access;
  const providerFetch = createProviderFetch({
    fetch: input.fetch,
    headers,
    renew,
    signal: watch.signal,
    keepsCredentials: kind === "bedrock" && credential === "none",
    ...(kind === "bedrock" ? {} : { changeBody: (body) => addToBody(body, settings.extra) }),
    onBytes: (count) => {
      bytesSeen ||= count > 0;
      watch.touch();
    },
  });
  const client = await createClient({
    provider,
    model: model.name,
    fetch: providerFetch,
    credential,
    includeUsage: !refused.has("streamOptions"),
  });
  const tools = renderTools(fit.tools);
  const caching = kind === "anthropic" && !refused.has("cacheControl");
  const system = `${request.system}${fit.systemNote}`;
  const result = streamText({
    model: client,
    instructions: caching ? { role: "system", content: system, providerOptions: cacheBreakpoint } : system,
    messages: renderHistory(input, caching),
    ...defined({ tools }),
    ...sampling,
    maxRetries: 0,
    abortSignal: watch.signal,
    // Tells an answer that was cut early from one that was never a model's.
    include: { rawChunks: true },
    // collect() meets every error as a part of the stream; without a handler the library also prints it.
    onError: () => undefined,
  });
  const turn = await collect(result.stream, { onNote: input.onNote, onText: request.onText, tools: fit.tools });
  if (turn.cut) throw cutOff(provider, bytesSeen && !turn.anyEvent);
  const [answer] = await result.responseMessages;
  const opaque = answer?.role === "assistant" ? renderOpaque(answer.content, model) : undefined;
  return {
    text: withoutThinking(turn.text),
    toolCalls: turn.toolCalls,
    stopReason: turn.stopReason,
    usage: renderUsage(turn.usage, kind),
    model: model.name,
    ...defined({ opaque }),
  };
}

/** A stream that ended too early: a network fault, unless what came was no model's answer at all. */
function cutOff(provider: RunProvider, garbage: boolean): ModelError {
  return garbage
    ? new ModelError(
        `${provider.name}: the answer is not a stream of the expected API; check kind and baseUrl of the provider`,
        { kind: "invalid_response", provider: provider.name },
      )
    : new ModelError(`${provider.name}: the connection was cut in the middle of an answer; try again`, {
        kind: "network",
        provider: provider.name,
      });
}

function renderHistory({ provider, model, fit }: StreamTurnInput, cacheBreakpoints: boolean) {
  const { kind } = provider;
  const { rules, plainReplay, messages } = fit;
  const blocksOf = new Map(
    messages.flatMap((message) => {
      const blocks = message.role === "assistant" && !plainReplay ? parseOpaque(message, model) : undefined;
      return blocks === undefined ? [] : [[message, blocks]];
    }),
  );
  const own = new Set(
    messages.flatMap((message) =>
      message.role === "assistant" && blocksOf.has(message) ? message.toolCalls.map(({ id }) => id) : [],
    ),
  );
  const callId = createCallIds({ nineCharacters: rules.nineCharacterIds, own });
  return renderMessages(messages, {
    vision: model.capabilities.vision,
    pdf: readsPdf(model, [provider]),
    imagesInToolResults: kind === "anthropic" || kind === "openai",
    cacheBreakpoints,
    readOpaque: (message) => {
      const blocks = blocksOf.get(message);
      return blocks === undefined ? undefined : fitBlocks(blocks, { callId, reasoning: rules.reasoningContent });
    },
    callId,
    refusesUserAfterTool: rules.refusesUserAfterTool,
    wantsReasoning: rules.reasoningContent === "keep",
  });
}

function renderTools(tools: readonly FittedTool[]): ToolSet | undefined {
  if (tools.length === 0) return undefined;
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [name, tool({ description, inputSchema: jsonSchema(schema) })]),
  );
}

interface Collected {
  text: string;
  toolCalls: ToolCallRequest[];
  stopReason: StopReason;
  usage: LanguageModelUsage | undefined;
  /** At least one event of the protocol came. */
  anyEvent: boolean;
  /** No finish came. */
  cut: boolean;
}

interface CollectOptions {
  onNote: (note: string) => void;
  onText: TurnRequest["onText"] | undefined;
  tools: readonly FittedTool[];
}

/** Reads a stream to its end. Errors inside it are thrown as they come. */
async function collect(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  { onNote, onText, tools }: CollectOptions,
): Promise<Collected> {
  const turn: Collected = {
    text: "",
    toolCalls: [],
    stopReason: "other",
    usage: undefined,
    anyEvent: false,
    cut: true,
  };
  const thinking = createThinkingFilter();
  const write = (piece: string) => {
    if (piece === "") return;
    onText?.(piece, turn.text.length);
    turn.text += piece;
  };
  for await (const part of stream) {
    switch (part.type) {
      case "start-step":
        for (const warning of part.warnings) onNote(describeWarning(warning));
        break;
      case "text-start":
        if (turn.text !== "") write("\n\n");
        break;
      case "text-delta":
        write(thinking.push(part.text));
        break;
      case "raw":
        turn.anyEvent = true;
        break;
      case "tool-call":
        turn.toolCalls.push(readToolCall(part, tools));
        break;
      case "error":
        if (isEarlyEnd(part.error)) return turn;
        throw part.error;
      case "abort":
        return turn;
      case "finish-step":
        turn.usage = part.usage;
        turn.stopReason = stopReasons[part.finishReason] ?? "other";
        turn.cut = part.finishReason === "error" || part.finishReason === "interrupted";
        break;
      default: // Ends of blocks, reasoning and pings: responseMessages has what of them matters.
        break;
    }
  }
  write(thinking.end());
  // Some servers say "stop", or a word of their own, beside tool calls.
  const vague = turn.stopReason === "end" || turn.stopReason === "other";
  if (vague && turn.toolCalls.length > 0) turn.stopReason = "tool-calls";
  return turn;
}

const stopReasons: Partial<Record<string, StopReason>> = {
  stop: "end",
  "tool-calls": "tool-calls",
  length: "length",
  "content-filter": "content-filter",
};

/** The library says "invalid data" when a stream merely ends early. */
const isEarlyEnd = (error: unknown) =>
  error instanceof Error && /ended without|no output generated/i.test(error.message);

function describeWarning(
  warning: Extract<TextStreamPart<ToolSet>, { type: "start-step" }>["warnings"][number],
): string {
  if (warning.type === "unsupported" || warning.type === "compatibility") {
    return `${warning.feature}: ${warning.details ?? warning.type}`;
  }
  return warning.message;
}

function readToolCall(
  part: Extract<TextStreamPart<ToolSet>, { type: "tool-call" }>,
  tools: readonly FittedTool[],
): ToolCallRequest {
  const originalKeys = tools.find(({ name }) => name === part.toolName)?.originalKeys;
  const args = originalKeys === undefined ? part.input : restoreKeys(part.input, originalKeys);
  const call: ToolCallRequest = { id: part.toolCallId, name: part.toolName, arguments: args };
  // An unknown tool is no malformed call: the loop knows its tools and answers for itself.
  const unparsed = part.invalid === true && typeof part.input === "string";
  if (!unparsed && (part.invalid !== true || NoSuchToolError.isInstance(part.error))) return call;
  return { ...call, malformed: "the arguments are not valid JSON; write them again as one JSON object" };
}

/** Kinds never overlap: the library counts cached tokens as input, we do not (MET-3). */
function renderUsage(usage: LanguageModelUsage | undefined, kind: RunProvider["kind"]): TokenUsage {
  if (usage === undefined) return {};
  const { noCacheTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage.inputTokenDetails;
  const input =
    noCacheTokens ??
    (usage.inputTokens === undefined ? undefined : usage.inputTokens - cacheReadTokens - cacheWriteTokens);
  const result: TokenUsage = {};
  if (input !== undefined) result.input = Math.max(0, input);
  if (usage.outputTokens !== undefined) result.output = usage.outputTokens;
  if (cacheReadTokens > 0) result[kind === "anthropic" ? "cache_read" : "cache_hit"] = cacheReadTokens;
  if (cacheWriteTokens > 0) result.cache_write = cacheWriteTokens;
  const reasoning = usage.outputTokenDetails.reasoningTokens ?? 0;
  if (reasoning > 0) result.reasoning = reasoning;
  return result;
}
