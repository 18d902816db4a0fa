// Where agents are asked for their health: at the admin port of their pods. Pods that are not ready are known too, since
// they have most to say; a Service would hide them. An operator outside the cluster asks at one URL per agent instead.
import { labels, ports } from "../../crds/names.ts";
import { endpointSliceType, parseEndpoints } from "../../lib/kube/endpoint-slice.ts";
import { createInformer, type Informer, type InformerOptions } from "../../lib/kube/informer.ts";
import { identityOf, keyOf, objectKey, type LiveObject, type RawObject } from "../../lib/kube/object.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import type { WatchedAgent } from "../../plan/parse-watched.ts";

export interface AgentPod {
  /** Of its health report. */
  readonly url: string;
  /** Whether callers are sent to it, so that it must answer. */
  readonly ready: boolean;
}

/** Agents are named by key, `namespace/name`. */
export interface AgentPods {
  /** Ready ones first, then by URL, so that one that goes on being ready goes on being asked. */
  of(agent: string): readonly AgentPod[];
  /** Hears of agents whose pods changed, `initial` for those known from the first list. Returns the way to stop. */
  onChange(listener: (agent: string, initial: boolean) => void): () => void;
}

/** An EndpointSlice of an agent's Service; it carries the Service's labels. */
export interface WatchedSlice extends LiveObject {
  readonly agent: string | undefined;
  readonly pods: readonly AgentPod[];
}

/** Throws on an object of another shape. */
export function parseSlice(raw: RawObject): WatchedSlice {
  const agent = raw.metadata.labels?.[labels.agent];
  // A pod that drains says so, which is no problem of the agent.
  const pods = parseEndpoints(raw).filter(({ terminating }) => !terminating);
  return {
    ...identityOf(raw),
    agent: agent === undefined ? undefined : objectKey(raw.metadata.namespace, agent),
    pods: pods.map(({ host, ready }) => ({ url: `http://${host}:${ports.agentAdmin}/health`, ready })),
  };
}

const agentsOf = ({ agent }: WatchedSlice): string[] => (agent === undefined ? [] : [agent]);

export type SliceInformer = Informer<WatchedSlice, "agent">;

export const createSliceInformer = (
  options: Pick<InformerOptions<WatchedSlice, "agent">, "transport" | "namespaces" | "log" | "metrics">,
): SliceInformer =>
  createInformer({
    ...options,
    type: endpointSliceType,
    labelSelector: `${labels.component}=agent`,
    parse: parseSlice,
    indexes: { agent: agentsOf },
  });

export const podsInSlices = (slices: ReadStore<WatchedSlice, "agent">): AgentPods => ({
  of: (agent) =>
    slices
      .byIndex("agent", agent)
      .flatMap(({ pods }) => pods)
      .toSorted((a, b) => Number(b.ready) - Number(a.ready) || (a.url < b.url ? -1 : 1)),
  onChange: (listener) =>
    slices.onChange((change) => {
      const initial = change.type === "added" && change.initial;
      const before = change.type === "added" ? [] : agentsOf(change.previous);
      const after = change.type === "deleted" ? [] : agentsOf(change.object);
      for (const agent of new Set([...before, ...after])) listener(agent, initial);
    }),
});

const isAvailable = ({ status }: WatchedAgent): boolean =>
  (status?.readyReplicas ?? 0) > 0 &&
  (status?.conditions?.some((condition) => condition.type === "Available" && condition.status === "True") ?? false);

/** @param template with {name} and {namespace}; only available agents are asked there */
export const podsAtUrl = (template: string, agents: Pick<ReadStore<WatchedAgent>, "get" | "onChange">): AgentPods => ({
  of(key) {
    const agent = agents.get(key);
    if (agent === undefined || !isAvailable(agent)) return [];
    const { name, namespace } = agent.metadata;
    return [{ url: template.replaceAll("{name}", name).replaceAll("{namespace}", namespace), ready: true }];
  },
  onChange: (listener) =>
    agents.onChange((change) => {
      if (change.type === "deleted") listener(keyOf(change.previous), false);
      else if (change.type === "added") listener(keyOf(change.object), change.initial);
      else if (isAvailable(change.previous) !== isAvailable(change.object)) listener(keyOf(change.object), false);
    }),
});
