// The tools of servers that the gateway cannot ask itself, as agents tell them (DSC-3): they can be found, and an agent can be asked to
// use them, but nobody calls them here. Few agents are asked, each now and then; what they said is kept while they are away, and
// forgotten with the agent or server.
import type { ToolReport } from "../../crds/tool-report.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { AdminClient } from "../management/agents/admin-client.ts";
import { createBoundedRequests, type BoundedRequests } from "../management/agents/bounded-requests.ts";
import type { GatewayState } from "../state/state.ts";
import { collectTellers, hasNoRules, passesRules, type Tellers } from "./told-servers.ts";

/** What one agent can be asked to use of one server. */
export interface ToldTools {
  readonly agent: string;
  /** Whether it could be asked now. */
  readonly isReady: boolean;
  readonly server: string;
  /** What the server says of its use. */
  readonly serverDescription?: string;
  /** The same object for as long as they are the same. */
  readonly tools: readonly ToolDescription[];
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

export class AgentToolsFeed {
  readonly #parts: AgentToolsParts;
  readonly #requests: BoundedRequests;
  readonly #random: () => number;
  readonly #sources = new Map<string, Source>();
  readonly #listeners = new Set<() => void>();
  readonly #stop: () => void;
  #rows: readonly ToldTools[] = [];
  /** What they were made of. */
  #shown = "";

  /** Asks from now on. */
  constructor(parts: AgentToolsParts) {
    this.#parts = parts;
    this.#random = parts.random ?? Math.random;
    this.#requests = createBoundedRequests({ maxAtOnce, timeoutMs, clock: parts.clock });
    this.#follow();
    this.#stop = parts.state.onChange(({ agents, servers, instance }) => {
      if (instance || agents.length > 0 || servers.length > 0) this.#follow();
    });
  }

  /** An entry for each agent and server, those of ready agents first. The same list while nothing changed. */
  list(): readonly ToldTools[] {
    return this.#rows;
  }

  /** Hears that the list is another, until what it returns is called. */
  onChange(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Ends all requests; asks nobody any more. */
  close(): void {
    this.#stop();
    this.#listeners.clear();
    for (const key of [...this.#sources.keys()]) this.#forget(key);
    this.#requests.close();
  }

  /** Takes what is known of agents and servers now. */
  #follow(): void {
    const { state } = this.#parts;
    const wanted = new Map(collectTellers(state.listServers(), state.listAgents()).map((each) => [each.key, each]));
    for (const key of [...this.#sources.keys()]) if (!wanted.has(key)) this.#forget(key);
    for (const [key, tellers] of wanted) {
      const source: Source = this.#sources.get(key) ?? { tellers, failures: 0, ready: "" };
      this.#sources.set(key, source);
      source.tellers = tellers;
    }
    for (const source of this.#sources.values()) {
      const ready = JSON.stringify([this.#readyOf(source), this.#isAsked(source)]);
      if (ready === source.ready) continue;
      source.ready = ready;
      source.failures = 0;
      this.#schedule(source, soonMs * this.#random());
    }
    this.#render();
  }

  #forget(key: string): void {
    this.#sources.get(key)?.timer?.cancel();
    this.#sources.delete(key);
  }

  /** In place of what was scheduled before. */
  #schedule(source: Source, delayMs: number): void {
    source.timer?.cancel();
    source.timer = this.#parts.clock.schedule(delayMs, () => void this.#ask(source));
  }

  async #ask(source: Source): Promise<void> {
    const { admin, log } = this.#parts;
    const { server, key } = source.tellers;
    const ready = this.#readyOf(source);
    // The next one where one failed.
    const agent = ready[source.failures % Math.max(1, ready.length)];
    if (agent === undefined || !this.#isAsked(source)) {
      source.ready = ""; // Until who can be asked changes.
      return;
    }
    try {
      const ask = (signal: AbortSignal) => admin.fetchTools(agent, server, source.report?.version, signal);
      const found = await this.#requests.run(ask);
      if (found !== "same") source.report = found;
      source.failures = 0;
    } catch (error) {
      source.failures += 1;
      log.debug({ agent, server, err: error }, "an agent does not tell the tools of a server");
    }
    if (this.#sources.get(key) !== source) return; // Forgotten meanwhile.
    const { failures } = source;
    const afterMs = failures === 0 ? refreshMs : Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1));
    this.#schedule(source, afterMs * (1 + this.#random()));
    this.#render();
  }

  #isReady(agent: string): boolean {
    return this.#parts.state.getEndpoint(agent) !== undefined;
  }

  #readyOf({ tellers }: Source): string[] {
    return tellers.agents.filter((agent) => this.#isReady(agent));
  }

  /** Whoever has no rules knows all; where one of these can be asked, the others are not. */
  #isAsked(source: Source): boolean {
    if (hasNoRules(source.tellers.rules)) return true;
    const isWhole = ({ tellers }: Source) => tellers.server === source.tellers.server && hasNoRules(tellers.rules);
    return ![...this.#sources.values()].some((other) => isWhole(other) && this.#readyOf(other).length > 0);
  }

  #render(): void {
    const sources = [...this.#sources.values()];
    const shown = JSON.stringify(
      sources.map(({ tellers: { key, agents }, report }) => [
        key,
        agents.map((agent) => [agent, this.#isReady(agent)]),
        report?.version ?? null,
      ]),
    );
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#rows = renderRows(sources, (agent) => this.#isReady(agent));
    for (const listener of [...this.#listeners]) listener();
  }
}

function renderRows(sources: readonly Source[], isReady: (agent: string) => boolean): ToldTools[] {
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
