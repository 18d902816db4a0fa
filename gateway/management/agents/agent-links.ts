// The ways to agents' MCP endpoints: links that are opened with the first call and closed when idle, one for each caller's token
// where one is sent. A token goes on only where the instance's agents ask for tokens of an issuer, and only one of that issuer:
// what proves somebody to the gateway alone must prove them nowhere else.
import { readNamedIssuer } from "../../../lib/auth/cluster-tokens.ts";
import { createLink, type Link } from "../../../lib/mcp/link.ts";
import { createLinkPool, type Lease, type LinkPool } from "../../../lib/mcp/link-pool.ts";
import type { OpenFetch } from "../../../lib/mcp/safe-fetch.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import type { Logger } from "../../../lib/process/log.ts";
import type { MemoryBudget } from "../../../lib/process/memory-budget.ts";
import type { GatewayState } from "../../state/state.ts";

export interface AgentLinks {
  /** The way to an agent for one call; undefined while it has no endpoint. Whoever leases it releases it. */
  lease(agent: string, bearer: string | undefined): Lease | undefined;
  close(): Promise<void>;
}

export interface AgentLinksParts {
  state: Pick<GatewayState, "getInstance" | "getEndpoint" | "onChange">;
  version: string;
  openFetch?: OpenFetch | undefined;
  memory?: MemoryBudget | undefined;
  log: Logger;
  clock: Clock;
}

/** Links to one agent that are kept. */
const maxLinksPerAgent = 16;

export function createAgentLinks({ state, version, openFetch, memory, log, clock }: AgentLinksParts): AgentLinks {
  const pools = new Map<string, { url: string; pool: LinkPool }>();
  const openLink = (name: string, url: string, bearer: string | undefined): Link =>
    createLink({
      name,
      url,
      headers: async () => (bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
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
  const poolOf = (agent: string, url: string): LinkPool => {
    const known = pools.get(agent);
    if (known?.url === url) return known.pool;
    drop(agent);
    const open = (bearer: string | undefined) => openLink(agent, url, bearer);
    const pool = createLinkPool({ open, clock, maxLinks: maxLinksPerAgent });
    pools.set(agent, { url, pool });
    return pool;
  };
  const stop = state.onChange(({ agents }) => {
    for (const agent of agents) if (state.getEndpoint(agent) === undefined) drop(agent);
  });
  return {
    lease(agent, bearer) {
      const endpoint = state.getEndpoint(agent);
      if (endpoint === undefined) return undefined;
      return poolOf(agent, endpoint.mcpUrl).lease(mayGoOn(bearer) ? bearer : undefined);
    },
    async close() {
      stop();
      await Promise.all([...pools.values()].map(({ pool }) => pool.close()));
    },
  };

  function mayGoOn(bearer: string | undefined): boolean {
    const issuer = state.getInstance()?.spec.auth?.jwt?.issuer;
    return bearer !== undefined && issuer !== undefined && readNamedIssuer(bearer) === issuer;
  }
}
