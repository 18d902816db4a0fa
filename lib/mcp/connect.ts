/**
 * A connection to one MCP server over Streamable HTTP, in whichever era the server speaks: 2026 first, else 2025 (AGT-6).
 * It owns headers, deadlines, cancellation and the wording of errors; it never reconnects by itself and shares nothing with
 * other connections, so that a token given to one cannot be seen on another (BRR-2).
 */
import { type CallToolResult, Client } from "@modelcontextprotocol/client";
import { startDeadline, type CallDeadline } from "./call-deadline.ts";
import { CallTransport } from "./client-transport.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { McpError, refusedInput, renderPlace } from "./mcp-error.ts";
import { createSafeFetch, type OpenFetch, type SafeFetch } from "./safe-fetch.ts";
import { renderMcpError } from "./sdk-error.ts";
import { createSentHeaders, redactError, redactFailure, type HeaderSource, type SentHeaders } from "./sent-headers.ts";
import { followToolChanges, streamReconnection } from "./tool-changes.ts";
import type { Era, JsonObjectSchema, Progress, PromptResult, ToolAnnotations, ToolResult } from "./table.ts";
import type { TraceContext } from "./trace-context.ts";

export interface ConnectOptions {
  url: string;
  headers?: HeaderSource;
  clientName: string;
  clientVersion: string;
  /** Aborts connecting; it has no effect once connected. */
  signal: AbortSignal;
  /** For the whole of connecting, both eras tried. */
  connectTimeoutMs: number;
  /** Largest accepted answer, or event of a stream; 64 MiB when absent. */
  responseLimitBytes?: number;
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
  /** All pages. */
  listTools(signal: AbortSignal): Promise<ToolDescription[]>;
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<ToolResult>;
  getPrompt(name: string, args: Record<string, string>, options: CallOptions): Promise<PromptResult>;
  /** Assign it to hear when the server says that its tools changed. */
  onToolsChanged?: () => void;
  /** Ends the session with DELETE (errors ignored, at most 2 s) and drops all connections; running calls fail as cancelled. */
  close(): Promise<void>;
}

const defaultResponseLimitBytes = 64 * 1024 * 1024;
const listTimeoutMs = 30_000;
const endSessionTimeoutMs = 2_000;
/** Our own deadlines decide; the SDK's must never fire first. */
const sdkNeverMs = 2 ** 31 - 1;

/** Connects to the server at `url`. Rejects with `McpError`; nothing is left open then. */
export async function connectMcp(options: ConnectOptions): Promise<McpConnection> {
  const {
    url,
    connectTimeoutMs,
    responseLimitBytes = defaultResponseLimitBytes,
    openFetch = createSafeFetch,
  } = options;
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : "")) {
    throw new McpError(
      "protocol",
      `${renderPlace(url)} has no usable URL: give one that starts with http:// or https://`,
    );
  }
  const safeFetch = openFetch({ connectTimeoutMs, responseLimitBytes });
  const sent = createSentHeaders(options.headers ?? {});
  const deadline = startDeadline({ signal: options.signal, idleTimeoutMs: connectTimeoutMs });
  const transport = openTransport(url, sent, safeFetch, deadline.signal);
  const client = openClient(options);
  try {
    await client.connect(transport, { signal: deadline.signal, timeout: sdkNeverMs });
  } catch (error) {
    await client.close().catch(() => undefined);
    await safeFetch.close();
    throw redactError(renderFailure(error, url, false, deadline, connectTimeoutMs), sent);
  } finally {
    deadline.stop();
  }
  return createConnection({ url, client, transport, safeFetch, sent });
}

function openClient({ clientName: name, clientVersion: version }: ConnectOptions): Client {
  const client = new Client(
    { name, version },
    { versionNegotiation: { mode: "auto" }, inputRequired: { autoFulfill: false } },
  );
  // What the SDK does not answer by itself; the server's tool usually passes the text on to the model.
  client.fallbackRequestHandler = async ({ method }) => {
    throw new JsonRpcError(rpcCodes.methodNotFound, `${method} asks for something ${refusedInput}`);
  };
  return client;
}

interface Parts {
  url: string;
  client: Client;
  transport: CallTransport;
  safeFetch: SafeFetch;
  sent: SentHeaders;
}

