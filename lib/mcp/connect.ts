// A connection to one MCP server over Streamable HTTP, in whichever era the server speaks. It owns headers, deadlines,
// cancellation and the wording of errors; it never reconnects by itself and shares nothing with other connections, so that a
// token given to one cannot be seen on another (BRR-2).
import type { CallToolResult } from "@modelcontextprotocol/client";
import { defined } from "../process/defined.ts";
import type { Holder, MemoryBudget } from "../process/memory-budget.ts";
import { untilAborted } from "../process/until-aborted.ts";
import type { Ask } from "./asking.ts";
import { startDeadline } from "./call-deadline.ts";
import type { CallTransport } from "./client-transport.ts";
import { isJsonObject } from "./json-rpc.ts";
import { McpError, renderPlace } from "./mcp-error.ts";
import { openEitherEra, sdkNeverMs, type Opened, type OpenOptions } from "./open-client.ts";
import { callWithAnswers, type OpenCall } from "./questions.ts";
import { findSchemaProblem } from "./schema-check.ts";
import { listResources, readResource, type ResourceLists } from "./client-resources.ts";
import { followResources, type FollowedResources, type HeardChange } from "./resource-changes.ts";
import { createSafeFetch, type OpenFetch, type SafeFetch } from "./safe-fetch.ts";
import { renderFailure } from "./sdk-error.ts";
import { createSentHeaders, redactError, redactFailure, type HeaderSource, type SentHeaders } from "./sent-headers.ts";
import { followToolChanges } from "./tool-changes.ts";
import type { Era, JsonObjectSchema, Progress, PromptResult, ToolAnnotations, ToolResult } from "./table.ts";
import type { TraceContext } from "./trace-context.ts";

export interface ConnectOptions extends OpenOptions {
  headers?: HeaderSource;
  /** Aborts connecting; it has no effect once connected. */
  signal: AbortSignal;
  /** Largest accepted answer, or event of a stream; 16 MiB when absent. */
  maxResponseBytes?: number;
  /** In place of the network. */
  openFetch?: OpenFetch | undefined;
}

export interface CallOptions {
  /** Aborting it cancels the call on the server too (AGT-8). */
  signal: AbortSignal;
  /** Silence after which the call fails; progress of the server starts it anew (CFG-8). */
  idleTimeoutMs: number;
  /** For the whole call; none when absent. */
  totalTimeoutMs?: number;
  onProgress?: (progress: Progress) => void;
  /** Goes into the request's `_meta` (MET-6). */
  trace?: TraceContext;
  /** The same, for what else the server is told. */
  meta?: Record<string, unknown>;
  /**
   * Counts the answer, also after it is here: whoever opened it releases it. Absent: counted until it is here, by `memory` of
   * the connection.
   */
  holder?: Holder | undefined;
  /** Answers what the server asks during the call; it may ask what `askable` of the connection says. */
  ask?: Ask | undefined;
  /** Hears of a URL it was asked to open, by the id of that question, that what it was for is done. */
  onCompleted?: ((elicitationId: string) => void) | undefined;
}

/** A tool's result with what is wrong with it, if it is not what the tool's output schema promises. */
export interface CallResult extends ToolResult {
  schemaProblem?: string;
}

export interface ToolDescription {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: JsonObjectSchema;
  annotations?: ToolAnnotations | undefined;
}

/** Every method rejects with `McpError` only. */
export interface McpConnection {
  readonly era: Era;
  /** What the server says of its use, as it was when connecting. */
  readonly instructions: string | undefined;
  /** Whether the server offers resources at all. */
  readonly hasResources: boolean;
  /** All pages, within half a minute where nothing else is said. */
  listTools(signal: AbortSignal, timeoutMs?: number): Promise<ToolDescription[]>;
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  getPrompt(name: string, args: Record<string, string>, options: CallOptions): Promise<PromptResult>;
  /** All pages of resources and of templates. */
  listResources(options: CallOptions): Promise<ResourceLists>;
  /** A resource's parts, in the form of a tool's result. */
  readResource(uri: string, options: CallOptions): Promise<ToolResult>;
  /** Assign it to hear when the server says that its tools changed. */
  onToolsChanged?: () => void;
  /** Assign it to hear when followed resources, or their list, change. */
  onResourceChange?: (change: HeardChange) => void;
  /** Hears of these resources, in place of those before. */
  followResources(uris: readonly string[]): void;
  /** Ends the session with DELETE (errors ignored, at most 2 s) and drops all connections; running calls fail as cancelled. */
  close(): Promise<void>;
}

const defaultMaxResponseBytes = 16 * 1024 * 1024;
const listTimeoutMs = 30_000;
const endSessionTimeoutMs = 2_000;

/** Connects to the server at `url`. Rejects with `McpError`; nothing is left open then. */
export async function connectMcp(options: ConnectOptions): Promise<McpConnection> {
  const { url, connectTimeoutMs, maxResponseBytes = defaultMaxResponseBytes, openFetch = createSafeFetch } = options;
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
    throw new McpError(
      "protocol",
      `${renderPlace(url)} has no usable URL: give one that starts with http:// or https://`,
    );
  }
  const safeFetch = openFetch({ connectTimeoutMs, maxResponseBytes });
  const sent = createSentHeaders(options.headers ?? {});
  const deadline = startDeadline({ signal: options.signal, idleTimeoutMs: connectTimeoutMs });
  try {
    const opened = await openEitherEra({ options, safeFetch, sent, deadline });
    return createConnection({ url, safeFetch, sent, memory: options.memory, ...opened });
  } catch (error) {
    await safeFetch.close();
    throw error;
  } finally {
    deadline.stop();
  }
}

