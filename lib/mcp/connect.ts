/**
 * A connection to one MCP server over Streamable HTTP, in whichever era the server speaks: 2026 first, else 2025, whatever
 * came of the first (AGT-6). It owns headers, deadlines, cancellation and the wording of errors; it never reconnects by itself and shares nothing with
 * other connections, so that a token given to one cannot be seen on another (BRR-2).
 */
import { type CallToolResult, Client, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { untilAborted } from "../process/until-aborted.ts";
import { startDeadline, type CallDeadline } from "./call-deadline.ts";
import { CallTransport } from "./client-transport.ts";
import { isJsonObject, JsonRpcError, rpcCodes } from "./json-rpc.ts";
import { McpError, refusedInput, renderPlace } from "./mcp-error.ts";
import { mendAnswer, type OutputSchemas } from "./mend-answer.ts";
import { findSchemaFault } from "./schema-check.ts";
import { listResources, readResource, type ResourceDescription } from "./client-resources.ts";
import { createSafeFetch, type OpenFetch, type SafeFetch } from "./safe-fetch.ts";
import { renderMcpError } from "./sdk-error.ts";
import {
  createSentHeaders,
  fetchWithHeaders,
  redactError,
  redactFailure,
  type HeaderSource,
  type SentHeaders,
} from "./sent-headers.ts";
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
  /** For the whole of connecting, both eras tried; the first gets a quarter of it. */
  connectTimeoutMs: number;
  /** Tried alone: that of an earlier connection to a server which answers nothing useful in the other. */
  era?: Era | undefined;
  /** Largest accepted answer, or event of a stream; 16 MiB when absent. */
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

/** A tool's result with what is wrong with it, if it is not what the tool's output schema promises. */
export interface CallResult extends ToolResult {
  schemaFault?: string;
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
  listResources(options: CallOptions): Promise<ResourceDescription[]>;
  /** A resource's parts, in the form of a tool's result. */
  readResource(uri: string, options: CallOptions): Promise<ToolResult>;
  /** Assign it to hear when the server says that its tools changed. */
  onToolsChanged?: () => void;
  /** Ends the session with DELETE (errors ignored, at most 2 s) and drops all connections; running calls fail as cancelled. */
  close(): Promise<void>;
}

const defaultResponseLimitBytes = 16 * 1024 * 1024;
/** Of the time to connect: a server of the 2025 era may leave the question for the other unanswered. */
const firstEraShare = 0.25;
const revision2026 = "2026-07-28";
const listTimeoutMs = 30_000;
const endSessionTimeoutMs = 2_000;
const unchecked = { valid: false, data: undefined, errorMessage: "output schemas are checked elsewhere" } as const;
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
  try {
    const opened = await openEitherEra({ options, safeFetch, sent, deadline });
    return createConnection({ url, safeFetch, sent, ...opened });
  } catch (error) {
    await safeFetch.close();
    throw error;
  } finally {
    deadline.stop();
  }
}

interface Attempt {
  options: ConnectOptions;
  safeFetch: SafeFetch;
  sent: SentHeaders;
  deadline: CallDeadline;
}

interface Opened {
  client: Client;
  transport: CallTransport;
  outputSchemas: OutputSchemas;
}

/** Whatever a server answers in the 2026 era, it may speak the other, except where it has no trust in us. */
async function openEitherEra(attempt: Attempt): Promise<Opened> {
  const { era, connectTimeoutMs } = attempt.options;
  if (era === "2025") return await openEra("2025", attempt, connectTimeoutMs);
  const first = await openEra("2026", attempt, connectTimeoutMs * firstEraShare).catch(asMcpError);
  if (!(first instanceof McpError)) return first;
  if (first.kind === "unauthorized" || attempt.deadline.expired() !== undefined) throw first;
  const second = await openEra("2025", attempt, connectTimeoutMs).catch(asMcpError);
  if (!(second instanceof McpError)) return second;
  // One that speaks the 2026 era alone, and took its time to wake up: it refuses the other at once.
  if (first.kind === "timeout" && second.kind === "protocol") return await openEra("2026", attempt, connectTimeoutMs);
  throw second;
}

function asMcpError(error: unknown): McpError {
  if (error instanceof McpError) return error;
  throw error;
}

async function openEra(era: Era, attempt: Attempt, timeoutMs: number): Promise<Opened> {
  const { options, safeFetch, sent, deadline } = attempt;
  const transport = openTransport(options.url, sent, safeFetch, deadline.signal);
  const outputSchemas: OutputSchemas = new Map();
  transport.onmessage = (message) => mendAnswer(transport.noteReceived(message), message, outputSchemas);
  const client = openClient(options, era === "2026" ? { pin: revision2026 } : "legacy", timeoutMs);
  try {
    await untilAborted(client.connect(transport, { signal: deadline.signal, timeout: sdkNeverMs }), deadline.signal);
    return { client, transport, outputSchemas };
  } catch (error) {
    await transport.close();
    throw redactError(renderFailure(error, options.url, false, deadline, options.connectTimeoutMs), sent);
  }
}

