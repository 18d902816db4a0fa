// What an agent's loop and a model say to each other, in words of no provider. Refuses nothing and does nothing:
// the loop builds these messages, the files beside this one translate them.
import type { TokenKind } from "../../crds/metric-names.ts";
import type { RequestSettings } from "../../crds/run-config.ts";
import type { Refusal } from "./refusals.ts";

/** An image as MCP carries it: base64 without a data: prefix. */
export interface ImageData {
  data: string;
  mimeType: string;
}

/** An image, or a PDF by its type: both are bytes that models read and histories keep in files of their own. */
export type UserPart = { type: "text"; text: string } | ({ type: "image" } & ImageData);

export interface ToolCallRequest {
  id: string;
  name: string;
  arguments: unknown;
  /** Set when the model wrote no valid JSON: what was wrong. The call must not be made. */
  malformed?: string;
  /** The name as the model wrote it, where no provider takes it back; it is recorded nowhere. */
  written?: string;
}

export interface ToolResultPart {
  callId: string;
  name: string;
  text: string;
  images: ImageData[];
  isError: boolean;
}

export interface AssistantMessage {
  role: "assistant";
  text: string;
  toolCalls: ToolCallRequest[];
  /** The provider's own blocks (reasoning signatures and the like): JSON, sent back as they came to the same model only. */
  opaque?: unknown;
}

export type ModelMessage =
  | { role: "user"; content: UserPart[] }
  | AssistantMessage
  | { role: "tool"; results: ToolResultPart[] };

export interface ModelTool {
  name: string;
  description: string;
  /** As its server wrote it; what a provider is sent of it is model/tool-schemas' business. */
  inputSchema: Record<string, unknown>;
  /** Whose it is, in words of the configuration. */
  source?: { server: string; tool: string };
}

export interface TurnRequest {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  settings: RequestSettings;
  signal: AbortSignal;
  /** By the clock's `now`. A call in flight ends then, and no further try or wait begins. */
  deadlineMs?: number;
  /** The caller's token; used only for providers with forwardInboundAuth (BRR-3). */
  bearer?: string;
  /** Hears each piece of the text as it comes, after `offset` characters of it; a turn that is tried again begins anew at 0. */
  onText?: (piece: string, offset: number) => void;
}

/** Kinds never overlap, except that `reasoning` is part of `output` (MET-3). */
export type TokenUsage = Partial<Record<TokenKind, number>>;

export type StopReason = "end" | "tool-calls" | "length" | "content-filter" | "other";

export interface TurnResult {
  text: string;
  toolCalls: ToolCallRequest[];
  stopReason: StopReason;
  usage: TokenUsage;
  /** Name, without the provider, of the model that answered; after a fallback not the first one. */
  model: string;
  /** Names of tools of the request that this model was not offered. */
  toolsLeftOut?: readonly string[];
  /** Must be kept in the assistant message that records this turn. */
  opaque?: unknown;
}

export const modelErrorKinds = [
  "auth",
  "not_found",
  "quota",
  "rate_limit",
  "overloaded",
  "context_overflow",
  "unsupported_param",
  "network",
  "invalid_request",
  "invalid_response",
] as const;
export type ModelErrorKind = (typeof modelErrorKinds)[number];

export interface ModelErrorDetails {
  kind: ModelErrorKind;
  /** Name of the provider as the instance has it. */
  provider: string;
  /** How long the provider asked to wait. */
  retryAfterMs?: number;
  /** The request parameter that was refused, with kind unsupported_param. */
  param?: string;
  status?: number;
  /** What of the request can be mended, where the provider said it. */
  refusal?: Refusal;
  /** The window that the provider named. */
  windowTokens?: number;
  cause?: unknown;
}

/** A model that did not answer. The message is one sentence a person can act on and never contains a secret. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly provider: string;
  readonly retryAfterMs?: number;
  readonly param?: string;
  readonly status?: number;
  readonly refusal?: Refusal;
  readonly windowTokens?: number;

  constructor(message: string, details: ModelErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "ModelError";
    this.kind = details.kind;
    this.provider = details.provider;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    if (details.param !== undefined) this.param = details.param;
    if (details.status !== undefined) this.status = details.status;
    if (details.refusal !== undefined) this.refusal = details.refusal;
    if (details.windowTokens !== undefined) this.windowTokens = details.windowTokens;
  }
}

export interface PreflightResult {
  ok: boolean;
  /** Present unless ok: one clause such as `model 'x' not found`. */
  detail?: string;
  /** RFC 3339. */
  checkedAt: string;
}
