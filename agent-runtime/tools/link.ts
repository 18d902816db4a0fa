// A lasting way to one MCP server: connects when first needed, again when the session is lost, with back-off while the
// server is down; keeps the last known tool list meanwhile. Whose headers it sends is fixed when it is made, so a link
// that carries a caller's token serves that token's calls alone (BRR-2).
import type { CallOptions, McpConnection, ToolDescription } from "../../lib/mcp/connect.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { OpenFetch } from "../../lib/mcp/safe-fetch.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import { settledWithin, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";

const connectTimeoutMs = 10_000;
const listTimeoutMs = 30_000;
/** A list is asked for again after this time, since not every server tells of changes. */
const listTtlMs = 60_000;
/** With a list at hand, or after a failure to get one, a run waits this long for a newer one. */
const refreshWaitMs = 1_000;
const backoffFirstMs = 500;
const backoffMaxMs = 10_000;

export interface LinkOptions {
  name: string;
  url: string;
  /** Asked before each HTTP request, so that a rotated secret is used at once. */
  headers: () => Promise<Record<string, string>>;
  clientVersion: string;
  log: Logger;
  clock: Clock;
  openFetch?: OpenFetch | undefined;
}

export interface Link {
  /** The server's tools as last known; none while it has never been reached, which is waited for but once. Never rejects. */
  tools(): Promise<readonly ToolDescription[]>;
  /** Calls a tool; once more when the server had lost the session, because then it was not run. Rejects with McpError. */
  call(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<ToolResult>;
  /** Ends the session. Running calls fail. */
  close(): Promise<void>;
}

/** A link that has not connected yet. */
export function createLink(options: LinkOptions): Link {
  const { name, log, clock } = options;
  const closing = new AbortController();
  const connector = createConnector(options, closing.signal, () => (stale = true));
  let tools: readonly ToolDescription[] | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  /** Something changed after the list was asked for. */
  let stale = false;
  let refreshing: Promise<void> | undefined;
  let refreshFailed = false;
  let running = 0;

  const useOnce = async <T>(use: (connection: McpConnection) => Promise<T>) => {
    const connection = await connector.get();
    try {
      return await use(connection);
    } catch (error) {
      connector.note(error, connection);
      throw error;
    }
  };
  /** A request that found its session lost was not run: it is made once more, in a new session. */
  const use = async <T>(request: (connection: McpConnection) => Promise<T>) => {
    try {
      return await useOnce(request);
    } catch (error) {
      if (!(error instanceof McpError && error.kind === "session-lost")) throw error;
      return await useOnce(request);
    }
  };
  const refresh = async () => {
    const askedAt = clock.now();
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(listTimeoutMs)]);
      tools = await use((connection) => {
        stale = false;
        return connection.listTools(signal);
      });
      listedAt = askedAt;
      refreshFailed = false;
    } catch (error) {
      stale = true;
      refreshFailed = true;
      if (!closing.signal.aborted) log.warn({ server: name, err: error }, "tools of a server cannot be listed");
    } finally {
      refreshing = undefined;
    }
  };
  return {
    async tools() {
      if (!stale && clock.now() - listedAt < listTtlMs) return tools ?? [];
      refreshing ??= refresh();
      if (tools === undefined && !refreshFailed) await refreshing;
      else await settledWithin(refreshing, refreshWaitMs, clock);
      return tools ?? [];
    },
    async call(tool, args, callOptions) {
      if (running === 0) connector.renewSuspect();
      running += 1;
      try {
        return await use((connection) => connection.callTool(tool, args, callOptions));
      } finally {
        running -= 1;
      }
    },
    async close() {
      closing.abort(new McpError("cancelled", `the connection to ${name} is closed`));
      await connector.close();
    },
  };
}

interface Connector {
  get(): Promise<McpConnection>;
  /** Draws the conclusion from a failed request on a connection. */
  note(error: unknown, on: McpConnection): void;
  /** Drops a connection on which something failed, when no call would suffer from it. */
  renewSuspect(): void;
  close(): Promise<void>;
}

function createConnector(options: LinkOptions, closing: AbortSignal, onToolsChanged: () => void): Connector {
  const { name, clock } = options;
  let current: Promise<McpConnection> | undefined;
  let connected: McpConnection | undefined;
  let suspect = false;
  let failures = 0;
  let retryAt = 0;

  const connect = async () => {
    try {
      const { connectMcp } = await import("../../lib/mcp/connect.ts");
      const connection = await connectMcp({
        url: options.url,
        headers: options.headers,
        clientName: "pallas",
        clientVersion: options.clientVersion,
        signal: closing,
        connectTimeoutMs,
        openFetch: options.openFetch,
      });
      connected = connection;
      connection.onToolsChanged = onToolsChanged;
      failures = 0;
      suspect = false;
      return connection;
    } catch (error) {
      retryAt = clock.now() + Math.min(backoffMaxMs, backoffFirstMs * 2 ** failures);
      failures += 1;
      current = undefined;
      throw error;
    }
  };
  const drop = async () => {
    const dropped = current;
    current = undefined;
    connected = undefined;
    onToolsChanged();
    // A connection that never came about has nothing to close.
    await dropped?.then((connection) => connection.close()).catch(() => undefined);
  };
  return {
    async get() {
      closing.throwIfAborted();
      if (current !== undefined) return current;
      const waitMs = retryAt - clock.now();
      if (failures > 0 && waitMs > 0) {
        const seconds = Math.ceil(waitMs / 1_000);
        throw new McpError("unreachable", `${name} was not reachable a moment ago; it is tried again in ${seconds} s`);
      }
      current = connect();
      return current;
    },
    note(error, on) {
      // What failed on a connection already replaced says nothing about its successor.
      if (!(error instanceof McpError) || on !== connected) return;
      if (error.kind === "session-lost") void drop();
      else if (error.kind !== "timeout" && error.kind !== "cancelled") suspect = true;
    },
    renewSuspect() {
      if (suspect) void drop();
      suspect = false;
    },
    close: drop,
  };
}
