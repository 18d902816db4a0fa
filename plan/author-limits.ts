// How far authors may go beyond what an agent is there for, as those who run the operator decide (SEC-2). A label makes a
// pod a backend of every Service that selects it, an annotation is an order to whatever in the cluster reads it, a
// priority class evicts others' pods, and policies add up: what one opens, no other closes.
import * as z from "zod";
import type { AgentSpec } from "../crds/agent.ts";
import { listNames, type ValidationError } from "./validation-error.ts";

/** From nothing to everything; each level allows what those before it do. */
export const policyLevels = ["none", "sameNamespace", "any", "off"] as const;
type PolicyLevel = (typeof policyLevels)[number];

const names = z.array(z.string()).readonly();

export const authorLimits = z.object({
  /** Keys of pods' labels; one that ends in an asterisk stands for all that begin with what is before it. */
  labels: names,
  /** The same of pods' annotations. */
  annotations: names,
  /** Names, with asterisks likewise. */
  priorityClasses: names,
  /** What spec.networkPolicy may open: nothing, pods of the agent's own namespace, anything; or the policy may be off. */
  networkPolicy: z.enum(policyLevels),
});
export type AuthorLimits = z.output<typeof authorLimits>;

/** The operator's variables, as messages name them. */
const variables = {
  labels: "PALLAS_AUTHOR_LABELS",
  annotations: "PALLAS_AUTHOR_ANNOTATIONS",
  priorityClasses: "PALLAS_AUTHOR_PRIORITY_CLASSES",
  networkPolicy: "PALLAS_AUTHOR_NETWORK_POLICY",
} as const satisfies Record<keyof AuthorLimits, string>;

type NetworkPolicy = NonNullable<AgentSpec["networkPolicy"]>;
type Peer = NonNullable<NetworkPolicy["from"]>[number];

const problem = (path: string, message: string): ValidationError => ({ reason: "InvalidField", path, message });

const isListed = (name: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry));

const listProblems = (
  path: string,
  names: string[],
  limit: Exclude<keyof AuthorLimits, "networkPolicy">,
  limits: AuthorLimits,
) =>
  names
    .filter((name) => !isListed(name, limits[limit]))
    .map((name) =>
      problem(
        path,
        `"${name}" is not among those that authors may set (${listNames(limits[limit])}); remove it, or have it added to ${variables[limit]} of the operator`,
      ),
    );

/** The lowest level that allows a peer. */
const levelOf = ({ podSelector, namespaceSelector, ipBlock }: Peer): PolicyLevel =>
  podSelector && !namespaceSelector && !ipBlock ? "sameNamespace" : "any";

function openingProblem(path: string, needed: PolicyLevel, { networkPolicy }: AuthorLimits): ValidationError[] {
  if (policyLevels.indexOf(needed) <= policyLevels.indexOf(networkPolicy)) return [];
  const message = `needs "${needed}" where authors have "${networkPolicy}"; remove it, or have ${variables.networkPolicy} of the operator set to "${needed}"`;
  return [problem(path, message)];
}

/** Problems of what an agent and agentDefaults can both set, at `path`. */
export function authorProblems(
  path: string,
  { pod = {}, networkPolicy = {} }: Pick<AgentSpec, "pod" | "networkPolicy">,
  { authors: limits }: { authors?: AuthorLimits },
): ValidationError[] {
  if (limits === undefined) return [];
  return [
    ...listProblems(`${path}.pod.labels`, Object.keys(pod.labels ?? {}), "labels", limits),
    ...listProblems(`${path}.pod.annotations`, Object.keys(pod.annotations ?? {}), "annotations", limits),
    ...listProblems(
      `${path}.pod.priorityClassName`,
      pod.priorityClassName ? [pod.priorityClassName] : [],
      "priorityClasses",
      limits,
    ),
    ...(networkPolicy.enabled === false ? openingProblem(`${path}.networkPolicy.enabled`, "off", limits) : []),
    ...(["from", "to"] as const).flatMap((side) =>
      (networkPolicy[side] ?? []).flatMap((peer, at) =>
        openingProblem(`${path}.networkPolicy.${side}[${at}]`, levelOf(peer), limits),
      ),
    ),
  ];
}
