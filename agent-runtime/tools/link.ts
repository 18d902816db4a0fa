// A lasting way to one MCP server: connects when first needed, again when the session is lost, with back-off while the
// server is down; keeps the last known tool list meanwhile. Whose headers it sends is fixed when it is made, so a link
// that carries a caller's token belongs to that caller's run alone (BRR-2).
import { connectMcp, type CallOptions, type McpConnection, type ToolDescription } from "../../lib/mcp/connect.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { ToolResult } from "../../lib/mcp/table.ts";
import type { Logger } from "../../lib/process/log.ts";
import { settledWithin, type Clock } from "../clock.ts";

const connectTimeoutMs = 5_000;
const listTimeoutMs = 10_000;
/** A list is asked for again after this time, since not every server tells of changes. */
const listTtlMs = 60_000;
/** With a list at hand, a run waits this long for a newer one. */
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
}

export interface Link {
  /** The server's tools as last known; none while it has never been reached. Never rejects. */
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
  const connector = createConnector(options, closing.signal, () => (listedAt = Number.NEGATIVE_INFINITY));
  let tools: readonly ToolDescription[] | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  let running = 0;

  const refresh = async () => {
    try {
      const connection = await connector.get();
      const askedAt = clock.now();
      tools = await connection.listTools(AbortSignal.any([closing.signal, AbortSignal.timeout(listTimeoutMs)]));
      listedAt = askedAt;
    } catch (error) {
      connector.note(error);
      if (!closing.signal.aborted) log.warn({ server: name, err: error }, "tools of a server cannot be listed");
    } finally {
      refreshing = undefined;
    }
  };
  const callOnce = async (tool: string, args: Record<string, unknown>, callOptions: CallOptions) => {
    const connection = await connector.get();
    try {
      return await connection.callTool(tool, args, callOptions);
    } catch (error) {
      connector.note(error);
      throw error;
    }
  };
  return {
    async tools() {
      if (clock.now() - listedAt < listTtlMs) return tools ?? [];
      refreshing ??= refresh();
      if (tools === undefined) await refreshing;
      else await settledWithin(refreshing, refreshWaitMs, clock);
      return tools ?? [];
    },
    async call(tool, args, callOptions) {
      if (running === 0) connector.renewSuspect();
      running += 1;
      try {
        return await callOnce(tool, args, callOptions);
      } catch (error) {
        if (!(error instanceof McpError && error.kind === "session-lost")) throw error;
        return await callOnce(tool, args, callOptions);
      } finally {
        running -= 1;
      }
    },
    async close() {
      closing.abort(new Error(`the connection to ${name} is closed`));
      await connector.close();
    },
  };
}

interface Connector {
  get(): Promise<McpConnection>;
  /** Draws the conclusion from a failed request. */
  note(error: unknown): void;
  /** Drops a connection on which something failed, when no call would suffer from it. */
  renewSuspect(): void;
  close(): Promise<void>;
}

function createConnector(options: LinkOptions, closing: AbortSignal, onToolsChanged: () => void): Connector {
  const { name, clock } = options;
  let current: Promise<McpConnection> | undefined;
  let suspect = false;
  let failures = 0;
  let retryAt = 0;

  const connect = async () => {
    try {
      const connection = await connectMcp({
        url: options.url,
        headers: options.headers,
        clientName: "pallas",
        clientVersion: options.clientVersion,
        signal: closing,
        connectTimeoutMs,
      });
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
    note(error) {
      if (!(error instanceof McpError)) return;
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
