// What an MCP server offers, said without any SDK: tools and prompts with their handlers, resources, and the context a call
// runs in. The servers of both protocol eras and the client speak these types; nothing here does I/O.
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

export interface Icon {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: "light" | "dark" | undefined;
}

export interface ToolEntry {
  name: string;
  title?: string;
  description: string;
  /** It is read anew at each call and nothing is made of it, so that a tool costs nothing until it is called. */
  inputSchema: JsonObjectSchema;
  /** What `structuredContent` of a result that is no error holds; the handler answers for it. */
  outputSchema?: JsonObjectSchema;
  annotations?: ToolAnnotations;
  icons?: Icon[];
  /** `_meta` on the wire. */
  meta?: Record<string, unknown>;
  /**
   * Who wrote `inputSchema`. Default: we did, and `args` have passed it. A stranger's is read under a budget of steps, and
   * arguments that cannot be decided on within it are handed on: the server that the tool is of checks them itself.
   */
  schemaOf?: "stranger";
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

/**
 * Whom something is listed for or sent to. In the 2026 era no session is known, so that what is shown to one session only
 * must be shown to its caller.
 */
export interface Requester {
  /** The very object that the middleware before the endpoint set, so a class of its own can carry roles. */
  readonly caller: Caller;
  readonly sessionId?: string;
}

/** Whom a change concerns: the requesters that `isFor` accepts, everybody when it is absent. */
export type IsFor = (requester: Requester) => boolean;

/** Tools that may change, and differ between callers. What is not listed for a caller may be found by name all the same. */
export interface ToolSource {
  /** In a stable order, names unique: long lists are sent in pages that go on after a name. */
  list(requester: Requester): readonly ToolEntry[] | Promise<readonly ToolEntry[]>;
  /** Undefined when there is none for this requester: it is then unknown to it. */
  find(name: string, requester: Requester): ToolEntry | undefined | Promise<ToolEntry | undefined>;
  /** Absent: the list never changes. Calls `onChanged` after each change, until what it returns is called. */
  changes?(onChanged: (isFor?: IsFor) => void): () => void;
  /**
   * Asked when the first begins to hear of changes, for sources that look for them only where somebody wants to hear; what it
   * returns is called when nobody does any more.
   */
  follow?(): () => void;
}

export interface ResourceEntry {
  /** Unique in the list. */
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: ContentAnnotations;
}

export interface ResourceTemplate {
  /** RFC 6570; unique in the list. */
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: ContentAnnotations;
}

export type ResourceContents = EmbeddedResourceContent["resource"];

/**
 * `{ uri }`: reading it gives something else now, or nothing. `{ list }`: the list, or that of templates, has changed. Whom
 * `isFor` leaves out hears nothing of it.
 */
export type ResourceChange = ({ readonly uri: string } | { readonly list: true }) & { readonly isFor?: IsFor };

/** Who wants to subscribe to a resource; `meta` is the request's `_meta`. */
export type SubscribeContext = Requester & Pick<CallContext, "signal" | "meta">;

/**
 * Resources that change and differ between callers. The endpoint asks `mayRead` before each read, each subscription and each
 * notification; what it refuses is unknown to that requester, whether it is there or not.
 */
export interface ResourceSource {
  list(requester: Requester): readonly ResourceEntry[] | Promise<readonly ResourceEntry[]>;
  templates(requester: Requester): readonly ResourceTemplate[] | Promise<readonly ResourceTemplate[]>;
  /** Undefined when it is not there. Throw a `JsonRpcError` to refuse with a text of your own. */
  read(uri: string, context: CallContext): Promise<readonly ResourceContents[] | undefined>;
  /** From memory, at once. `uri` is a stranger's text of at most 2,048 characters. */
  mayRead(uri: string, requester: Requester): boolean;
  /**
   * Asked before each subscription to what may be read, of the 2026 era before the stream begins; one of a resumed session was
   * permitted before. Absent: permitted. False: it is unknown to them. Throw a `JsonRpcError` to refuse with a text of your own;
   * the 2026 era has no place for it, and leaves the resource out.
   */
  maySubscribe?(uri: string, context: SubscribeContext): Promise<boolean>;
  /**
   * Asked when the first subscribes to a resource, for sources that look for changes only where somebody wants to hear; what it
   * returns is called when nobody does any more.
   */
  follow?(uri: string): () => void;
  /**
   * Asked for each subscription, for what says something else to each requester; what it returns is called when that
   * subscription ends.
   */
  followOwn?(uri: string, requester: Requester): () => void;
  /** Calls `onChange` after each change, as often as it likes, until what it returns is called. */
  changes(onChange: (change: ResourceChange) => void): () => void;
}

/** Prompts are listed in the order given; their names must be unique. What is absent is not offered. */
export interface McpTable {
  server: { name: string; title?: string; version: string };
  instructions?: string;
  tools: ToolSource;
  prompts: readonly PromptEntry[];
  resources?: ResourceSource;
}

/** The same tools for everybody, in the order given. Throws when a name occurs twice. */
export function staticTools(entries: readonly ToolEntry[]): ToolSource {
  const byName = indexByName("tool", entries);
  return { list: () => entries, find: (name) => byName.get(name) };
}

/** Throws when a name occurs twice. */
export function indexByName<T extends { name: string }>(kind: string, entries: readonly T[]): Map<string, T> {
  const byName = new Map<string, T>();
  for (const entry of entries) {
    if (byName.has(entry.name)) {
      throw new Error(`${kind} "${entry.name}" is in the table twice; give each ${kind} a name of its own`);
    }
    byName.set(entry.name, entry);
  }
  return byName;
}
