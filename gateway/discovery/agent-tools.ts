// The tools of servers that the gateway cannot ask itself, as agents tell them (DSC-3): they can be found, and an agent can be asked to
// use them, but nobody calls them here. Few agents are asked, each now and then; what they said is kept while they are away, and
// forgotten with the agent or server.
import type { ToolReport } from "../../crds/tool-report.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { AdminClient } from "../management/agents/admin-client.ts";
import { createBoundedRequests } from "../management/agents/bounded-requests.ts";
import type { GatewayState } from "../state/state.ts";
import { collectTellers, hasNoRules, passesRules, type Tellers } from "./told-servers.ts";

/** What one agent can be asked to use of one server. */
export interface AgentTools {
  readonly agent: string;
  /** Whether it could be asked now. */
  readonly isReady: boolean;
  readonly server: string;
  /** What the server says of its use. */
  readonly serverDescription?: string;
  readonly tools: readonly ToolDescription[];
}

export interface AgentToolsFeed {
  /** An entry for each agent and server, of one server those of ready agents first. The same list while nothing changed. */
  list(): readonly AgentTools[];
  /** Hears that the list is another, until what it returns is called. */
  onChange(listener: () => void): () => void;
  /** Ends all requests; asks nobody any more. */
  close(): void;
}

export interface AgentToolsParts {
  state: Pick<GatewayState, "listServers" | "listAgents" | "getEndpoint" | "onChange">;
  admin: Pick<AdminClient, "fetchTools">;
  log: Logger;
  clock: Clock;
  /** Between 0 and 1. */
  random?: () => number;
}

/** Each time up to twice as long, so that agents are not asked all at once. */
const refreshMs = 30_000;
const firstRetryMs = 5_000;
const maxRetryMs = 300_000;
/** Before what is new is asked for. */
const soonMs = 1_000;
/** Longer than an agent waits for the server. */
const timeoutMs = 10_000;
const maxAtOnce = 4;

/** Agents of the same rules, and what one of them said last. */
interface Source {
  tellers: Tellers;
  report?: ToolReport;
  /** Of a report, what passes the rules: the same list for as long as that is the same. */
  picked?: { of: ToolReport; tools: readonly ToolDescription[] };
  failures: number;
  /** As it was when it was last scheduled: who is ready now may know more. */
  ready: string;
  timer?: Timer;
}

export function createAgentTools(parts: AgentToolsParts): AgentToolsFeed {
  const { state, admin, log, clock, random = Math.random } = parts;
  const requests = createBoundedRequests({ maxAtOnce, timeoutMs, clock });
  const sources = new Map<string, Source>();
  const listeners = new Set<() => void>();
  let rows: readonly AgentTools[] = [];
  let shown = "";

  const isReady = (agent: string) => state.getEndpoint(agent) !== undefined;
  const readyOf = ({ tellers }: Source) => tellers.agents.filter(isReady);
  /** Whoever has no rules knows all; where one of these can be asked, the others are not. */
  const isAsked = (source: Source): boolean =>
    readyOf(source).length > 0 &&
    (hasNoRules(source.tellers.rules) ||
      ![...sources.values()].some(
        (other) =>
          other.tellers.server === source.tellers.server &&
          hasNoRules(other.tellers.rules) &&
          readyOf(other).length > 0,
      ));

  const render = () => {
    const versions = [...sources.values()].map(({ tellers, report }) => [
      tellers.key,
      tellers.agents.map((agent) => [agent, isReady(agent)]),
      report?.version ?? null,
    ]);
    const now = JSON.stringify(versions);
    if (now === shown) return;
    shown = now;
    rows = renderRows([...sources.values()], isReady);
    for (const listener of [...listeners]) listener();
  };

  const schedule = (source: Source, delayMs: number) => {
    source.timer?.cancel();
    source.timer = clock.schedule(delayMs, () => void ask(source));
  };
  const ask = async (source: Source): Promise<void> => {
    const { server, key } = source.tellers;
    const ready = readyOf(source);
    // The next one where one failed.
    const agent = ready[source.failures % Math.max(1, ready.length)];
    if (agent === undefined || !isAsked(source)) {
      source.ready = ""; // Until who can be asked changes.
      return;
    }
    try {
      const found = await requests.run((signal) => admin.fetchTools(agent, server, source.report?.version, signal));
      if (sources.get(key) !== source) return;
      if (found !== "same") source.report = found;
      source.failures = 0;
    } catch (error) {
      if (sources.get(key) !== source) return;
      source.failures += 1;
      log.debug({ agent, server, err: error }, "an agent does not tell the tools of a server");
    }
    const afterMs = source.failures === 0 ? refreshMs : Math.min(maxRetryMs, firstRetryMs * 2 ** (source.failures - 1));
    schedule(source, afterMs * (1 + random()));
    render();
  };
  const forget = (key: string, source: Source) => {
    source.timer?.cancel();
    sources.delete(key);
  };

  /** Takes what is known of agents and servers now. */
  const follow = () => {
    const wanted = new Map(collectTellers(state.listServers(), state.listAgents()).map((each) => [each.key, each]));
    for (const [key, source] of sources) if (!wanted.has(key)) forget(key, source);
    for (const [key, tellers] of wanted) {
      const source: Source = sources.get(key) ?? { tellers, failures: 0, ready: "" };
      sources.set(key, source);
      source.tellers = tellers;
    }
    for (const source of sources.values()) {
      const ready = JSON.stringify([readyOf(source), isAsked(source)]);
      if (ready === source.ready) continue;
      source.ready = ready;
      source.failures = 0;
      schedule(source, soonMs * random());
    }
    render();
  };
  follow();
  const stop = state.onChange(({ agents, servers, instance }) => {
    if (instance || agents.length > 0 || servers.length > 0) follow();
  });
  return {
    list: () => rows,
    onChange(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close() {
      stop();
      listeners.clear();
      for (const [key, source] of sources) forget(key, source);
      requests.close();
    },
  };
}

function renderRows(sources: readonly Source[], isReady: (agent: string) => boolean): AgentTools[] {
  const whole = new Map(
    sources.filter(({ tellers }) => hasNoRules(tellers.rules)).map(({ tellers, report }) => [tellers.server, report]),
  );
  const rows = sources.flatMap((source) => {
    const { server, rules, agents } = source.tellers;
    const report = whole.get(server) ?? source.report;
    if (report === undefined) return [];
    if (source.picked?.of !== report) {
      source.picked = { of: report, tools: report.tools.filter(({ name }) => passesRules(name, rules)) };
    }
    const { tools } = source.picked;
    const { serverDescription } = report;
    return agents.map((agent) => ({
      agent,
      isReady: isReady(agent),
      server,
      ...defined({ serverDescription }),
      tools,
    }));
  });
  return rows.toSorted((a, b) => Number(b.isReady) - Number(a.isReady));
}
