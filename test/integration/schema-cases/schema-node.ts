// The schema of a custom resource as the API server gets it, read from the rendered CRD, so that a field added to
// crds/ takes part in the differential test by itself. Refuses a keyword it does not know: it would go untested.
import * as z from "zod";
import type { ResourceDefinition } from "../../../crds/definition.ts";
import { renderCrd } from "../../../crds/to-crd.ts";

const ruleSchema = z.strictObject({ rule: z.string(), message: z.string() });
export type CelRule = z.output<typeof ruleSchema>;

const nodeSchema = z.strictObject({
  type: z.enum(["object", "array", "string", "integer", "number", "boolean"]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  nullable: z.literal(true).optional(),
  default: z.unknown().optional(),
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof nodeSchema>> {
    return z.record(z.string(), nodeSchema).optional();
  },
  required: z.array(z.string()).default([]),
  get items(): z.ZodOptional<typeof nodeSchema> {
    return nodeSchema.optional();
  },
  get additionalProperties(): z.ZodOptional<typeof nodeSchema> {
    return nodeSchema.optional();
  },
  anyOf: z.array(z.unknown()).optional(), // integer or string, the only form there is
  enum: z.array(z.string()).optional(),
  pattern: z.string().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxItems: z.int().optional(),
  maxProperties: z.int().optional(),
  "x-kubernetes-list-type": z.enum(["atomic", "set", "map"]).optional(),
  "x-kubernetes-list-map-keys": z.tuple([z.string()]).optional(),
  "x-kubernetes-int-or-string": z.literal(true).optional(),
  "x-kubernetes-preserve-unknown-fields": z.literal(true).optional(),
  "x-kubernetes-validations": z.array(ruleSchema).default([]),
});
export type SchemaNode = z.output<typeof nodeSchema>;

const crdSchema = z.object({
  spec: z.object({ versions: z.tuple([z.object({ schema: z.object({ openAPIV3Schema: nodeSchema }) })]) }),
});

/** The schema of the whole object: apiVersion, kind, metadata, spec and status below it. */
export const readSchema = (definition: ResourceDefinition): SchemaNode =>
  crdSchema.parse(renderCrd(definition)).spec.versions[0].schema.openAPIV3Schema;

export const isTransitionRule = ({ rule }: CelRule): boolean => rule.includes("oldSelf");

/** A place in the schema: `spec.servers[].name`, `spec.pod.labels{}`. */
export interface SchemaPlace {
  schemaPath: string;
  node: SchemaNode;
  required: boolean;
}

/** A node and everything below it, parents first. */
export function* placesBelow(node: SchemaNode, schemaPath: string, required = true): Generator<SchemaPlace> {
  yield { schemaPath, node, required };
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    yield* placesBelow(child, `${schemaPath}.${name}`, node.required.includes(name));
  }
  if (node.items) yield* placesBelow(node.items, `${schemaPath}[]`, false);
  if (node.additionalProperties) yield* placesBelow(node.additionalProperties, `${schemaPath}{}`, false);
}
