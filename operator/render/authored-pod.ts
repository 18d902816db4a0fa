// What authors may choose of the pods of their agents and tool servers: the allow-list of spec.pod, and nothing beyond.
import type { V1PodSpec } from "@kubernetes/client-node";
import { group } from "../../crds/names.ts";
import type { EffectiveSettings } from "../../plan/settings.ts";

type Pod = EffectiveSettings["pod"];

/** Without keys of our own group: those open doors, such as the label of clients (SEC-3). */
const authored = (entries: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter(([key]) => !key.startsWith(`${group}/`)));

/** Of the pod template; our own labels win. */
export function renderPodMetadata(pod: Pod, labels: Record<string, string>) {
  const annotations = authored(pod.annotations);
  return {
    labels: { ...authored(pod.labels), ...labels },
    // The server drops an empty map, which would then be missing for good.
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
}

/** Where its pods run, and before whom. */
export function renderPlacement(pod: Pod): Partial<V1PodSpec> {
  const { nodeSelector = {}, tolerations = [], priorityClassName = "", topologySpreadConstraints = [] } = pod;
  return {
    ...(Object.keys(nodeSelector).length > 0 ? { nodeSelector } : {}),
    ...(tolerations.length > 0 ? { tolerations: tolerations.map((toleration) => ({ ...toleration })) } : {}),
    ...(priorityClassName === "" ? {} : { priorityClassName }),
    ...(topologySpreadConstraints.length > 0 ? { topologySpreadConstraints } : {}),
  };
}
