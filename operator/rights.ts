// The rights of the operator, as data: what its calls need and what it hands on in the Roles of registries and
// gateways, since nobody may grant what they do not hold (OPR-9). No wildcard, no verb on Secrets, no escalate, bind or impersonate.
import { approvalType, policyType, registrationType } from "../crds/kinds.ts";
import { group } from "../crds/names.ts";
import { endpointSliceType } from "../lib/kube/endpoint-slice.ts";
import { approvalVerbs, managedTypes, managedVerbs, policyVerbs } from "./render/gateway-children.ts";
import type { ResourceType } from "../lib/kube/resource.ts";
import { childTypes, ownTypes, type ChildKind } from "./resources.ts";

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What caches need; also handed on to registries and gateways. */
const follow = ["list", "watch"] as const;
/** `get` asks past the cache whether an owner is still there, and what a write would change. */
const read = ["get", ...follow] as const;
/** Server-side apply is a patch, and a creation where nothing is there. */
const apply = ["create", "patch"] as const;

/** What only goes with its owner, if then. Everything else can be switched off and is then taken away. */
const keptKinds: ReadonlySet<string> = new Set(["historyClaim"] satisfies ChildKind[]);

/** A policy owns nothing, so that nobody needs to know whether it is still there. */
const readOf = (type: ResourceType): readonly string[] => (type === policyType ? follow : read);

/** Used by gateways with `management: readWrite`, never by the operator itself. */
const handedOn = (type: ResourceType): readonly string[] => {
  if (type === policyType) return policyVerbs;
  return managedTypes.includes(type) ? managedVerbs : [];
};

/** One rule per group and set of verbs, in a fixed order. */
function childRules(): PolicyRule[] {
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const [kind, { group: of, plural }] of Object.entries(childTypes)) {
    const verbs = [...read, ...apply, ...(keptKinds.has(kind) ? [] : ["delete"])];
    const id = `${of} ${verbs.join()}`;
    const rule = rules.get(id) ?? { apiGroups: [of], resources: [], verbs };
    rule.resources.push(plural);
    rules.set(id, rule);
  }
  return [...rules.values()];
}

/** In every namespace that the operator looks after. */
export function watchedRules(): PolicyRule[] {
  return [
    ...ownTypes.map((type) => ({
      apiGroups: [group],
      resources: [type.plural],
      verbs: [...readOf(type), ...handedOn(type)],
    })),
    { apiGroups: [group], resources: ownTypes.map(({ plural }) => `${plural}/status`), verbs: ["patch"] },
    // Gateways keep their directories in it; the operator itself never looks.
    { apiGroups: [group], resources: [registrationType.plural], verbs: [...follow, ...managedVerbs] },
    // Gateways keep in it what waits for somebody's yes; the operator itself never looks.
    { apiGroups: [group], resources: [approvalType.plural], verbs: [...approvalVerbs] },
    { apiGroups: [group], resources: [`${approvalType.plural}/status`], verbs: ["patch"] },
    ...childRules(),
    { apiGroups: [endpointSliceType.group], resources: [endpointSliceType.plural], verbs: follow },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  ];
}

/** In the operator's own namespace: the Lease of the election. */
export const ownRules = (): PolicyRule[] => [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
];
