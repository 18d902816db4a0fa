// OPR-9 as functions over what was granted and what was called. A right of a registry's Role is justified by a call that
// a registry made. A right of the operator is justified by a call it made itself, or by standing in the Role it gives
// registries: the API server lets nobody grant what he does not hold.
import type { AuditedCall } from "./audited-call.ts";

export interface GrantedRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** Each right on its own: `apps/deployments patch`. */
export const expandRules = (rules: readonly GrantedRule[]): string[] =>
  rules.flatMap(({ apiGroups = [], resources = [], nonResourceURLs = [], verbs }) => {
    const named = apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`));
    const paths = nonResourceURLs.map((path) => `path ${path}`);
    return [...named, ...paths].flatMap((what) => verbs.map((verb) => `${what} ${verb}`));
  });

/** What these calls needed. A server-side apply that made something needed the right to create it too. */
export function rightsUsed(calls: readonly AuditedCall[]): Set<string> {
  const allowed = calls.filter(({ isRefused }) => !isRefused);
  return new Set(
    allowed.flatMap(({ right, status }) => {
      if (right === undefined) return [];
      return right.endsWith(" patch") && status === 201 ? [right, right.replace(/ patch$/, " create")] : [right];
    }),
  );
}

function without(rights: Iterable<string>, others: Iterable<string>): string[] {
  const taken = new Set(others);
  return [...new Set(rights)].filter((right) => !taken.has(right)).toSorted();
}

export interface Difference {
  readonly idle: readonly string[];
  readonly missing: readonly string[];
}

/** Both empty: what is granted is what is used, or handed on. */
export const compareRights = (
  granted: readonly string[],
  used: ReadonlySet<string>,
  handedOn: readonly string[] = [],
): Difference => ({
  idle: without(granted, [...used, ...handedOn]),
  missing: without([...used, ...handedOn], granted),
});

const unwanted = /\*|^path |\/secrets\b|\/pods\b|\/(tokenreviews|subjectaccessreviews)| (escalate|bind|impersonate)$/;

/** Rights that nobody of ours may ever hold: wildcards, Secrets, pods, paths without a resource, and what leads to more rights. */
export const unwantedRights = (rights: readonly string[]): string[] => rights.filter((right) => unwanted.test(right));

/** What every ServiceAccount may read of a cluster, in no namespace: by which keys its tokens are signed. */
const publicPaths = new Set(["/.well-known/openid-configuration", "/openid/v1/jwks"]);

/** Calls outside these namespaces, cluster-scoped ones and other paths without a resource among them. */
export const callsOutside = (calls: readonly AuditedCall[], namespaces: ReadonlySet<string>): string[] => [
  ...new Set(
    calls
      .filter(({ namespace, uri }) => (namespace === undefined ? !publicPaths.has(uri) : !namespaces.has(namespace)))
      .map(({ account, uri }) => `${account}: ${uri}`),
  ),
];

export interface ProvokedRefusal {
  /** What the namespaces of the test begin with. */
  readonly namespacePrefix: string;
  readonly reason: string;
  /** False where it depends on who is faster; default true. */
  readonly isCertain?: boolean;
}

/** Refusals that no test wants, and tests that want some and met none. */
export function judgeRefusals(calls: readonly AuditedCall[], provoked: readonly ProvokedRefusal[]) {
  const refused = calls.filter(({ isRefused }) => isRefused);
  const isIn = ({ namespacePrefix }: ProvokedRefusal, { namespace = "" }: AuditedCall) =>
    namespace.startsWith(namespacePrefix);
  const unexpected = refused.filter((call) => !provoked.some((each) => isIn(each, call)));
  return {
    unexpected: [
      ...new Set(unexpected.map(({ account, right, uri, status }) => `${status} ${account} ${right ?? uri}`)),
    ],
    notProvoked: provoked.filter((each) => each.isCertain !== false && !refused.some((call) => isIn(each, call))),
  };
}
