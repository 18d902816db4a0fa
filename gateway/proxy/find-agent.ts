// Which agent a request means, and where it is, from memory: unknown, and the same for who may not see it (404); known and not
// there to take calls (503).
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import { isVisible, type Identity } from "../../lib/auth/roles.ts";
import { rpcCodes, type RpcFailure } from "../../lib/mcp/json-rpc.ts";

/** What the proxy asks of the gateway's state. */
export interface ProxiedAgents {
  /** Undefined until the first list has been read. */
  getInstance(): PallasInstance | undefined;
  getAgent(name: string): PallasAgent | undefined;
  /** Undefined while it has none. */
  getEndpoint(name: string): { mcpUrl: string; adminUrl: string } | undefined;
}

export type FoundAgent = { kind: "agent"; mcpUrl: string; adminUrl: string } | { kind: "failed"; failure: RpcFailure };

const retryAfter = { "Retry-After": "5" };

export function findAgent(agents: ProxiedAgents, name: string, identity: Identity): FoundAgent {
  if (agents.getInstance() === undefined) {
    return fail(503, "The gateway has not read its agents yet; try again later", retryAfter);
  }
  const agent = agents.getAgent(name);
  const globs = identity.kind === "person" ? identity.agents : [identity.agent];
  if (agent === undefined || !isVisible(globs, name, matchesToolPattern)) {
    return fail(404, "Unknown agent: expected the name of an agent of this instance that you may see");
  }
  const endpoint = agents.getEndpoint(name);
  const isDown = agent.status?.conditions?.some(({ type, status }) => type === "Available" && status === "False");
  return endpoint === undefined || isDown === true
    ? { kind: "failed", failure: notReady(name) }
    : { kind: "agent", ...endpoint };
}

export const notReady = (name: string): RpcFailure => ({
  status: 503,
  code: rpcCodes.serverError,
  message: `The agent ${name} is not ready; try again later`,
  headers: retryAfter,
});

const fail = (status: number, message: string, headers?: Record<string, string>): FoundAgent => ({
  kind: "failed",
  failure: { status, code: rpcCodes.serverError, message, ...(headers && { headers }) },
});
