// A lasting way to one MCP server: connects when first needed, again when the session is lost, with back-off while the
// server is down. Whose headers it sends is fixed when it is made, so a link
// that carries a caller's token serves that token's calls alone (BRR-2). Nothing in it waits without an end.
import type { Askable } from "./asking.ts";
import type { CallResult, McpConnection, ToolDescription } from "./connect.ts";
import type { CallOptions } from "./open-connection.ts";
import { McpError } from "./mcp-error.ts";
import type { OpenFetch } from "./safe-fetch.ts";
import type { Era } from "./table.ts";
import type { Clock } from "../process/clock.ts";
import type { MemoryBudget } from "../process/memory-budget.ts";
import type { Logger } from "../process/log.ts";
import { createToolList, type ListFailure } from "./tool-list.ts";

const defaultDeadlines = {
  connectMs: 10_000,
  listMs: 30_000,
  /** For the first list a run waits this long; what comes later is for the next. */
  firstListMs: 12_000,
};
const backoffFirstMs = 500;
const maxBackoffMs = 10_000;

export interface LinkOptions {
  name: string;
  url: string;
  /** Asked before each HTTP request, so that a rotated secret is used at once; again with those that got HTTP 401. */
  headers: (refused?: Record<string, string>) => Promise<Record<string, string>>;
  clientVersion: string;
  /** What its server may ask during calls; nothing when absent. */
  askable?: Askable;
  log: Logger;
  clock: Clock;
  /** Hears of each new connection, before anything is asked on it. */
  onConnected?: ((connection: McpConnection) => void) | undefined;
  /** Hears that its tools may be others. */
  onToolsChanged?: (() => void) | undefined;
  openFetch?: OpenFetch | undefined;
  memory?: MemoryBudget | undefined;
  deadlines?: typeof defaultDeadlines;
}

export type ServerFacts = Pick<McpConnection, "instructions" | "hasResources">;

export interface Link {
  /** The server's tools as last known; undefined while there has been no list, which is waited for but once. Never rejects. */
  tools(): Promise<readonly ToolDescription[] | undefined>;
  /** What the last list failed with; undefined when it came, or none has been asked for. */
  problem(): ListFailure | undefined;
  /** What the server said of itself when it was last connected to. */
  latest(): ServerFacts | undefined;
  /** Asks the server something; once more when it had lost the session, because then it was not run. Rejects with McpError. */
  use<T>(request: (connection: McpConnection) => Promise<T>): Promise<T>;
  /** Calls a tool by the same rules. */
  call(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  /** Ends the session. Running calls fail. */
  close(): Promise<void>;
}

/** A link that has not connected yet. */
export function createLink(options: LinkOptions): Link {
  const { name, log, clock, deadlines = defaultDeadlines } = options;
  const closing = new AbortController();
  const connector = createConnector(options, closing.signal, () => {
    list.markStale();
    options.onToolsChanged?.();
  });
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
  const renewSuspect = () => {
    if (running === 0) connector.renewSuspect();
  };
  const list = createToolList({
    server: name,
    ask(onAsking) {
      renewSuspect();
      return use((connection) => {
        onAsking();
        return connection.listTools(closing.signal, deadlines.listMs);
      });
    },
    onProblem(error) {
      if (!closing.signal.aborted) log.warn({ server: name, err: error }, "tools of a server cannot be listed");
    },
    firstWaitMs: deadlines.firstListMs,
    clock,
  });
  const useCounted = async <T>(request: (connection: McpConnection) => Promise<T>) => {
    renewSuspect();
    running += 1;
    try {
      return await use(request);
    } finally {
      running -= 1;
    }
  };
  return {
    tools: list.get,
    problem: list.problem,
    latest: connector.latest,
    use: useCounted,
    call: (tool, args, callOptions) => useCounted((connection) => connection.callTool(tool, args, callOptions)),
    async close() {
      closing.abort(new McpError("cancelled", `the connection to ${name} is closed`));
      await connector.close();
    },
  };
}

interface Connector {
  get(): Promise<McpConnection>;
  latest(): ServerFacts | undefined;
  /** Draws the conclusion from a failed request on a connection. */
  note(error: unknown, on: McpConnection): void;
  /** Drops a connection on which something failed, when no call would suffer from it. */
  renewSuspect(): void;
  close(): Promise<void>;
}

/** The client is loaded with the first connection. */
async function connectTo(options: LinkOptions, signal: AbortSignal, era: Era | undefined): Promise<McpConnection> {
  const { url, headers, clientVersion, askable, openFetch, memory, deadlines = defaultDeadlines } = options;
  const { connectMcp } = await import("./connect.ts");
  return await connectMcp({
    url,
    headers,
    clientName: "pallas",
    clientVersion,
    ...(askable && { askable }),
    signal,
    connectTimeoutMs: deadlines.connectMs,
    era,
    openFetch,
    memory,
  });
}

function createConnector(options: LinkOptions, closing: AbortSignal, onToolsChanged: () => void): Connector {
  const { name, clock } = options;
  let current: Promise<McpConnection> | undefined;
  let connected: McpConnection | undefined;
  let latest: ServerFacts | undefined;
  let suspect = false;
  let failures = 0;
  let retryAt = 0;
  let lastError: unknown;
  /** Of a server that was found to speak the older one. */
  let era: Era | undefined;

  const connect = async () => {
    try {
      const connection = await connectTo(options, closing, era);
      connected = connection;
      latest = { instructions: connection.instructions, hasResources: connection.hasResources };
      era = connection.era === "2025" ? "2025" : undefined;
      connection.onToolsChanged = onToolsChanged;
      options.onConnected?.(connection);
      failures = 0;
      suspect = false;
      return connection;
    } catch (error) {
      retryAt = clock.now() + Math.min(maxBackoffMs, backoffFirstMs * 2 ** failures);
      failures += 1;
      lastError = error;
      era = undefined;
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
        const text = `${name} was not reachable a moment ago; it is tried again in ${seconds} s`;
        throw new McpError("unreachable", text, { cause: lastError });
      }
      current = connect();
      return current;
    },
    latest: () => latest,
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
