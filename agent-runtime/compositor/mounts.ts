// The servers of an agent as its compositor has them (MGM-4): a way to each that is opened when it is first needed, what is
// known of its tools, whether it runs, and which of its resources somebody follows. A server that hangs or lies costs the
// others nothing. The links are the compositor's own: a run's carry what its caller may be asked.
import type { RunConfig, RunServer } from "../../crds/run-config.ts";
import type { Askable } from "../../lib/mcp/asking.ts";
import { createAskableLinks } from "../../lib/mcp/askable-links.ts";
import type { McpConnection, ToolDescription } from "../../lib/mcp/connect.ts";
import { createLink, type Link, type LinkOptions } from "../../lib/mcp/link.ts";
import { createLinkPool, type Lease } from "../../lib/mcp/link-pool.ts";
import type { HeardChange } from "../../lib/mcp/resource-changes.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { MemoryBudget } from "../../lib/process/memory-budget.ts";
import type { Logger } from "../../lib/process/log.ts";
import { observeHeaders, type HeaderSources } from "../tools/headers.ts";
import { isToolAllowed, resourcesRead } from "../tools/naming.ts";

/** More of one server are left out. */
export const maxToolsPerMount = 512;
/** How often a server is looked at whose resources somebody follows: one that was restarted has forgotten who follows. */
const lookIntervalMs = 60_000;

export type MountState =
  | { state: "initializing" }
  | { state: "running"; tools: number }
  | { state: "failed"; message: string };

export interface Mount {
  readonly server: RunServer;
  readonly link: Link;
  /** The way to it for a call whose caller can be asked this. */
  lease(askable: Askable): Lease;
  /** Those that this agent may use, as last known; none while the server lends none. Never rejects. */
  tools(): Promise<readonly ToolDescription[]>;
  observeState(): MountState;
  /** Whether this agent may read its resources. */
  readonly isReadable: boolean;
  /** Hears of changes of this resource, or of the mount's state alone, until what it returns is called. */
  follow(uri: string | undefined): () => void;
  close(): Promise<void>;
}

export interface MountListener {
  onToolsChanged(): void;
  onStateChanged(server: string): void;
  onResourceChange(server: string, change: HeardChange): void;
}

export interface MountParts {
  config: Pick<RunConfig, "agent" | "servers">;
  sources: HeaderSources;
  log: Logger;
  clock: Clock;
  memory?: MemoryBudget | undefined;
  deadlines?: NonNullable<LinkOptions["deadlines"]>;
}

/** Connects to nothing yet. */
export function createMount(server: RunServer, parts: MountParts, listener: MountListener): Mount {
  const { clock, log } = parts;
  const followed = createFollowed(clock, () => void readTools());
  let shown = "";
  const options: LinkOptions = {
    name: server.name,
    url: server.url,
    // No caller's token: who asks here is the agent itself.
    headers: (refused) => observeHeaders(server, parts.sources, { refused }),
    clientVersion: parts.config.agent.version,
    log,
    clock,
    memory: parts.memory,
    ...(parts.deadlines && { deadlines: parts.deadlines }),
  };
  const asking = createAskableLinks((askable) =>
    createLinkPool({ open: () => createLink({ ...options, askable }), keyOf: () => undefined, clock }),
  );
  const link = createLink({
    ...options,
    onToolsChanged: listener.onToolsChanged,
    onConnected(connection) {
      followed.attach(connection);
      connection.onResourceChange = (change) => listener.onResourceChange(server.name, change);
      // What changed while there was no connection, nobody said.
      for (const uri of followed.uris()) listener.onResourceChange(server.name, { uri });
    },
  });
  let last: { all: readonly ToolDescription[]; tools: readonly ToolDescription[] } | undefined;
  const observeState = (): MountState => {
    const problem = link.problem();
    if (problem !== undefined) return { state: "failed", message: problem.message };
    return last === undefined ? { state: "initializing" } : { state: "running", tools: last.tools.length };
  };
  const readTools = async () => {
    const all = await link.tools();
    if (all !== undefined && all !== last?.all) last = { all, tools: pickTools(server, all, log) };
    const state = JSON.stringify(observeState());
    if (state !== shown) listener.onStateChanged(server.name);
    shown = state;
    return last?.tools ?? [];
  };
  return {
    server,
    link,
    lease: (askable) => asking.lease(undefined, askable),
    tools: readTools,
    observeState,
    isReadable: isToolAllowed(resourcesRead, server),
    follow(uri) {
      const stop = followed.add(uri);
      void readTools();
      return stop;
    },
    async close() {
      followed.close();
      await Promise.all([link.close(), asking.close()]);
    },
  };
}

function pickTools(server: RunServer, all: readonly ToolDescription[], log: Logger): ToolDescription[] {
  const allowed = new Map(all.filter(({ name }) => isToolAllowed(name, server)).map((tool) => [tool.name, tool]));
  const left = allowed.size - maxToolsPerMount;
  if (left > 0) log.warn({ server: server.name, left }, "a server has more tools than are mounted");
  return [...allowed.values()].slice(0, maxToolsPerMount);
}

/** What is followed of one server, on whatever connection there is; `look` is asked for from time to time while there is any. */
function createFollowed(clock: Clock, look: () => void) {
  /** How many follow each; without a URI the server itself. */
  const counts = new Map<string | undefined, number>();
  let connection: McpConnection | undefined;
  let timer: ReturnType<Clock["schedule"]> | undefined;
  const uris = () => [...counts.keys()].filter((uri) => uri !== undefined);
  const lookAgain = () => {
    look();
    timer = clock.schedule(lookIntervalMs, lookAgain);
  };
  const close = () => {
    timer?.cancel();
    timer = undefined;
  };
  return {
    uris,
    attach(next: McpConnection) {
      connection = next;
      connection.followResources(uris());
    },
    add(uri: string | undefined) {
      counts.set(uri, (counts.get(uri) ?? 0) + 1);
      timer ??= clock.schedule(lookIntervalMs, lookAgain);
      if (uri !== undefined) connection?.followResources(uris());
      return () => {
        const left = (counts.get(uri) ?? 1) - 1;
        if (left > 0) return void counts.set(uri, left);
        counts.delete(uri);
        if (counts.size === 0) close();
        if (uri !== undefined) connection?.followResources(uris());
      };
    },
    close,
  };
}
