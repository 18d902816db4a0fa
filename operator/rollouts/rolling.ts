// What pacing must know of a live Deployment: which image its agents run, and whether its pods are being replaced.
import * as z from "zod";
import { labels } from "../../crds/names.ts";
import type { LiveObject } from "../../lib/kube/object.ts";

const deploymentSchema = z.object({
  spec: z.object({
    replicas: z.int().default(1),
    template: z.object({ spec: z.object({ containers: z.array(z.object({ name: z.string(), image: z.string() })) }) }),
  }),
  status: z
    .object({
      observedGeneration: z.int().default(0),
      replicas: z.int().default(0),
      updatedReplicas: z.int().default(0),
      availableReplicas: z.int().default(0),
      conditions: z.array(z.object({ type: z.string(), reason: z.string().default("") })).default([]),
    })
    .prefault({}),
});
type Deployment = z.output<typeof deploymentSchema>;

export interface AgentDeployment {
  readonly image: string;
  readonly rolling: boolean;
}

/** Undefined for what is not the Deployment of an agent. */
export function observeAgentDeployment(live: LiveObject): AgentDeployment | undefined {
  if (live.metadata.labels?.[labels.component] !== "agent") return undefined;
  const parsed = deploymentSchema.safeParse(live);
  const container = parsed.data?.spec.template.spec.containers.find(({ name }) => name === "agent");
  if (!parsed.success || container === undefined) return undefined;
  return { image: container.image, rolling: isRolling(parsed.data, live.metadata.generation ?? 0) };
}

/**
 * Only while a template is being carried out: pods that fail later do not count, nor does a rollout that made no
 * progress in its time, so that agents which cannot run hold up nobody for good.
 */
function isRolling({ spec, status }: Deployment, generation: number): boolean {
  const { observedGeneration, replicas, updatedReplicas, availableReplicas, conditions } = status;
  if (observedGeneration < generation) return true;
  const progress = conditions.find(({ type }) => type === "Progressing")?.reason;
  if (progress === "ProgressDeadlineExceeded") return false;
  if (updatedReplicas < spec.replicas || replicas > updatedReplicas) return true;
  return availableReplicas < spec.replicas && progress !== "NewReplicaSetAvailable";
}
