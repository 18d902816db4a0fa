// Decides whether an agent's Deployment may take the image of a new release now (OPR-11). An edit by a user is never
// delayed: what holds a Deployment back is only that this release renders it otherwise than the last one did.
import type { V1Deployment } from "@kubernetes/client-node";
import { annotations } from "../../crds/names.ts";
import { hashOf } from "../../lib/kube/canonical.ts";
import { differences } from "../../lib/kube/compare.ts";
import { keyOf, type LiveObject } from "../../lib/kube/object.ts";
import type { ReadStore } from "../../lib/kube/store.ts";
import type { Rendered } from "../render/metadata.ts";
import type { RolloutBudget } from "./budget.ts";
import { observeAgentDeployment } from "./rolling.ts";

export interface PaceRequest {
  readonly desired: Rendered<V1Deployment>;
  /** Ours, from the cache; undefined where there is none. */
  readonly live: LiveObject | undefined;
  /** The instance names the image itself, so it is no matter of the release. */
  readonly pinned: boolean;
  /** The agent's spec is one that was handled before: it was not edited. */
  readonly specHandled: boolean;
}

export interface Paced {
  /** To be applied now: as desired, or with the image it has. Undefined: it is to be left as it is for now. */
  readonly deployment: Rendered<V1Deployment> | undefined;
  /** Why it is held back, for people. */
  readonly waiting?: string;
}

export interface ImagePacing {
  paceImage(request: PaceRequest): Paced;
}

const withImage = (deployment: Rendered<V1Deployment>, image: string): Rendered<V1Deployment> => {
  const held = structuredClone(deployment);
  for (const container of held.spec?.template.spec?.containers ?? [])
    if (container.name === "agent") container.image = image;
  held.metadata.annotations = { ...held.metadata.annotations, [annotations.image]: image };
  return held;
};

const imageOf = ({ spec }: Rendered<V1Deployment>): string | undefined =>
  spec?.template.spec?.containers.find(({ name }) => name === "agent")?.image;

export function createImagePacing(
  budget: RolloutBudget,
  deployments: Pick<ReadStore<LiveObject>, "onChange">,
): ImagePacing {
  /** Hash of what each held Deployment would be, but for its image: when it changes, somebody edited something. */
  const firstSeen = new Map<string, string>();
  deployments.onChange((change) => {
    if (change.type === "deleted") firstSeen.delete(keyOf(change.previous));
  });
  const release = (key: string): void => {
    firstSeen.delete(key);
    budget.leave(key);
  };
  return {
    paceImage({ desired, live, pinned, specHandled }) {
      const key = keyOf(desired);
      const has = live && observeAgentDeployment(live)?.image;
      const given = live?.metadata.annotations?.[annotations.image];
      const setByHand = given !== undefined && given !== has;
      if (has === undefined || pinned || setByHand || has === imageOf(desired)) {
        release(key);
        return { deployment: desired };
      }
      const held = withImage(desired, has);
      const template = held.spec?.template;
      const onlyImage = differences({ spec: { template } }, live).length === 0;
      const hash = hashOf(template);
      const edited = !onlyImage && (!specHandled || (firstSeen.get(key) ?? hash) !== hash);
      if (edited || budget.take(key)) {
        release(key);
        return { deployment: desired };
      }
      if (!firstSeen.has(key)) firstSeen.set(key, hash);
      const waiting = `stays on image ${has} until fewer than ${budget.maxRollouts} agents are moving to ${budget.image}`;
      return onlyImage ? { deployment: held, waiting } : { deployment: undefined, waiting };
    },
  };
}
