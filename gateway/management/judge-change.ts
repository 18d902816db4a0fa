// A change judged before it is written, by the same rules and in the same sentences as `pallas check`: what would be wrong with the
// changed agent, and what the change would make wrong with others. Faults that others have anyway are none of its own.
import type { PallasAgent } from "../../crds/agent.ts";
import { apiVersion } from "../../crds/names.ts";
import { checkManifests, type SourcedValidationError } from "../../plan/check.ts";
import { formatProblem } from "../../plan/validation-error.ts";
import type { Rules } from "../../plan/rules.ts";
import type { GatewayState } from "../state/state.ts";

export interface Change {
  readonly name: string;
  /** Undefined: the agent is taken away. */
  readonly spec: unknown;
}

interface Manifest {
  source: string;
  value: unknown;
}

/** A line for each problem that the change would make; none when it may be written. */
export function judgeChange(
  state: Pick<GatewayState, "namespace" | "getInstance" | "listAgents">,
  rules: Rules,
  { name, spec }: Change,
): string[] {
  const instance = state.getInstance();
  if (instance === undefined) return ["the instance cannot be read now; try again later"];
  const shared = manifestOf("PallasInstance", instance.metadata.name, state.namespace, instance.spec);
  const agents = state.listAgents();
  const others = agents.filter(({ metadata }) => metadata.name !== name).map((agent) => render(agent));
  const changed = spec === undefined ? [] : [manifestOf("PallasAgent", name, state.namespace, spec)];
  const before = new Set(checkManifests([shared, ...agents.map(render)], rules).problems.map(lineOf));
  return checkManifests([shared, ...others, ...changed], rules)
    .problems.filter((problem) => problem.source === name || !before.has(lineOf(problem)))
    .map((problem) => (problem.source === name ? formatProblem(problem) : lineOf(problem)));
}

const lineOf = (problem: SourcedValidationError<string>): string => `${problem.subject}: ${formatProblem(problem)}`;

const render = ({ metadata, spec }: PallasAgent): Manifest =>
  manifestOf("PallasAgent", metadata.name, metadata.namespace, spec);

const manifestOf = (kind: string, name: string, namespace: string, spec: unknown): Manifest => ({
  source: kind === "PallasAgent" ? name : "",
  value: { apiVersion, kind, metadata: { name, namespace }, spec },
});
