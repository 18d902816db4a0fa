// The rights of the operator, as data: what its calls need and what it hands on in the registry's Role, since nobody may
// grant what he does not hold (OPR-9). No wildcard, no verb on Secrets, no escalate, bind or impersonate.
import { group } from "../crds/names.ts";
import { endpointSliceType } from "../lib/kube/endpoint-slice.ts";
import { childTypes, ownTypes, type ChildKind } from "./resources.ts";

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What caches need; also handed on to registries. */
const follow = ["list", "watch"] as const;
/** `get` asks past the cache whether an owner is still there, and what a write would change. */
const read = ["get", ...follow] as const;
/** Server-side apply is a patch, and a creation where nothing is there. */
const apply = ["create", "patch"] as const;

/** What can be switched off and is then taken away, and what no pod runs on any more; everything else goes with its owner. */
const removedKinds: ReadonlySet<string> = new Set([
  "configMap",
  "networkPolicy",
  "podDisruptionBudget",
] satisfies ChildKind[]);

/** One rule per group and set of verbs, in a fixed order. */
function childRules(): PolicyRule[] {
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const [kind, { group: of, plural }] of Object.entries(childTypes)) {
    const verbs = [...read, ...apply, ...(removedKinds.has(kind) ? ["delete"] : [])];
    const id = `${of} ${verbs.join()}`;
    const rule = rules.get(id) ?? { apiGroups: [of], resources: [], verbs };
    rule.resources.push(plural);
    rules.set(id, rule);
  }
  return [...rules.values()];
}

/** In every namespace that the operator looks after. */
export function watchedRules(): PolicyRule[] {
  const ours = ownTypes.map(({ plural }) => plural);
  return [
    { apiGroups: [group], resources: ours, verbs: read },
    { apiGroups: [group], resources: ours.map((plural) => `${plural}/status`), verbs: ["patch"] },
    ...childRules(),
    { apiGroups: [endpointSliceType.group], resources: [endpointSliceType.plural], verbs: follow },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  ];
}

/** In the operator's own namespace: the Lease of the election. */
export const ownRules = (): PolicyRule[] => [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
];
