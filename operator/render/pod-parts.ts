// Parts of pods that the programs have in common, each in one form.
import type { V1ResourceRequirements, V1TopologySpreadConstraint, V1Volume } from "@kubernetes/client-node";
import type { PallasInstance } from "../../crds/instance.ts";
import type { Component } from "../../crds/names.ts";
import type { EffectiveSettings } from "../../plan/settings.ts";
import { renderSelector } from "./metadata.ts";

/** Older ReplicaSets that stay, and with them what their pods would run on. */
export const revisionHistoryLimit = 3;

/** Endpoints lag behind a pod's end by about this; the program goes on serving meanwhile (AGT-12). */
const drainMarginSeconds = 15;

export const gracePeriodSeconds = (drainTimeoutMs: number): number =>
  Math.ceil(drainTimeoutMs / 1000) + drainMarginSeconds;

const amounts = (quantities: Record<string, string | number> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(quantities).map(([name, amount]) => [name, String(amount)]));

export const renderResources = ({ requests, limits }: EffectiveSettings["resources"]): V1ResourceRequirements => ({
  requests: amounts(requests),
  limits: amounts(limits),
});

interface FileKey {
  readonly name: string;
  readonly key: string;
}

/**
 * Files by projection, each at {object}/{key}. All optional: a missing one is said by the program's health, and pods
 * start without it; a changed one shows in the pod without a restart (OPR-2).
 */
export function renderFiles(volume: string, kind: "secret" | "configMap", keys: readonly FileKey[]): V1Volume[] {
  if (keys.length === 0) return [];
  const unique = new Map(keys.map((entry) => [`${entry.name}/${entry.key}`, entry]));
  const sources = [...unique].map(([path, { name, key }]) => ({
    [kind]: { name, optional: true, items: [{ key, path }] },
  }));
  return [{ name: volume, projected: { sources, defaultMode: 0o440 } }];
}

/** Several pods are there so that a node can be lost. */
export const renderSpread = (instance: PallasInstance, component: Component): V1TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: "kubernetes.io/hostname",
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: renderSelector(instance, component) },
});

/** A token of the pod's ServiceAccount that the API server does not take; the kubelet renews it, and who uses it reads it each time. */
export const renderToken = (name: string, audience: string, path: string): V1Volume => ({
  name,
  projected: {
    defaultMode: 0o440,
    sources: [{ serviceAccountToken: { audience, expirationSeconds: 600, path } }],
  },
});
