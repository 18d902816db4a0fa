// Who may call which tool: the one place that says so. What discovery finds, lists, suggests and calls is asked here first, so that a tool
// that somebody may not call is not there for them. Pure, from the caller's identity, from what the instance declares, and from its policy.
import { registryServerName } from "../../crds/names.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";
import {
  isVisible,
  requireRole,
  type AgentIdentity,
  type Identity,
  type PersonIdentity,
} from "../../lib/auth/roles.ts";
import type { Hints } from "../../lib/policy/rules.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import type { GatewayState } from "../state/state.ts";
import { nameOfTool } from "./tool-name.ts";

/** What an agent is called by, as a server of one tool. */
export const agentTool = "send_message";

export type MayCallTool = (server: string, tool: string) => boolean;

export interface MayCall {
  /** `server` is the name of a server, or of an agent. It says nothing about whether there is such a tool. */
  (identity: Identity, server: string, tool: string): boolean;
  /** The same for many tools at once; it holds for as long as nothing changes. */
  of(identity: Identity): MayCallTool;
}

type Known = Pick<GatewayState, "getServer" | "getAgent">;

export interface MayCallParts {
  state: Known;
  policy: Pick<GatewayPolicy, "hides">;
  /** What a server says of its tool, as far as that is known. */
  findHints: (server: string, tool: string) => Hints | undefined;
}

export function createMayCall({ state, policy, findHints }: MayCallParts): MayCall {
  const of = (identity: Identity): MayCallTool => {
    const may = identity.kind === "agent" ? ofAgent(identity, state) : ofPerson(identity, state);
    const hides = policy.hides(identity);
    return (server, tool) => may(server, tool) && !hides(server, tool, () => findHints(server, tool));
  };
  return Object.assign((identity: Identity, server: string, tool: string) => of(identity)(server, tool), { of });
}

function ofPerson(identity: PersonIdentity, state: Known): MayCallTool {
  if (requireRole(identity, "caller") !== undefined) return () => false;
  const { servers, agents } = identity;
  // A server of the same name wins over the agent.
  const isAgent = (name: string) => state.getServer(name) === undefined && state.getAgent(name) !== undefined;
  return eachServer((server) => {
    if (!isAgent(server)) return isVisible(servers, server, matchesToolPattern) ? () => true : nothing;
    return isVisible(agents, server, matchesToolPattern) ? (tool) => tool === agentTool : nothing;
  });
}

/** What its entry for the gateway's tool lets through; agents call no agents this way, which could go in circles. */
function ofAgent({ agent }: AgentIdentity, state: Known): MayCallTool {
  const grant = findGrant(agent, state);
  if (grant === undefined) return nothing;
  const { allow = [], deny = [] } = grant.tools ?? {};
  return eachServer((server) => {
    if (state.getServer(server) === undefined) return nothing;
    return (tool) => {
      const name = nameOfTool(server, tool);
      const isNamed = allow.length === 0 || allow.some((pattern) => matchesToolPattern(name, pattern));
      return isNamed && !deny.some((pattern) => matchesToolPattern(name, pattern));
    };
  });
}

const nothing = () => false;

/** A search asks for each of ten thousand tools, server by server. */
function eachServer(ofServer: (server: string) => (tool: string) => boolean): MayCallTool {
  let last: string | undefined;
  let judge: (tool: string) => boolean = nothing;
  return (server, tool) => {
    if (server !== last) [last, judge] = [server, ofServer(server)];
    return judge(tool);
  };
}

/** The entry by which an agent was given the gateway's tool; where a server has that name, the entry is that server's. */
export function findGrant(agent: string, state: Known) {
  if (state.getServer(registryServerName) !== undefined) return undefined;
  return state.getAgent(agent)?.spec.servers?.find(({ name }) => name === registryServerName);
}
