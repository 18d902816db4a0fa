// What a custom resource is to the API server beside its schema: names, columns, subresources, rules over the whole
// object. `to-crd.ts` turns it into a manifest, `plan/` reads resources by the same schema.
import * as z from "zod";
import { integer, keyedList, withRules, type Rule, type TransitionRule } from "./fields.ts";
import { apiVersion } from "./names.ts";
import { objectMeta } from "./object-meta.ts";

export interface Column {
  name: string;
  type: "string" | "integer" | "date" | "boolean";
  jsonPath: string;
  description: string;
  /** 1 shows it with `-o wide` only. */
  priority?: number;
}

export interface ResourceDefinition<Spec extends z.ZodType = z.ZodType, Status extends z.ZodType = z.ZodType> {
  kind: string;
  plural: string;
  singular: string;
  shortNames: string[];
  description: string;
  spec: Spec;
  status: Status;
  columns: Column[];
  /** Rules over the metadata; they stand at the root, where CEL sees metadata.name. */
  nameRules: Rule<string>[];
  /** Rules over the whole of an old and a new object, such as of spec and status. */
  objectRules?: TransitionRule[];
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string };
}

/** The schema of a whole manifest of this kind, closed at every level. */
export const manifestSchema = <Spec extends z.ZodType, Status extends z.ZodType>(
  definition: ResourceDefinition<Spec, Status>,
) => {
  const ruledName = withRules(objectMeta.shape.name, ...definition.nameRules);
  return z.strictObject({
    apiVersion: z.literal(apiVersion),
    kind: z.literal(definition.kind),
    metadata: objectMeta.extend({ name: ruledName }),
    spec: definition.spec,
    status: definition.status.exactOptional(),
  });
};

/** The generation that the API server gives a new resource's status: nobody has looked at it (OPR-3). */
export const neverObserved = -1;

export const observedGeneration = integer(
  neverObserved,
  Number.MAX_SAFE_INTEGER,
  "Generation of the spec that was last handled; -1 before the first.",
);

const timestamp = z.iso.datetime({ offset: true }).meta({ format: "date-time" });

export const conditionSchema = z.strictObject({
  type: z.string().max(316).meta({ description: "Kind of the condition.", maxLength: 316 }),
  status: z.enum(["True", "False", "Unknown"]).meta({ description: "Whether it holds." }),
  observedGeneration: z.int().min(0).exactOptional().meta({ description: "Generation of the spec it speaks of." }),
  lastTransitionTime: timestamp.meta({ description: "When its status last changed." }),
  reason: z.string().min(1).max(1024).meta({ description: "One word for why, from a closed list.", maxLength: 1024 }),
  message: z.string().max(32_768).meta({ description: "What was found, and the cure.", maxLength: 32_768 }),
});
export type Condition = z.output<typeof conditionSchema>;

export const conditionList = keyedList(
  "type",
  conditionSchema,
  32,
  "The state of this resource, one entry per aspect.",
);

export { timestamp };