function openClient(
  { clientName: name, clientVersion: version }: ConnectOptions,
  mode: VersionNegotiationMode,
  timeoutMs: number,
): Client {
  const client = new Client(
    { name, version },
    {
      versionNegotiation: { mode, probe: { timeoutMs } },
      inputRequired: { autoFulfill: false },
      // Never asked, since no output schema reaches the SDK; its own would run their regular expressions.
      jsonSchemaValidator: { getValidator: () => () => unchecked },
    },
  );
  // What the SDK does not answer by itself; the server's tool usually passes the text on to the model.
  client.fallbackRequestHandler = async ({ method }) => {
    throw new JsonRpcError(rpcCodes.methodNotFound, `${method} asks for something ${refusedInput}`);
  };
  return client;
}

interface Parts extends Opened {
  url: string;
  safeFetch: SafeFetch;
  sent: SentHeaders;
}

function openTransport(url: string, sent: SentHeaders, safeFetch: SafeFetch, connecting: AbortSignal): CallTransport {
  const transport = new CallTransport(new URL(url), {
    reconnectionOptions: streamReconnection,
    // Redirects, and what they may carry, are the safe fetch's business.
    redirectPolicy: "follow",
    async fetch(target, init = {}) {
      // `connecting` covers the body too: a server that answers and then stays silent must not outlast the deadline.
      const signal = AbortSignal.any([connecting, ...(init.signal ? [init.signal] : [])]);
      const { answer } = await fetchWithHeaders(sent, async (headers) => {
        const merged = new Headers(init.headers);
        for (const [name, value] of Object.entries(headers)) {
          merged.set(name, value);
        }
        return await safeFetch.fetch(target, {
          method: init.method ?? "GET",
          headers: merged,
          signal,
          ...(typeof init.body === "string" && { body: init.body }),
        });
      });
      return answer;
    },
  });
  return transport;
}

function createConnection({ url, client, transport, outputSchemas, safeFetch, sent }: Parts): McpConnection {
  const closing = new AbortController();

  /** Runs one request under its deadlines and translates what goes wrong. */
  async function run<T>(options: CallOptions, request: (sdkOptions: SdkOptions) => Promise<T>): Promise<T> {
    if (closing.signal.aborted) {
      throw new McpError("cancelled", `the connection to ${renderPlace(url)} has been closed`);
    }
    const deadline = startDeadline(options);
    try {
      const work = request({
        signal: deadline.signal,
        timeout: sdkNeverMs,
        // Always asked for, because progress is also what starts the idle time anew.
        onprogress: (progress) => {
          deadline.reset();
          options.onProgress?.(readProgress(progress));
        },
      });
      return await untilAborted(work, deadline.signal);
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
    instructions: client.getInstructions(),
    hasResources: client.getServerCapabilities()?.resources !== undefined,
    async listTools(signal, timeoutMs = listTimeoutMs) {
      return await run({ signal, idleTimeoutMs: timeoutMs }, async ({ signal: listSignal, timeout }) => {
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
        return redactFailure(readToolResult(result, outputSchemas.get(name)), sent);
      }),
    getPrompt: (name, args, options) =>
      run(options, async (sdkOptions) => {
        const { description, messages } = await client.getPrompt({ name, arguments: args }, sdkOptions);
        return { ...(description !== undefined && { description }), messages };
      }),
    listResources: (options) => run(options, (sdkOptions) => listResources(client, sdkOptions)),
    readResource: (uri, options) =>
      run(options, (sdkOptions) => readResource(client, { uri, trace: options.trace }, sdkOptions)),
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

function readToolResult(
  { content, isError, structuredContent, _meta }: CallToolResult,
  outputSchema: Record<string, unknown> | undefined,
): CallResult {
  const structured = isJsonObject(structuredContent) ? structuredContent : undefined;
  const schemaFault = isError === true ? undefined : findOutputFault(structured, outputSchema);
  return {
    content,
    ...(isError !== undefined && { isError }),
    ...(structured !== undefined && { structuredContent: structured }),
    ...(_meta !== undefined && { meta: _meta }),
    ...(schemaFault !== undefined && { schemaFault }),
  };
}

/** The tool has run, and what it says is of use all the same: a result that breaks its promise is passed on with a note. */
function findOutputFault(
  structured: Record<string, unknown> | undefined,
  schema: Record<string, unknown> | undefined,
): string | undefined {
  if (schema === undefined) return undefined;
  if (structured !== undefined) return findSchemaFault(schema, structured, "the structured content");
  return schema["type"] === "object" ? "the structured content is missing" : undefined;
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
