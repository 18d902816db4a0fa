// An open connection to one MCP server over Streamable HTTP, in whichever era it speaks, and how requests are made on it: each
// under its deadlines, what goes wrong worded as McpError, and the session ended at the end. What is asked, and what becomes of the
// answers, is for those who open it (connect.ts, inspect.ts).
import type { Holder } from "../process/memory-budget.ts";
import { untilAborted } from "../process/until-aborted.ts";
import type { Ask } from "./asking.ts";
import { startDeadline, type Rests } from "./call-deadline.ts";
import type { CallTransport } from "./client-transport.ts";
import { isJsonObject } from "./json-rpc.ts";
import { McpError, renderPlace } from "./mcp-error.ts";
import { openEitherEra, sdkNeverMs, type Opened, type OpenOptions } from "./open-client.ts";
import type { OpenCall } from "./questions.ts";
import { createSafeFetch, type OpenFetch, type SafeFetch } from "./safe-fetch.ts";
import { renderCause, renderFailure } from "./sdk-error.ts";
import { createSentHeaders, redactError, type HeaderSource, type SentHeaders } from "./sent-headers.ts";
import type { Progress } from "./table.ts";
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
  /** When that stands still; never when absent, but while the caller is asked. */
  rests?: Rests | undefined;
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

/** `call` is there where the server may ask back. */
type Requesting<T> = (sdkOptions: SdkOptions, call: OpenCall | undefined) => Promise<T>;

export interface SdkOptions {
  signal: AbortSignal;
  timeout: number;
  headers: Record<string, string>;
  onprogress: (progress: Progress) => void;
}

export interface OpenConnection extends Opened {
  url: string;
  sent: SentHeaders;
  /** Aborts when it is closed. */
  closing: AbortSignal;
  /** Rejects with McpError only. */
  run<T>(options: CallOptions, request: Requesting<T>): Promise<T>;
  /** Ends the session with DELETE (errors ignored, at most 2 s) and drops all connections; running calls fail as cancelled. */
  close(): Promise<void>;
}

const defaultMaxResponseBytes = 16 * 1024 * 1024;
const endSessionTimeoutMs = 2_000;

/** Connects to the server at `url`. Rejects with `McpError`; nothing is left open then. */
export async function openConnection(options: ConnectOptions): Promise<OpenConnection> {
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
    return renderConnection({ options, sent, opened, safeFetch });
  } catch (error) {
    await safeFetch.close();
    throw error;
  } finally {
    deadline.stop();
  }
}

interface Parts {
  options: ConnectOptions;
  sent: SentHeaders;
  opened: Opened;
  safeFetch: SafeFetch;
}

function renderConnection(parts: Parts): OpenConnection {
  const { options, sent, opened, safeFetch } = parts;
  const closing = new AbortController();
  return {
    ...opened,
    url: options.url,
    sent,
    closing: closing.signal,
    run: createRunner(parts, closing.signal),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await endSession(opened.transport);
      await opened.client.close();
      await safeFetch.close();
    },
  };
}

/** Runs requests, each under its deadlines, and translates what goes wrong. */
function createRunner({ options: { url, memory }, sent, opened }: Parts, closing: AbortSignal) {
  const { transport, questions, marks } = opened;
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
            cause: renderCause(error),
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

/** The SDK hands on all that came, and its type does not say so. */
function readProgress(received: Progress & { _meta?: unknown }): Progress {
  const { _meta: meta, ...progress } = received;
  return isJsonObject(meta) ? { ...progress, meta } : progress;
}

/** A server that cannot be told is left to its own idle limit. */
async function endSession(transport: CallTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, endSessionTimeoutMs)));
  await Promise.race([transport.terminateSession().catch(() => undefined), timeout]);
  clearTimeout(timer);
}
