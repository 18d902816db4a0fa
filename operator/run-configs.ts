// The run-configs of an agent, of an instance's gateway and of a tool server's bridge: an immutable ConfigMap for each state
// that its pods run on, named by its hash, so that a pod finds what its template was made for, be it of a rollout that is held, refused or undone. They are numbered as the
// ReplicaSets of the Deployment are, and go when no ReplicaSet can need them any more.
import type { V1ConfigMap } from "@kubernetes/client-node";
import * as z from "zod";
import { agentChildren, annotations } from "../crds/names.ts";
import type { LiveObject } from "../lib/kube/object.ts";
import type { Logger } from "../lib/process/log.ts";
import type { ChildWriter, Writing } from "./children.ts";
import { revisionHistoryLimit } from "./render/pod-parts.ts";
import type { Rendered } from "./render/metadata.ts";
import type { LiveDeployment } from "./resources.ts";
import { observeRollout } from "./rollout.ts";

/** One reconcile of the owner. */
interface Run {
  readonly children: ChildWriter;
  readonly writing: Writing;
}

/** A backlog is worked off by the reconciles that its deletions cause. */
const maxCollected = 10;

const configMapName = z.object({ name: z.string() }).optional();
const deploymentSchema = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        volumes: z.array(
          z.object({
            configMap: configMapName,
            projected: z.object({ sources: z.array(z.object({ configMap: configMapName })) }).optional(),
          }),
        ),
      }),
    }),
  }),
});

/** Names of the ConfigMaps that pods of a Deployment mount; undefined where it cannot be told. */
function mountedBy(deployment: LiveObject): Set<string> | undefined {
  const volumes = deploymentSchema.safeParse(deployment).data?.spec.template.spec.volumes;
  const sources = volumes?.flatMap(({ configMap, projected }) => [{ configMap }, ...(projected?.sources ?? [])]);
  return sources && new Set(sources.flatMap(({ configMap }) => configMap?.name ?? []));
}

/** The one of the release before has none, and comes before all others. */
const revisionOf = ({ metadata }: LiveObject): number =>
  Number.parseInt(metadata.annotations?.[annotations.revision] ?? "", 10) || 0;

const listRunConfigs = (children: Pick<ChildWriter, "listOwned">, { owner }: Writing): LiveObject[] =>
  children
    .listOwned("configMap", owner)
    .filter(({ metadata }) => metadata.name !== agentChildren(owner.metadata.name).liveConfig);

/** With the greatest number of all. One that is wanted again gets a new one, as its ReplicaSet does. */
export function numbered({ children, writing }: Run, desired: Rendered<V1ConfigMap>): Rendered<V1ConfigMap> {
  const all = listRunConfigs(children, writing);
  const own = all.find(({ metadata }) => metadata.name === desired.metadata.name);
  const greatest = Math.max(0, ...all.filter((each) => each !== own).map(revisionOf));
  const revision = own && revisionOf(own) > greatest ? revisionOf(own) : greatest + 1;
  return {
    ...desired,
    metadata: { ...desired.metadata, annotations: { [annotations.revision]: String(revision) } },
  };
}

/**
 * Deletes those that no pod and no ReplicaSet needs: only once all pods are of the newest template, and beside what that
 * mounts and what is wanted, the latest ones stay, one for each older ReplicaSet that a Deployment keeps. What fails is
 * tried again in a later reconcile.
 */
export async function collectRunConfigs(
  { children, writing, log }: Run & { readonly log: Logger },
  { metadata: { name: wanted } }: Rendered<V1ConfigMap>,
  deployment: LiveDeployment,
): Promise<void> {
  const mounted = mountedBy(deployment);
  if (!mounted || observeRollout(deployment).moving) return;
  const unneeded = listRunConfigs(children, writing)
    .filter(({ metadata: { name } }) => name !== wanted && !mounted.has(name))
    .toSorted((a, b) => revisionOf(b) - revisionOf(a))
    .slice(revisionHistoryLimit)
    .slice(-maxCollected);
  const removals = unneeded.map(({ metadata }) => children.remove("configMap", metadata.name, writing));
  for (const outcome of await Promise.allSettled(removals)) {
    if (outcome.status === "rejected") log.debug({ err: outcome.reason }, "run-config not removed yet");
  }
}
