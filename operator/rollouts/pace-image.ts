// Decides whether an agent's Deployment may take what a new release makes of it now: another image, or the same one in
// pods that are made otherwise (OPR-11). An edit by a user is never delayed: what holds a Deployment back is only that this
// release renders it otherwise than the last one did.
import type { V1Deployment } from "@kubernetes/client-node";
import { annotations } from "../../crds/names.ts";
import { hashOf } from "../../lib/kube/canonical.ts";
import { differences } from "../../lib/kube/compare.ts";
import { keyOf, type LiveObject } from "../../lib/kube/object.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import type { Rendered } from "../render/metadata.ts";
import type { RolloutBudget } from "./budget.ts";
import { observeAgentDeployment, readTemplate, type AgentDeployment } from "./rolling.ts";
import { renderPaused, renderWaiting } from "./waiting.ts";

export interface PaceRequest {
  readonly desired: Rendered<V1Deployment>;
  /** Ours, from the cache; undefined where there is none. */
  readonly live: LiveObject | undefined;
  /** The instance names the image itself, so that is no matter of the release. */
  readonly pinned: boolean;
  /** The agent's spec is one that was handled before: it was not edited. */
  readonly specHandled: boolean;
}

export interface Paced {
  /** To be applied now: as desired, or held to the image or the pods it has. Undefined: it is to be left as it is for now. */
  readonly deployment: Rendered<V1Deployment> | undefined;
  /** Why it is held back, for people. */
  readonly waiting?: string;
}

export interface ImagePacing {
  paceImage(request: PaceRequest): Paced;
}

const withImage = (deployment: Rendered<V1Deployment>, image: string): Rendered<V1Deployment> => {
  const held = structuredClone(deployment);
  for (const container of held.spec?.template.spec?.containers ?? []) {
    if (container.name === "agent") container.image = image;
  }
  held.metadata.annotations = { ...held.metadata.annotations, [annotations.image]: image };
  return held;
};

/** Only scaled: its pods stay as they are made. Undefined where it has as many as it is to have. */
function scaled(held: Rendered<V1Deployment>, live: LiveObject | undefined, replicas: number): typeof held | undefined {
  const template = live && readTemplate(live);
  if ((held.spec?.replicas ?? 1) === replicas || template === undefined) return undefined;
  const kept = structuredClone(held);
  if (kept.spec) kept.spec.template = template;
  return kept;
}

const imageOf = ({ spec }: Rendered<V1Deployment>): string | undefined =>
  spec?.template.spec?.containers.find(({ name }) => name === "agent")?.image;

/**
 * What an agent leaves when it is given another image; undefined where it did not serve. This tells a failure of the new
 * image from an agent that did not run anyway.
 */
function leftImage({ image, state, serves, previousImage }: AgentDeployment): string | undefined {
  if (state === "gaveUp") return undefined;
  return serves ? image : previousImage;
}

/**
 * Comes and stays with the image, so that it takes no write of its own; an edit of an agent that is well ends it. The same
 * image counts as another one where it is the agent's turn to be made otherwise.
 */
function withPreviousImage(
  deployment: Rendered<V1Deployment>,
  observed: AgentDeployment | undefined,
  specHandled: boolean,
  isTurn = false,
): Rendered<V1Deployment> {
  if (observed === undefined) return deployment;
  const { image, state, previousImage } = observed;
  const kept = state === "settled" && !specHandled ? undefined : previousImage;
  const isSame = !isTurn && image === imageOf(deployment);
  const previous = isSame ? kept : leftImage(observed);
  if (previous === undefined) return deployment;
  const { metadata } = deployment;
  const given = { ...metadata.annotations, [annotations.previousImage]: previous };
  return { ...deployment, metadata: { ...metadata, annotations: given } };
}

export function createImagePacing(
  budget: RolloutBudget,
  deployments: Pick<ReadStore<LiveObject>, "onChange">,
): ImagePacing {
  /** Hash of what each held Deployment would be, but for the release's image: when it changes, somebody edited something. */
  const firstSeen = new Map<string, string>();
  /** Those whose pods are made as this release does, but for the image: where one differs later, somebody edited something. */
  const arrived = new Set<string>();
  deployments.onChange((change) => {
    if (change.type !== "deleted") return;
    firstSeen.delete(keyOf(change.previous));
    arrived.delete(keyOf(change.previous));
  });
  const letGo = (key: string): void => {
    firstSeen.delete(key);
    arrived.add(key);
    budget.leave(key);
  };
  return {
    paceImage({ desired, live, pinned, specHandled }) {
      const key = keyOf(desired);
      const observed = live && observeAgentDeployment(live);
      const given = live?.metadata.annotations?.[annotations.image];
      const setByHand = given !== undefined && given !== observed?.image;
      if (observed === undefined || setByHand) {
        letGo(key);
        return { deployment: withPreviousImage(desired, observed, specHandled) };
      }
      const has = observed.image;
      const held = withImage(desired, has);
      const template = held.spec?.template;
      const onlyImage = differences({ spec: { template } }, live).length === 0;
      if (onlyImage) arrived.add(key);
      const isNewImage = !pinned && has !== imageOf(desired);
      if (!isNewImage && arrived.has(key)) {
        letGo(key);
        return { deployment: withPreviousImage(desired, observed, specHandled) };
      }
      const hash = hashOf(pinned ? desired.spec?.template : template);
      // What was seen tells an edit from a mere scaling, which is not handled yet either.
      const seen = firstSeen.get(key);
      const edited = !onlyImage && (seen === undefined ? !specHandled : seen !== hash);
      const isPaused = observed.state === "paused";
      if (edited || (!isPaused && budget.take(key))) {
        letGo(key);
        return { deployment: withPreviousImage(desired, observed, specHandled, !edited) };
      }
      // Given the image while it is paused, it would move once it is resumed, be it its turn or not.
      if (isPaused) budget.leave(key);
      if (seen === undefined) firstSeen.set(key, hash);
      const { namespace, name } = desired.metadata;
      const subject = { namespace, name, image: isNewImage ? has : undefined };
      const waiting = (isPaused ? renderPaused : renderWaiting)(subject, budget);
      const wanted = onlyImage ? held : scaled(held, live, observed.replicas);
      return { deployment: wanted && withPreviousImage(wanted, observed, specHandled), waiting };
    },
  };
}
