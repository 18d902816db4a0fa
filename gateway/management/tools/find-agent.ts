// The agent that a tool's caller names. One that is not there reads like one that the caller may not see.
import { suggestion } from "../../../crds/did-you-mean.ts";
import type { PallasAgent } from "../../../crds/agent.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import type { GatewayState } from "../../state/state.ts";
import { seesAgent } from "../access.ts";
import { ToolRefused } from "./tool.ts";

/** Throws a ToolRefused. */
export function findAgent(
  state: Pick<GatewayState, "getAgent" | "listAgents">,
  identity: Identity,
  name: string,
): PallasAgent {
  const agent = seesAgent(identity, name) ? state.getAgent(name) : undefined;
  if (agent !== undefined) return agent;
  const known = state
    .listAgents()
    .map(({ metadata }) => metadata.name)
    .filter((each) => seesAgent(identity, each));
  const message = `agent "${name}" is not there, or not for you${suggestion(name, known)}; agents_list has those that are`;
  throw new ToolRefused("not_found", message);
}
