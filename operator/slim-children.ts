// What the caches keep of a child that was found to be as rendered: who it is and whose, and what is read of it besides.
// The readers are rollout.ts, rollouts/, agent/history-claim.ts and run-configs.ts; everything else is a digest in
// lib/kube/judged-objects.ts until somebody changes it.
import * as z from "zod";
import { annotations, group, labels } from "../crds/names.ts";
import type { LiveMeta, LiveObject } from "../lib/kube/object.ts";
import { defined } from "../lib/process/defined.ts";
import type { ChildKind } from "./resources.ts";

const configMap = z.object({ name: z.string() }).optional();
const volume = z.object({
  configMap,
  projected: z.object({ sources: z.array(z.object({ configMap })) }).optional(),
});
const count = z.int().optional();
const deploymentSchema = z.object({
  spec: z.object({
    replicas: count,
    paused: z.boolean().optional(),
    template: z.object({
      spec: z.object({
        containers: z.array(z.object({ name: z.string(), image: z.string() })),
        volumes: z.array(volume).optional(),
      }),
    }),
  }),
  status: z
    .object({
      observedGeneration: count,
      replicas: count,
      updatedReplicas: count,
      readyReplicas: count,
      availableReplicas: count,
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().optional(),
            message: z.string().optional(),
          }),
        )
        .optional(),
    })
    .optional(),
});
const claimSchema = z.object({
  spec: z.object({ resources: z.object({ requests: z.object({ storage: z.string() }) }) }),
});

const ourKeys = (entries: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).filter(([key]) => key.startsWith(`${group}/`) && key !== annotations.appliedHash),
  );

function slimMetadata(metadata: LiveMeta): LiveMeta {
  const { name, namespace, uid, resourceVersion, generation, ownerReferences } = metadata;
  return {
    name,
    uid,
    resourceVersion,
    labels: ourKeys(metadata.labels),
    ...defined({ namespace, generation }),
    ...(metadata.annotations === undefined ? {} : { annotations: ourKeys(metadata.annotations) }),
    ...defined({ ownerReferences }),
  };
}

/** @param agentImage this release's: pacing compares the whole template of a Deployment that has another one (OPR-11) */
export const slimChild =
  (kind: ChildKind, agentImage: string) =>
  (live: LiveObject): LiveObject => {
    const { apiVersion, kind: of, metadata } = live;
    const slim = { apiVersion, kind: of, metadata: slimMetadata(metadata) };
    if (kind === "historyClaim") return { ...slim, ...claimSchema.safeParse(live).data };
    if (kind !== "deployment") return slim;
    const read = deploymentSchema.safeParse(live).data;
    const agent = read?.spec.template.spec.containers.find(({ name }) => name === "agent");
    const mayBePaced = metadata.labels?.[labels.component] === "agent" && agent?.image !== agentImage;
    return read === undefined || mayBePaced ? live : { ...slim, ...read };
  };
