// What pacing must know of a live Deployment: which image its agents run, whether they serve, and how far its rollout is.
import type { V1PodTemplateSpec } from "@kubernetes/client-node";
import * as z from "zod";
import { annotations, labels } from "../../crds/names.ts";
import type { LiveObject } from "../../lib/kube/object.ts";
import { hasGivenUp } from "../rollout.ts";

const deploymentSchema = z.object({
  spec: z.object({
    replicas: z.int().default(1),
    paused: z.boolean().default(false),
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

/**
 * `settled`: the newest template is carried out, whatever became of single pods later. `gaveUp`: it made no progress in
 * its time. `paused`: it goes on when a user lets it, who may take as long as he likes.
 */
export type RollingState = "settled" | "moving" | "gaveUp" | "paused";

export interface AgentDeployment {
  readonly image: string;
  readonly replicas: number;
  readonly state: RollingState;
  /** Some pod is available, be it of an older template. */
  readonly serves: boolean;
  /** The image it had when it was given this one; undefined where it did not serve then. */
  readonly previousImage: string | undefined;
}

/** Undefined for what is not the Deployment of an agent. */
export function observeAgentDeployment(live: LiveObject): AgentDeployment | undefined {
  if (live.metadata.labels?.[labels.component] !== "agent") return undefined;
  const parsed = deploymentSchema.safeParse(live);
  const container = parsed.data?.spec.template.spec.containers.find(({ name }) => name === "agent");
  if (!parsed.success || container === undefined) return undefined;
  const previousImage = live.metadata.annotations?.[annotations.previousImage];
  const serves = parsed.data.status.availableReplicas > 0;
  const isAsGood = serves || previousImage === undefined;
  const state = observeState(live, parsed.data, isAsGood);
  return { image: container.image, replicas: parsed.data.spec.replicas, state, serves, previousImage };
}

const wholeTemplateSchema = z.object({
  spec: z.object({ template: z.looseObject({ metadata: z.looseObject({}) }).and(z.custom<V1PodTemplateSpec>()) }),
});

/** What its pods are made from, with what the server and others added; undefined where the cache keeps only a part of it. */
export const readTemplate = (live: LiveObject): V1PodTemplateSpec | undefined =>
  wholeTemplateSchema.safeParse(live).data?.spec.template;

/** @param isAsGood it serves, or did not when it was given its image */
function observeState(live: LiveObject, { spec, status }: Deployment, isAsGood: boolean): RollingState {
  const { observedGeneration, replicas, updatedReplicas, availableReplicas, conditions } = status;
  if (spec.paused) return "paused";
  if (observedGeneration < (live.metadata.generation ?? 0)) return "moving";
  if (hasGivenUp(live)) return "gaveUp";
  if (updatedReplicas < spec.replicas || replicas > updatedReplicas) return "moving";
  if (availableReplicas >= spec.replicas) return "settled";
  // Where a Deployment with Recreate goes back to a template that it had, the reason still is that of the one before.
  const wasCarriedOut = conditions.some(
    ({ type, reason }) => type === "Progressing" && reason === "NewReplicaSetAvailable",
  );
  return wasCarriedOut && isAsGood ? "settled" : "moving";
}
