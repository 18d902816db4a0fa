// The operator's ServiceAccount with the rights that operator/rights.ts says, as the chart must grant them and as tests do.
import { ownRules, watchedRules, type PolicyRule } from "../../operator/rights.ts";

interface RightsOptions {
  /** Of the roles, their bindings and the ServiceAccount. */
  readonly name: string;
  /** The operator's own namespace. */
  readonly namespace: string;
  /** Undefined: the whole cluster. Listed ones get a Role each, and there is no ClusterRole. */
  readonly watched: readonly string[] | undefined;
}

interface RightsObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const apiVersion = "rbac.authorization.k8s.io/v1";

function renderGrant(
  kind: "Role" | "ClusterRole",
  metadata: RightsObject["metadata"],
  rules: readonly PolicyRule[],
  account: { readonly name: string; readonly namespace: string },
): RightsObject[] {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name: metadata.name };
  const subjects = [{ kind: "ServiceAccount", ...account }];
  return [
    { apiVersion, kind, metadata, rules },
    { apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects },
  ];
}

/** The operator's ServiceAccount with its roles and their bindings. */
export function renderRights({ name, namespace, watched }: RightsOptions): RightsObject[] {
  const account = { name, namespace };
  const grants =
    watched === undefined
      ? renderGrant("ClusterRole", { name }, watchedRules(), account)
      : watched.flatMap((each) => renderGrant("Role", { name, namespace: each }, watchedRules(), account));
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: account },
    ...renderGrant("Role", { name: `${name}-election`, namespace }, ownRules(), account),
    ...grants,
  ];
}
