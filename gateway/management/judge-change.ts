// A change judged before it is written, by the same rules and in the same sentences as `pallas check`: what would be wrong with the
// changed resource, and what the change would make wrong with others. Faults that others have anyway are none of its own.
import { apiVersion } from "../../crds/names.ts";
import { checkManifests, type SourcedValidationError } from "../../plan/check.ts";
import { formatProblem } from "../../plan/validation-error.ts";
import type { Rules } from "../../plan/rules.ts";
import type { GatewayState } from "../state/state.ts";

export interface Change {
  readonly kind: "PallasAgent" | "PallasServer" | "PallasPolicy";
  /** Of the resource. */
  readonly name: string;
  /** Undefined: it is taken away. */
  readonly spec: unknown;
}

interface Manifest {
  source: string;
  value: unknown;
}

/** A line for each problem that the change would make; none when it may be written. */
export function judgeChange(
  state: Pick<GatewayState, "namespace" | "getInstance" | "listAgents" | "listServers" | "listPolicies">,
  rules: Rules,
  change: Change,
): string[] {
  const instance = state.getInstance();
  if (instance === undefined) return ["the instance cannot be read now; try again later"];
  const agents = state.listAgents().map(({ metadata, spec }) => manifestOf("PallasAgent", metadata, spec));
  const servers = state
    .listServers()
    .flatMap(({ resource }) =>
      resource === undefined ? [] : manifestOf("PallasServer", resource.metadata, resource.spec),
    );
  const policies = state.listPolicies().map(({ metadata, spec }) => manifestOf("PallasPolicy", metadata, spec));
  const shared = { ...manifestOf("PallasInstance", instance.metadata, instance.spec), source: "" };
  const known = [shared, ...policies, ...servers, ...agents];
  const { kind, name, spec } = change;
  const changed = manifestOf(kind, { name, namespace: state.namespace }, spec);
  const others = known.filter(({ source }) => source !== changed.source);
  const before = new Set(checkManifests(known, rules).problems.map(lineOf));
  // In the place of what it was: sentences that list names must not read otherwise for what is no problem of the change.
  const isNew = others.length === known.length;
  const replaced = known.map((each) => (each.source === changed.source ? changed : each));
  const after = spec === undefined ? others : isNew ? [...known, changed] : replaced;
  return checkManifests(after, rules)
    .problems.filter((problem) => problem.source === changed.source || !before.has(lineOf(problem)))
    .map((problem) => (problem.source === changed.source ? formatProblem(problem) : lineOf(problem)));
}

const lineOf = (problem: SourcedValidationError<string>): string => `${problem.subject}: ${formatProblem(problem)}`;

interface Meta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly creationTimestamp?: string | null | undefined;
}

const manifestOf = (kind: string, { name, namespace, creationTimestamp }: Meta, spec: unknown): Manifest => ({
  source: `${kind} ${name}`,
  value: {
    apiVersion,
    kind,
    // Of two servers of one name the earlier has it.
    metadata: { name, namespace, ...(typeof creationTimestamp === "string" && { creationTimestamp }) },
    spec,
  },
});
