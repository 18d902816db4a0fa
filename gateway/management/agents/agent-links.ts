// The ways to agents' MCP endpoints: links that are opened with the first call and closed when idle, one for each caller, so
// that what one begins is nobody else's.
import { callerHeader, renderCaller } from "../../../lib/auth/gateway-caller.ts";
import { createLink, type Link } from "../../../lib/mcp/link.ts";
import { createLinkPool, type Lease, type LinkPool } from "../../../lib/mcp/link-pool.ts";
import type { OpenFetch } from "../../../lib/mcp/safe-fetch.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import type { Logger } from "../../../lib/process/log.ts";
import type { MemoryBudget } from "../../../lib/process/memory-budget.ts";
import type { GatewayState } from "../../state/state.ts";

export interface LinkCaller {
  subject: string;
  /** The caller's token, where agents may have it. */
  bearer: string | undefined;
}

export interface AgentLinks {
  /**
   * The way to an agent for one call; undefined while it has no endpoint. Whoever leases it releases it.
   */
  lease(agent: string, who: LinkCaller): Lease | undefined;
  close(): Promise<void>;
}

export interface AgentLinksParts {
  state: Pick<GatewayState, "getEndpoint" | "onChange">;
  version: string;
  openFetch?: OpenFetch | undefined;
  memory?: MemoryBudget | undefined;
  log: Logger;
  clock: Clock;
}

/** Links to one agent that are kept. */
const maxLinksPerAgent = 16;

export function createAgentLinks({ state, version, openFetch, memory, log, clock }: AgentLinksParts): AgentLinks {
  const pools = new Map<string, { url: string; pool: LinkPool<LinkCaller> }>();
  const openLink = (name: string, url: string, { subject, bearer }: LinkCaller): Link =>
    createLink({
      name,
      url,
      headers: async () => ({
        [callerHeader]: renderCaller(subject),
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      }),
      clientVersion: version,
      log,
      clock,
      openFetch,
      memory,
    });
  const drop = (agent: string) => {
    const known = pools.get(agent);
    pools.delete(agent);
    void known?.pool.close();
  };
  const poolOf = (agent: string, url: string): LinkPool<LinkCaller> => {
    const known = pools.get(agent);
    if (known?.url === url) return known.pool;
    drop(agent);
    const open = (who: LinkCaller) => openLink(agent, url, who);
    const keyOf = ({ subject, bearer }: LinkCaller) => JSON.stringify([subject, bearer]);
    const pool = createLinkPool({ open, keyOf, clock, maxLinks: maxLinksPerAgent });
    pools.set(agent, { url, pool });
    return pool;
  };
  const stop = state.onChange(({ agents }) => {
    for (const agent of agents) if (state.getEndpoint(agent) === undefined) drop(agent);
  });
  return {
    lease(agent, who) {
      const endpoint = state.getEndpoint(agent);
      if (endpoint === undefined) return undefined;
      return poolOf(agent, endpoint.mcpUrl).lease(who);
    },
    async close() {
      stop();
      await Promise.all([...pools.values()].map(({ pool }) => pool.close()));
    },
  };
}
