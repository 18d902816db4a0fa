import { describe, expect, it } from "vitest";
import { renderInstanceChildren } from "./render/instance-children.ts";
import { makeInstance, releaseImages, releaseRules } from "./render/testing/resources.ts";
import { ownRules, renderRights, watchedRules, type PolicyRule } from "./rights.ts";

/** Each right on its own: `apps deployments patch`. */
const expand = (rules: readonly PolicyRule[]): string[] =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group} ${resource} ${verb}`))),
  );
const all = [...watchedRules(), ...ownRules()];

describe("OPR-9 the operator's rights", () => {
  it("have no wildcard and nothing that leads to more rights", () => {
    const words = all.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]);
    for (const word of ["*", "secrets", "escalate", "bind", "impersonate", "pods", "pods/exec", "tokenreviews"])
      expect(words).not.toContain(word);
  });

  it("name each right once", () => {
    const rights = expand(all);
    expect(new Set(rights).size).toBe(rights.length);
  });

  it("hold all that the registry's Role grants, or the API server would refuse that Role", () => {
    const { role } = renderInstanceChildren(makeInstance(), releaseImages, releaseRules);
    const granted = (role.rules ?? []).flatMap(({ apiGroups = [], resources = [], verbs }) =>
      expand([{ apiGroups, resources, verbs }]),
    );
    expect(granted.length).toBeGreaterThan(5);
    expect(expand(watchedRules())).toEqual(expect.arrayContaining(granted));
  });

  it("are Roles only, one in each namespace, where namespaces are listed", () => {
    const rights = renderRights({ name: "pallas-operator", namespace: "pallas", watched: ["blue", "green"] });
    const names = rights.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`);
    expect(names).toEqual([
      "ServiceAccount pallas/pallas-operator",
      "Role pallas/pallas-operator-election",
      "RoleBinding pallas/pallas-operator-election",
      "Role blue/pallas-operator",
      "RoleBinding blue/pallas-operator",
      "Role green/pallas-operator",
      "RoleBinding green/pallas-operator",
    ]);
  });

  it("are one ClusterRole beside the election's Role for the whole cluster", () => {
    const rights = renderRights({ name: "pallas-operator", namespace: "pallas", watched: undefined });
    expect(rights.map(({ kind }) => kind)).toEqual([
      "ServiceAccount",
      "Role",
      "RoleBinding",
      "ClusterRole",
      "ClusterRoleBinding",
    ]);
  });
});
