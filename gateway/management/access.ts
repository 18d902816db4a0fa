// What an identity may see through the management server: pure, from its role and its globs. A person sees from the role viewer
// on; an agent sees itself and nobody else.
import type { PallasApproval } from "../../crds/approval.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import { isVisible, requireRole, type Identity } from "../../lib/auth/roles.ts";
import type { Requester } from "../../lib/mcp/table.ts";
import type { GatewayState } from "../state/state.ts";

/** Who asks. Throws where the endpoint was mounted behind a middleware that names no identities. */
export function identityOf({ caller }: Pick<Requester, "caller">): Identity {
  if (isIdentity(caller)) return caller;
  throw new Error("expected an identity from the middleware before the endpoint, found another caller");
}

function isIdentity(caller: Requester["caller"]): caller is Identity {
  return typeof caller === "object" && "kind" in caller && (caller.kind === "person" || caller.kind === "agent");
}

/** Whether it may look at the instance at all. */
export const isViewer = (identity: Identity): boolean => requireRole(identity, "viewer") === undefined;

/** Whether it sees all agents, or all servers, whatever their names: an entry of `access` that names none says `*`. */
export const seesAll = (identity: Identity, what: "agents" | "servers"): boolean =>
  identity.kind === "person" && isViewer(identity) && (identity[what]?.includes("*") ?? true);

export function seesAgent(identity: Identity, name: string): boolean {
  if (identity.kind === "agent") return identity.agent === name;
  return isViewer(identity) && isVisible(identity.agents, name, matchesToolPattern);
}

/** An agent sees the servers that it uses itself: they are part of what it is. */
export function seesServer(identity: Identity, name: string): boolean {
  if (identity.kind === "agent") return true;
  return isViewer(identity) && isVisible(identity.servers, name, matchesToolPattern);
}

/**
 * Whether it sees a call that somebody must approve: people who see the agent that calls and what is called. Agents see none: what
 * is asked of people is not for models.
 */
export function seesApproval(
  identity: Identity,
  { spec }: Pick<PallasApproval, "spec">,
  state: Pick<GatewayState, "getServer" | "getAgent">,
): boolean {
  if (identity.kind === "agent" || !isViewer(identity)) return false;
  if (spec.agentRef !== undefined && !seesAgent(identity, spec.agentRef.name)) return false;
  return seesTarget(identity, spec.server, state);
}

/** Whether it sees what a call goes to: a server, or another agent. */
export function seesTarget(
  identity: Identity,
  name: string,
  state: Pick<GatewayState, "getServer" | "getAgent">,
): boolean {
  const isAgent = state.getServer(name) === undefined && state.getAgent(name) !== undefined;
  return isAgent ? seesAgent(identity, name) : seesServer(identity, name);
}
