// Where an agent's histories lie: on a claim of its own where spec.storage asks for one, else beside the pod.
import type { V1PersistentVolumeClaim, V1Volume, V1VolumeMount } from "@kubernetes/client-node";
import type { PallasAgent } from "../../crds/agent.ts";
import { defined } from "../../crds/defined.ts";
import { agentChildren, mounts } from "../../crds/names.ts";
import type { EffectiveSettings } from "../../plan/settings.ts";
import { renderMetadata, type Rendered } from "./metadata.ts";

const volumeName = "histories";
export const historiesMount: V1VolumeMount = { name: volumeName, mountPath: mounts.histories };

/**
 * The kubelet counts whole blocks of many small files, and evicts the pod over the limit: the runtime, which keeps to
 * maxBytes, must reach its own first.
 */
const diskOverhead = 1.25;
const spareMebibytes = 64;

export function renderHistoriesVolume(agent: PallasAgent, { history }: EffectiveSettings): V1Volume {
  if (agent.spec.storage) {
    return { name: volumeName, persistentVolumeClaim: { claimName: agentChildren(agent.metadata.name).historyClaim } };
  }
  const mebibytes = Math.ceil((history.maxBytes * diskOverhead) / 2 ** 20) + spareMebibytes;
  return { name: volumeName, emptyDir: { sizeLimit: `${mebibytes}Mi` } };
}

/** With Retain it has no owner, so that the garbage collector leaves it. Undefined without spec.storage. */
export function renderHistoryClaim(agent: PallasAgent): Rendered<V1PersistentVolumeClaim> | undefined {
  const { storage } = agent.spec;
  if (!storage) return undefined;
  const { ownerReferences, ...metadata } = renderMetadata(
    agent,
    "agent",
    agentChildren(agent.metadata.name).historyClaim,
  );
  const { size, storageClassName, onDelete } = storage;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: onDelete === "Delete" && ownerReferences ? { ...metadata, ownerReferences } : metadata,
    spec: {
      accessModes: ["ReadWriteOnce"],
      ...defined({ storageClassName }),
      resources: { requests: { storage: String(size) } },
    },
  };
}
