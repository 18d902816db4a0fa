// How every tool that writes an agent goes about it: what the caller may not see is refused, then the change is judged as
// `pallas check` would, and then it is one API write.
import type { PallasAgent } from "../../../crds/agent.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { isJsonObject } from "../../../lib/mcp/json-rpc.ts";
import type { Rules } from "../../../plan/rules.ts";
import type { GatewayState, WritesFor } from "../../state/state.ts";
import { seesAgent, seesServer } from "../access.ts";
import { judgeChange, type Change } from "../judge-change.ts";
import { renderAgentRecord } from "../resources/agent-record.ts";
import { renderAnswer, ToolRefused } from "./tool.ts";

export interface WriteParts {
  state: GatewayState;
  writesFor: WritesFor;
  rules: Rules;
}

/** Throws a ToolRefused with a line for each problem. */
export function requireSound(
  { state, rules }: Pick<WriteParts, "state" | "rules">,
  change: Omit<Change, "kind">,
): void {
  const problems = judgeChange(state, rules, { kind: "PallasAgent", ...change });
  if (problems.length > 0) throw new ToolRefused("invalid", problems.join("\n"));
}

/** Who is narrowed to some agents and servers gives no agent a way to others: throws a ToolRefused for what `before` does not name. */
export function requireVisible(identity: Identity, spec: unknown, before?: PallasAgent["spec"]): void {
  const had = (names: readonly string[]) => (name: string) => names.includes(name);
  const refuse = (what: string, name: string) => {
    throw new ToolRefused("forbidden", `${what} "${name}" is not for you to use: your role is narrowed to others`);
  };
  const isOldServer = had(namesIn(before, "servers"));
  for (const name of namesIn(spec, "servers")) {
    if (!isOldServer(name) && !seesServer(identity, name)) refuse("server", name);
  }
  const isOldAgent = had([...namesIn(before, "agents"), ...namesIn(before, "dependsOn")]);
  for (const name of [...namesIn(spec, "agents"), ...namesIn(spec, "dependsOn")]) {
    if (!isOldAgent(name) && !seesAgent(identity, name)) refuse("agent", name);
  }
}

/** Names that a list of a spec refers to; of what has another form nothing, which is for who judges. */
function namesIn(spec: unknown, field: "servers" | "agents" | "dependsOn"): string[] {
  const list: unknown = isJsonObject(spec) || typeof spec === "object" ? Reflect.get(Object(spec), field) : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const name = isJsonObject(entry) ? entry["name"] : entry;
    return typeof name === "string" ? [name] : [];
  });
}

export const renderWritten = ({ state }: Pick<WriteParts, "state">, agent: PallasAgent) =>
  renderAnswer({ agent: renderAgentRecord(agent, state.getInstance()) });
