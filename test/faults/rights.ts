// Rights for a ServiceAccount of a fault row. Which verbs and kinds the operator needs is another test's business.

const apiGroup = "rbac.authorization.k8s.io";

/** A Role and RoleBinding that let the ServiceAccount `operator` do everything in its namespace. */
export function grantEverything(namespace: string): object[] {
  const metadata = { name: "operator" };
  return [
    {
      ...{ apiVersion: `${apiGroup}/v1`, kind: "Role", metadata },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    },
    {
      ...{ apiVersion: `${apiGroup}/v1`, kind: "RoleBinding", metadata },
      roleRef: { apiGroup, kind: "Role", name: "operator" },
      subjects: [{ kind: "ServiceAccount", name: "operator", namespace }],
    },
  ];
}
