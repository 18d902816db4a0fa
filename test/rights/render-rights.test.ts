import { describe, expect, it } from "vitest";
import { renderRights } from "./render-rights.ts";

describe("OPR-9 the operator's rights", () => {
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
