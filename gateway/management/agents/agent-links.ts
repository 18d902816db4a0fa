// The ways to agents' MCP endpoints: links that are opened with the first call and closed when idle, one for each caller, so
// that what one begins is nobody else's.
import { callerHeader, renderCaller, renderVouched, type Vouched } from "../../../lib/auth/gateway-caller.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { Askable } from "../../../lib/mcp/asking.ts";
import { createLink, type Link } from "../../../lib/mcp/link.ts";
import { createLinkPool, type Lease, type LinkPool } from "../../../lib/mcp/link-pool.ts";
import type { OpenFetch } from "../../../lib/mcp/safe-fetch.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import { defined } from "../../../lib/process/defined.ts";
import type { Logger } from "../../../lib/process/log.ts";
import type { MemoryBudget } from "../../../lib/process/memory-budget.ts";
import type { GatewayState } from "../../state/state.ts";

export interface LinkCaller extends Vouched {
  subject: string;
  /** The caller's token, where agents may have it. */
  bearer: string | undefined;
  /** What it can be asked; nothing when absent. */
  askable?: Askable | undefined;
}

export const linkCaller = (identity: Identity, bearer: string | undefined): LinkCaller => ({
  subject: identity.subject,
  name: identity.name,
  ...(identity.kind === "person" && defined({ role: identity.role })),
  bearer,
});

export interface AgentLinks {
  /**
   * The way to an agent for one call; undefined while it has no endpoint. Whoever leases it releases it.
   */
  lease(agent: string, who: LinkCaller): Lease | undefined;
  close(): Promise<void>;
}

export interface AgentLinksParts {
  state: Pick<GatewayState, "getEndpoint" | "onChange">;
  /** The gateway's own token for its agents, read anew each time, since it is renewed. */
  readAgentsToken: () => Promise<string>;
  version: string;
  openFetch?: OpenFetch | undefined;
  memory?: MemoryBudget | undefined;
  log: Logger;
  clock: Clock;
}

/** Links to one agent that are kept. */
const maxLinksPerAgent = 16;

export function createAgentLinks({
  state,
  readAgentsToken,
  version,
  openFetch,
  memory,
  log,
  clock,
}: AgentLinksParts): AgentLinks {
  const pools = new Map<string, { url: string; pool: LinkPool<LinkCaller> }>();
  const openLink = (name: string, url: string, { subject, bearer, askable, ...caller }: LinkCaller): Link =>
    createLink({
      name,
      url,
      headers: async () => ({
        [callerHeader]: renderCaller(subject),
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
        ...(await readAgentsToken().then((proof) => renderVouched(caller, proof), warnOfToken)),
      }),
      clientVersion: version,
      ...(askable && { askable }),
      log,
      clock,
      openFetch,
      memory,
    });
  // An agent takes the caller for nobody that is known then.
  const warnOfToken = (error: unknown): Record<string, string> => {
    log.error({ err: error }, "the gateway's own token for its agents cannot be read");
    return {};
  };
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
    const keyOf = ({ subject, bearer, name, role, askable }: LinkCaller) =>
      JSON.stringify([subject, bearer, name, role, askable]);
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
