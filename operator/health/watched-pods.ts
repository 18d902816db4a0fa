// Where agents, and the bridges of tool servers, are asked for their health: at the admin port of their pods. Pods that
// are not ready are known too, since they have most to say; a Service would hide them. An operator outside the cluster
// asks at one URL for each of them instead.
import { agentChildren, labels, ports, serverChildren } from "../../crds/names.ts";
import { endpointSliceType, parseEndpoints } from "../../lib/kube/endpoint-slice.ts";
import { createInformer, type Informer, type InformerOptions } from "../../lib/kube/informer.ts";
import { identityOf, objectKey, splitKey, type LiveObject, type RawObject } from "../../lib/kube/object.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import type { LiveDeployment } from "../resources.ts";

export interface WatchedPod {
  /** Of its health report. */
  readonly url: string;
  /** Whether callers are sent to it, so that it must answer. */
  readonly ready: boolean;
}

/** Their owners are named by key, `namespace/name`. */
export interface WatchedPods {
  /** Ready ones first, then by URL, so that one that goes on being ready goes on being asked. */
  of(key: string): readonly WatchedPod[];
  /** Hears of owners whose pods changed, `initial` for those known from the first list. Returns the way to stop. */
  onChange(listener: (key: string, initial: boolean) => void): () => void;
}

const asked = {
  agent: { label: labels.agent, port: ports.agentAdmin, deployment: (name: string) => agentChildren(name).deployment },
  server: {
    label: labels.server,
    port: ports.bridgeAdmin,
    deployment: (name: string) => serverChildren(name).deployment,
  },
} as const;
/** Whose pods are asked. */
export type Asked = keyof typeof asked;

/** The agent or server that an object was made for, by its labels. */
function ownerOf({ metadata }: LiveObject, of: Asked): string | undefined {
  const name = metadata.labels?.[asked[of].label];
  return name === undefined ? undefined : objectKey(metadata.namespace, name);
}

/** An EndpointSlice of an agent's or server's Service; it carries the Service's labels. */
export interface WatchedSlice extends LiveObject {
  readonly agent: string | undefined;
  readonly server: string | undefined;
  readonly pods: readonly WatchedPod[];
}

/** Throws on an object of another shape. */
export function parseSlice(raw: RawObject): WatchedSlice {
  const [agent, server] = [ownerOf(raw, "agent"), ownerOf(raw, "server")];
  const { port } = asked[server === undefined ? "agent" : "server"];
  // A pod that drains says so, which is no problem of its owner.
  const pods = parseEndpoints(raw).filter(({ terminating }) => !terminating);
  return {
    ...identityOf(raw),
    agent,
    server,
    pods: pods.map(({ host, ready }) => ({ url: `http://${host}:${port}/health`, ready })),
  };
}

export const sliceIndexes = {
  agent: ({ agent }: WatchedSlice) => [agent ?? []].flat(),
  server: ({ server }: WatchedSlice) => [server ?? []].flat(),
} satisfies Record<Asked, unknown>;

export type SliceInformer = Informer<WatchedSlice, Asked>;

export const createSliceInformer = (
  options: Pick<InformerOptions<WatchedSlice, Asked>, "transport" | "namespaces" | "log" | "metrics">,
): SliceInformer =>
  createInformer({
    ...options,
    type: endpointSliceType,
    labelSelector: `${labels.component} in (${Object.keys(asked).join(",")})`,
    parse: parseSlice,
    indexes: sliceIndexes,
  });

export const podsInSlices = (slices: ReadStore<WatchedSlice, Asked>, of: Asked): WatchedPods => ({
  of: (key) =>
    slices
      .byIndex(of, key)
      .flatMap(({ pods }) => pods)
      .toSorted((a, b) => Number(b.ready) - Number(a.ready) || (a.url < b.url ? -1 : 1)),
  onChange: (listener) =>
    slices.onChange((change) => {
      const initial = change.type === "added" && change.initial;
      const before = change.type === "added" ? [] : sliceIndexes[of](change.previous);
      const after = change.type === "deleted" ? [] : sliceIndexes[of](change.object);
      for (const key of new Set([...before, ...after])) listener(key, initial);
    }),
});

const serves = ({ status }: LiveDeployment): boolean => (status?.availableReplicas ?? 0) > 0;

/** @param template with {name} and {namespace}; only those whose Deployment serves are asked there */
export const podsAtUrl = (
  template: string,
  deployments: Pick<ReadStore<LiveDeployment>, "get" | "onChange">,
  of: Asked,
): WatchedPods => ({
  of(key) {
    const { name, namespace = "" } = splitKey(key);
    const deployment = deployments.get(objectKey(namespace, asked[of].deployment(name)));
    if (deployment === undefined || !serves(deployment)) return [];
    return [{ url: template.replaceAll("{name}", name).replaceAll("{namespace}", namespace), ready: true }];
  },
  onChange: (listener) =>
    deployments.onChange((change) => {
      const key = ownerOf(change.type === "deleted" ? change.previous : change.object, of);
      if (key === undefined) return;
      if (change.type === "modified" && serves(change.previous) === serves(change.object)) return;
      listener(key, change.type === "added" && change.initial);
    }),
});
