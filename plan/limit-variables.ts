// How an operator is told its limits: by these variables, which `pallas check` reads too, so that both take the same
// defaults for what they are not told. What labels select and annotations order only those know who run a cluster: so
// nothing is allowed but what they list.
import * as z from "zod";
import { policyLevels } from "./author-limits.ts";
import type { Limits } from "./rules.ts";

export const list = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);

export const limitVariables = {
  PALLAS_ALLOWED_IMAGES: list
    .default([])
    .describe(
      "repositories that spec.images of an instance and spec.container of a server may name, separated by commas",
    ),
  PALLAS_AUTHOR_LABELS: list
    .default([])
    .describe("keys of labels that authors may set on pods, separated by commas; a* stands for all that begin with a"),
  PALLAS_AUTHOR_ANNOTATIONS: list.default([]).describe("keys of annotations that authors may set on pods, likewise"),
  PALLAS_AUTHOR_PRIORITY_CLASSES: list.default([]).describe("priority classes that authors may name, likewise"),
  PALLAS_AUTHOR_NETWORK_POLICY: z
    .enum(policyLevels)
    .default("sameNamespace")
    .describe(`how far spec.networkPolicy may go: ${policyLevels.join(", ")}`),
};

const variables = z.object(limitVariables);

/** The limits that the variables say. */
export const limitsOf = (found: z.output<typeof variables>): Required<Limits> => ({
  allowedImages: found.PALLAS_ALLOWED_IMAGES,
  authors: {
    labels: found.PALLAS_AUTHOR_LABELS,
    annotations: found.PALLAS_AUTHOR_ANNOTATIONS,
    priorityClasses: found.PALLAS_AUTHOR_PRIORITY_CLASSES,
    networkPolicy: found.PALLAS_AUTHOR_NETWORK_POLICY,
  },
});