interface Parts extends Opened {
  url: string;
  safeFetch: SafeFetch;
  sent: SentHeaders;
  memory: MemoryBudget | undefined;
}

function createConnection(parts: Parts): McpConnection {
  const { url, client, transport, outputSchemas, safeFetch, sent } = parts;
  const closing = new AbortController();
  const run = createRunner(parts, closing.signal);
  let followed: FollowedResources | undefined;
  const connection: McpConnection = {
    era: client.getProtocolEra() === "modern" ? "2026" : "2025",
    instructions: client.getInstructions(),
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    async listTools(signal, timeoutMs = listTimeoutMs) {
      return await run({ signal, idleTimeoutMs: timeoutMs }, async ({ signal: listSignal, timeout, headers }) => {
        // The SDK would print a line to standard output for a server without tools.
        if (client.getServerCapabilities()?.tools === undefined) return [];
        return (await client.listTools(undefined, { signal: listSignal, timeout, headers, cacheMode: "refresh" }))
          .tools;
      });
    },
    callTool: (name, args, options) =>
      run(options, async (sdkOptions, call) => {
        const told = { ...options.meta, ...options.trace };
        const meta = Object.keys(told).length === 0 ? {} : { _meta: told };
        const request = (answers: object) =>
          client.callTool({ name, arguments: args, ...meta, ...answers }, { ...sdkOptions, ...call?.options });
        const result = await (call === undefined ? request({}) : callWithAnswers(request, call, url));
        return redactFailure(readToolResult(result, outputSchemas.get(name)), sent);
      }),
    getPrompt: (name, args, options) =>
      run(options, async (sdkOptions) => {
        const { description, messages } = await client.getPrompt({ name, arguments: args }, sdkOptions);
        return { ...defined({ description }), messages };
      }),
    listResources: (options) => run(options, (sdkOptions) => listResources(client, sdkOptions)),
    readResource: (uri, options) =>
      run(options, (sdkOptions) => readResource(client, { uri, trace: options.trace }, sdkOptions)),
    followResources(uris) {
      followed ??= followResources(client, closing.signal, (change) => connection.onResourceChange?.(change));
      followed.follow(uris);
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await endSession(transport);
      await client.close();
      await safeFetch.close();
    },
  };
  followToolChanges(client, closing.signal, () => connection.onToolsChanged?.());
  return connection;
}

/** `call` is there where the server may ask back. */
type Requesting<T> = (sdkOptions: SdkOptions, call: OpenCall | undefined) => Promise<T>;

/** Runs requests, each under its deadlines, and translates what goes wrong. */
function createRunner({ url, transport, sent, questions, marks, memory }: Parts, closing: AbortSignal) {
  return async <T>(options: CallOptions, request: Requesting<T>): Promise<T> => {
    if (closing.aborted) throw new McpError("cancelled", `the connection to ${renderPlace(url)} has been closed`);
    const deadline = startDeadline(options);
    const own = options.holder === undefined ? memory?.open() : undefined;
    const mark = marks.begin(options.holder ?? own);
    const call =
      options.ask && questions.begin(mark.id, { ask: options.ask, onCompleted: options.onCompleted }, deadline);
    try {
      const sdkOptions: SdkOptions = {
        signal: deadline.signal,
        timeout: sdkNeverMs,
        headers: mark.headers,
        // Always asked for, because progress is also what starts the idle time anew.
        onprogress: (progress) => {
          deadline.reset();
          options.onProgress?.(readProgress(progress));
        },
      };
      return await untilAborted(request(sdkOptions, call), deadline.signal);
    } catch (error) {
      const timeoutMs = deadline.expired() === "total" ? (options.totalTimeoutMs ?? 0) : options.idleTimeoutMs;
      throw closing.aborted
        ? new McpError("cancelled", `the connection to ${renderPlace(url)} was closed during the call`, {
            cause: error,
          })
        : redactError(renderFailure(error, url, transport.sessionId !== undefined, deadline, timeoutMs), sent);
    } finally {
      call?.end();
      mark.end();
      own?.release();
      deadline.stop();
    }
  };
}

interface SdkOptions {
  signal: AbortSignal;
  timeout: number;
  headers: Record<string, string>;
  onprogress: (progress: Progress) => void;
}

/** The SDK hands on all that came, and its type does not say so. */
function readProgress(received: Progress & { _meta?: unknown }): Progress {
  const { _meta: meta, ...progress } = received;
  return isJsonObject(meta) ? { ...progress, meta } : progress;
}

function readToolResult(
  { content, isError, structuredContent, _meta }: CallToolResult,
  outputSchema: Record<string, unknown> | undefined,
): CallResult {
  const structured = isJsonObject(structuredContent) ? structuredContent : undefined;
  const schemaProblem = isError === true ? undefined : findOutputProblem(structured, outputSchema);
  return {
    content,
    ...defined({ isError, structuredContent: structured, meta: _meta, schemaProblem }),
  };
}

/** The tool has run, and what it says is of use all the same: a result that breaks its promise is passed on with a note. */
function findOutputProblem(
  structured: Record<string, unknown> | undefined,
  schema: Record<string, unknown> | undefined,
): string | undefined {
  if (schema === undefined) return undefined;
  if (structured !== undefined) return findSchemaProblem(schema, structured, "the structured content");
  return schema["type"] === "object" ? "the structured content is missing" : undefined;
}

/** A server that cannot be told is left to its own idle limit. */
async function endSession(transport: CallTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, endSessionTimeoutMs)));
  await Promise.race([transport.terminateSession().catch(() => undefined), timeout]);
  clearTimeout(timer);
}
