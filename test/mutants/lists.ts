// All lists of mistakes, by what they are about.
import { borderMutants } from "./borders.ts";
import { conversationMutants } from "./conversations.ts";
import { kubeMutants } from "./lib-kube.ts";
import { linkMutants } from "./links.ts";
import { manifestMutants } from "./manifests.ts";
import { modelMutants } from "./model.ts";
import type { Mutant } from "./mutant.ts";
import { operatorMutants } from "./operator.ts";
import { planMutants } from "./plan.ts";

export const mutantLists: Readonly<Record<string, readonly Mutant[]>> = {
  operator: operatorMutants,
  plan: planMutants,
  "lib/kube": kubeMutants,
  conversations: conversationMutants,
  links: linkMutants,
  borders: borderMutants,
  model: modelMutants,
  manifests: manifestMutants,
};

export const allMutants: readonly Mutant[] = Object.values(mutantLists).flat();