function openTransport(url: string, sent: SentHeaders, safeFetch: SafeFetch, connecting: AbortSignal): CallTransport {
  const transport = new CallTransport(new URL(url), {
    reconnectionOptions: streamReconnection,
    // Redirects, and what they may carry, are the safe fetch's business.
    redirectPolicy: "follow",
    async fetch(target, init = {}) {
      const merged = new Headers(init.headers);
      for (const [name, value] of Object.entries(await sent.next())) {
        merged.set(name, value);
      }
      // `connecting` covers the body too: a server that answers and then stays silent must not outlast the deadline.
      const signal = AbortSignal.any([connecting, ...(init.signal ? [init.signal] : [])]);
      return await safeFetch.fetch(target, {
        method: init.method ?? "GET",
        headers: merged,
        signal,
        ...(typeof init.body === "string" && { body: init.body }),
      });
    },
  });
  transport.onmessage = (message) => transport.noteReceived(message);
  return transport;
}

function createConnection({ url, client, transport, safeFetch, sent }: Parts): McpConnection {
  const closing = new AbortController();

  /** Runs one request under its deadlines and translates what goes wrong. */
  async function run<T>(options: CallOptions, request: (sdkOptions: SdkOptions) => Promise<T>): Promise<T> {
    if (closing.signal.aborted) {
      throw new McpError("cancelled", `the connection to ${renderPlace(url)} has been closed`);
    }
    const deadline = startDeadline(options);
    try {
      return await request({
        signal: deadline.signal,
        timeout: sdkNeverMs,
        // Always asked for, because progress is also what starts the idle time anew.
        onprogress: (progress) => {
          deadline.reset();
          options.onProgress?.(readProgress(progress));
        },
      });
    } catch (error) {
      const timeoutMs = deadline.expired() === "total" ? (options.totalTimeoutMs ?? 0) : options.idleTimeoutMs;
      throw closing.signal.aborted
        ? new McpError("cancelled", `the connection to ${renderPlace(url)} was closed during the call`, {
            cause: error,
          })
        : redactError(renderFailure(error, url, transport.sessionId !== undefined, deadline, timeoutMs), sent);
    } finally {
      deadline.stop();
    }
  }

  const connection: McpConnection = {
    era: client.getProtocolEra() === "modern" ? "2026" : "2025",
    async listTools(signal) {
      return await run({ signal, idleTimeoutMs: listTimeoutMs }, async ({ signal: listSignal, timeout }) => {
        // The SDK would print a line to standard output for a server without tools.
        if (client.getServerCapabilities()?.tools === undefined) {
          return [];
        }
        return (await client.listTools(undefined, { signal: listSignal, timeout, cacheMode: "refresh" })).tools;
      });
    },
    callTool: (name, args, options) =>
      run(options, async (sdkOptions) => {
        const told = { ...options.meta, ...options.trace };
        const meta = Object.keys(told).length === 0 ? {} : { _meta: told };
        const result = await client.callTool({ name, arguments: args, ...meta }, sdkOptions);
        return redactFailure(readToolResult(result), sent);
      }),
    getPrompt: (name, args, options) =>
      run(options, async (sdkOptions) => {
        const { description, messages } = await client.getPrompt({ name, arguments: args }, sdkOptions);
        return { ...(description !== undefined && { description }), messages };
      }),
    async close() {
      if (closing.signal.aborted) {
        return;
      }
      closing.abort();
      await endSession(transport);
      await client.close();
      await safeFetch.close();
    },
  };
  followToolChanges(client, closing.signal, () => connection.onToolsChanged?.());
  return connection;
}

interface SdkOptions {
  signal: AbortSignal;
  timeout: number;
  onprogress: (progress: Progress) => void;
}

/** The SDK hands on all that came, and its type does not say so. */
function readProgress(received: Progress & { _meta?: unknown }): Progress {
  const { _meta: meta, ...progress } = received;
  return isJsonObject(meta) ? { ...progress, meta } : progress;
}

function readToolResult({ content, isError, structuredContent, _meta }: CallToolResult): ToolResult {
  return {
    content,
    ...(isError !== undefined && { isError }),
    ...(isJsonObject(structuredContent) && { structuredContent }),
    ...(_meta !== undefined && { meta: _meta }),
  };
}

/** A server that cannot be told is left to its own idle limit. */
async function endSession(transport: CallTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, endSessionTimeoutMs)));
  await Promise.race([transport.terminateSession().catch(() => undefined), timeout]);
  clearTimeout(timer);
}

function renderFailure(
  error: unknown,
  url: string,
  hasSession: boolean,
  deadline: CallDeadline,
  timeoutMs: number,
): McpError {
  switch (deadline.expired()) {
    case "cancelled":
      return new McpError("cancelled", `the call to ${renderPlace(url)} was cancelled by its caller`, { cause: error });
    case "idle":
      return new McpError("timeout", `${renderPlace(url)} was silent for ${timeoutMs} ms`, { cause: error });
    case "total":
      return new McpError("timeout", `${renderPlace(url)} had no result after ${timeoutMs} ms`, { cause: error });
    default:
      return renderMcpError(error, url, hasSession);
  }
}
