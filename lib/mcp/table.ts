/**
 * What an MCP server offers, said without any SDK: tools and prompts with their handlers, and the context a call runs in.
 * The servers of both protocol eras and the client speak these types; nothing here does I/O.
 */
import type { Caller } from "./caller.ts";

import type { Asking } from "./asking.ts";

/** The wire generation a call arrived on: sessions up to revision 2025-11-25, stateless requests from 2026-07-28 on. */
export type Era = "2025" | "2026";

export interface ContentAnnotations {
  audience?: ("user" | "assistant")[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
}

interface ContentBase {
  annotations?: ContentAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
}

export interface TextContent extends ContentBase {
  type: "text";
  text: string;
}

/** `data` is base64. */
export interface ImageContent extends ContentBase {
  type: "image";
  data: string;
  mimeType: string;
}

/** `data` is base64. */
export interface AudioContent extends ContentBase {
  type: "audio";
  data: string;
  mimeType: string;
}

export interface EmbeddedResourceContent extends ContentBase {
  type: "resource";
  resource: { uri: string; mimeType?: string | undefined; _meta?: Record<string, unknown> | undefined } & (
    | { text: string }
    | { blob: string }
  );
}

export interface ResourceLinkContent extends ContentBase {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
}

export type Content = TextContent | ImageContent | AudioContent | EmbeddedResourceContent | ResourceLinkContent;

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON Schema (draft 2020-12) whose instances are objects. It is sent to clients exactly as given. */
export interface JsonObjectSchema {
  type: "object";
  properties?: Record<string, JsonValue> | undefined;
  required?: string[] | undefined;
  [keyword: string]: unknown;
}

export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** One progress notification. `total` is left out while unknown; null never goes on the wire (PRG-3). */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
  /** `_meta` on the wire. */
  meta?: Record<string, unknown> | undefined;
}

export interface CallContext {
  era: Era;
  /** The JSON-RPC id of the call as text; for correlation in logs. */
  requestId: string;
  /** Aborts when the caller cancels, or when the server closes (AGT-8). */
  signal: AbortSignal;
  /** The token of the very HTTP request that carries this call (BRR-2); absent without `Authorization: Bearer`. */
  bearer?: string;
  /** Who calls (AGT-11). */
  caller: Caller;
  /** The `Mcp-Session-Id` of the 2025 era; absent without sessions and in the 2026 era. */
  sessionId?: string;
  /** Present only when the caller can be asked during its call. */
  asking?: Asking;
  /** Present only when the caller sent a progress token (PRG-1). Never rejects, and does nothing once the call has ended. */
  sendProgress?: (progress: Progress) => Promise<void>;
  /** The request's `_meta`; its trace context is that of the HTTP headers when it has none (see trace-context.ts). */
  meta: Record<string, unknown>;
}

/** `meta` is `_meta` on the wire. */
export interface ToolResult {
  content: Content[];
  isError?: boolean;
  structuredContent?: Record<string, unknown>;
  meta?: Record<string, unknown>;
}

export interface ToolEntry {
  name: string;
  title?: string;
  description: string;
  inputSchema: JsonObjectSchema;
  /** What `structuredContent` of a result that is no error holds; the handler answers for it. */
  outputSchema?: JsonObjectSchema;
  annotations?: ToolAnnotations;
  /** `args` have passed `inputSchema`. A throw becomes a generic tool error; say what a person can act on in a result instead. */
  call(args: Record<string, unknown>, context: CallContext): Promise<ToolResult>;
}

export interface PromptArgument {
  name: string;
  description?: string;
  required?: boolean;
}

export interface PromptMessage {
  role: "user" | "assistant";
  content: Content;
}

export interface PromptResult {
  description?: string;
  messages: PromptMessage[];
}

export interface PromptEntry {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  /** Throw a `JsonRpcError` to refuse with a text of your own; any other throw becomes a generic error. */
  get(args: Record<string, string>, context: CallContext): Promise<PromptResult>;
}

/** Tools and prompts are listed in the order given. Names must be unique within each list. */
export interface McpTable {
  server: { name: string; title?: string; version: string };
  instructions?: string;
  tools: readonly ToolEntry[];
  prompts: readonly PromptEntry[];
}
