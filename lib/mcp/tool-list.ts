// The tools of one server as last known: asked for when needed, again when they are old or have changed, and kept while the
// server is down. Whoever asks waits for a while only; a list that comes later is for the next.
import type { ToolDescription } from "./connect.ts";
import { McpError, type McpErrorKind } from "./mcp-error.ts";
import { settledWithin, type Clock } from "../process/clock.ts";

/** A list is asked for again after this time, since not every server tells of changes. */
const listTtlMs = 60_000;
/** With a list at hand, or after a failure to get one in time, a run waits this long for a newer one. */
const refreshWaitMs = 1_000;

/** Why the last list did not come. */
export interface ListFailure {
  kind: McpErrorKind;
  /** A sentence without the server's own words. */
  message: string;
  /** By the clock's `now`. */
  at: number;
}

export interface ToolList {
  /** The tools as last known; undefined while there has been no list. Never rejects. */
  get(): Promise<readonly ToolDescription[] | undefined>;
  /** Undefined when the last list came, or none has been asked for. */
  problem(): ListFailure | undefined;
  /** Something changed: the list is asked for again. */
  markStale(): void;
}

export interface ToolListOptions {
  server: string;
  /** Asks the server, and says so just before: what changes after that may be missing in the list. Settles in the end. */
  ask: (onAsking: () => void) => Promise<readonly ToolDescription[]>;
  onProblem: (error: unknown) => void;
  /** How long the first list is waited for. */
  firstWaitMs: number;
  clock: Clock;
}

/** A list that has not been asked for yet. */
export function createToolList({ server, ask, onProblem, firstWaitMs, clock }: ToolListOptions): ToolList {
  let tools: readonly ToolDescription[] | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  let stale = false;
  let refreshing: Promise<void> | undefined;
  let problem: ListFailure | undefined;

  const renderProblem = (error: unknown): ListFailure => {
    const { kind, message } = findMcpError(error) ?? { kind: "protocol", message: `${server} cannot be queried` };
    return { kind, message, at: clock.now() };
  };
  const refresh = async () => {
    const askedAt = clock.now();
    try {
      tools = await ask(() => (stale = false));
      listedAt = askedAt;
      problem = undefined;
    } catch (error) {
      stale = true;
      problem = renderProblem(error);
      onProblem(error);
    } finally {
      refreshing = undefined;
    }
  };
  return {
    async get() {
      if (!stale && clock.now() - listedAt < listTtlMs) return tools;
      refreshing ??= refresh();
      const waitMs = tools === undefined && problem === undefined ? firstWaitMs : refreshWaitMs;
      const isInTime = await settledWithin(refreshing, waitMs, clock);
      if (!isInTime && tools === undefined) {
        problem ??= renderProblem(new McpError("timeout", `${server} did not list its tools within ${waitMs} ms`));
      }
      return tools;
    },
    problem: () => problem,
    markStale: () => void (stale = true),
  };
}

/** The error itself, or where the server was not tried again so soon the one that it had failed with. */
function findMcpError(error: unknown): McpError | undefined {
  if (!(error instanceof McpError)) return undefined;
  return error.cause instanceof McpError ? error.cause : error;
}
