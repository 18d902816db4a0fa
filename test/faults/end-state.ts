// What a namespace holds in the end, in a form that two namespaces can be compared in: every object the operator made
// and every status it wrote, without what differs between any two runs (names of the namespace, uids, times, addresses,
// and hashes over these). An owner that does not exist, a second ReplicaSet or one more object show as a difference.

import { annotations } from "../../crds/names.ts";
import { plurals } from "./space.ts";
import type { LiveObject, Space } from "./space.ts";

/** By `plural/name`; what is in every namespace without the operator's doing is left out. */
export type EndState = Record<string, unknown>;

const unstable = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "managedFields",
  "clusterIP",
  "clusterIPs",
  "lastTransitionTime",
  "specChangedAt",
]);
const everywhere = new Set(["configmaps/kube-root-ca.crt", "serviceaccounts/default"]);
/** The account and the roles that the operator itself runs under. */
const operatorsOwn = /\/pallas-operator(-election)?$/;
const hash = /^(?:sha256:)?[0-9a-f]{8,64}$/;
/** Each is named by the hash of what is in it, the namespace too. */
const runConfig = /-run-config-[0-9a-f]{16}/;

export async function observeEndState(space: Space): Promise<EndState> {
  const lists = await Promise.all(plurals.map(async (plural) => ({ plural, objects: await space.list(plural) })));
  const names = new Map<string, string>();
  for (const { plural, objects } of lists) {
    for (const { metadata } of objects) names.set(metadata.uid, `${plural}/${metadata.name}`);
  }
  const state: EndState = {};
  for (const { plural, objects } of lists) {
    for (const object of objects) {
      const revision = object.metadata.annotations?.[annotations.revision];
      const key = `${plural}/${object.metadata.name.replace(runConfig, `-run-config-${revision}`)}`;
      if (plural === "replicasets") {
        countReplicaSet(state, object);
      } else if (!everywhere.has(key) && !operatorsOwn.test(key)) {
        state[key] = normalise(owned(object, plural, names), space.name);
      }
    }
  }
  return Object.fromEntries(Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Its name has a hash over what differs, so only their number per Deployment is kept: a rollout makes another. */
function countReplicaSet(state: EndState, { metadata }: LiveObject): void {
  const key = `replicasets of ${metadata.ownerReferences?.[0]?.name}`;
  const seen = state[key];
  state[key] = typeof seen === "number" ? seen + 1 : 1;
}

/** Owners by name, where the uid is that of a living object. Statuses of others than ours are their controllers' business. */
function owned(object: LiveObject, plural: string, names: ReadonlyMap<string, string>): object {
  const { status, ...rest } = object;
  const owners = object.metadata.ownerReferences?.map(({ uid }) => names.get(uid) ?? "an owner that is gone");
  return { ...rest, ...(plural.startsWith("pallas") ? { status } : {}), owners };
}

function normalise(value: unknown, namespace: string): unknown {
  if (typeof value === "string") {
    return hash.test(value) ? "a hash" : value.replaceAll(namespace, "its-namespace").replace(runConfig, "-run-config");
  }
  if (Array.isArray(value)) return value.map((entry) => normalise(entry, namespace));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !unstable.has(name));
  return Object.fromEntries(kept.map(([name, entry]) => [name, normalise(entry, namespace)]));
}
