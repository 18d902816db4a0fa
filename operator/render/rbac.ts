// The account of an instance's program and its rights: a Role of the instance's own namespace, and nothing beyond.
import type { V1PolicyRule, V1Role, V1RoleBinding, V1ServiceAccount } from "@kubernetes/client-node";
import type { PallasInstance } from "../../crds/instance.ts";
import type { Component } from "../../crds/names.ts";
import { renderMetadata, type Rendered } from "./metadata.ts";

/** What caches need; a program asks for no object by name. */
export const follow = ["list", "watch"];

/** A pod that is to have its token asks for it. */
export const renderAccount = (
  instance: PallasInstance,
  component: Component,
  name: string,
): Rendered<V1ServiceAccount> => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: renderMetadata(instance, component, name),
  automountServiceAccountToken: false,
});

export const renderRole = (
  instance: PallasInstance,
  component: Component,
  name: string,
  rules: V1PolicyRule[],
): Rendered<V1Role> => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: renderMetadata(instance, component, name),
  rules,
});

/** Of the Role of that name to the account of that name. */
export const renderRoleBinding = (
  instance: PallasInstance,
  component: Component,
  name: string,
): Rendered<V1RoleBinding> => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: renderMetadata(instance, component, name),
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
  subjects: [{ kind: "ServiceAccount", name, namespace: instance.metadata.namespace }],
});
