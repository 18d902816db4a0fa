// The part of JSON Schema in which an agent's answer can be described (spec.output.schema): what every validator and model
// reads alike, and what a text is checked against in time that grows with its length. Left out are therefore patterns,
// uniqueItems, and references to anything but $defs. Bounds and references are judged in plan/.
import * as z from "zod";

const types = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

const amount = z.int().min(0).exactOptional();
const bound = z.number().exactOptional();

/** A schema below the root. */
export const outputNode = z.strictObject({
  type: z.union([z.enum(types), z.array(z.enum(types)).min(1)]).exactOptional(),
  title: z.string().exactOptional(),
  description: z.string().exactOptional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).exactOptional(),
  format: z.string().exactOptional(),
  enum: z.array(z.unknown()).min(1).exactOptional(),
  const: z.unknown().optional(),
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof outputNode>> {
    return z.record(z.string(), outputNode).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties(): z.ZodOptional<z.ZodUnion<readonly [z.ZodBoolean, typeof outputNode]>> {
    return z.union([z.boolean(), outputNode]).optional();
  },
  get items(): z.ZodOptional<typeof outputNode> {
    return outputNode.optional();
  },
  get anyOf(): z.ZodOptional<z.ZodArray<typeof outputNode>> {
    return z.array(outputNode).min(1).optional();
  },
  get oneOf(): z.ZodOptional<z.ZodArray<typeof outputNode>> {
    return z.array(outputNode).min(1).optional();
  },
  get allOf(): z.ZodOptional<z.ZodArray<typeof outputNode>> {
    return z.array(outputNode).min(1).optional();
  },
  $ref: z
    .string()
    .regex(/^#\/\$defs\/[A-Za-z0-9_.-]+$/, { error: "must be a reference such as #/$defs/address" })
    .exactOptional(),
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: z.number().gt(0).exactOptional(),
  minLength: amount,
  maxLength: amount,
  minItems: amount,
  maxItems: amount,
  minProperties: amount,
  maxProperties: amount,
});
export type OutputNode = z.output<typeof outputNode>;

/** The whole schema: an object's, with what it refers to beside it. */
export const outputRoot = outputNode.extend({
  type: z.literal("object"),
  $defs: z.record(z.string(), outputNode).exactOptional(),
});
export type OutputRoot = z.output<typeof outputRoot>;
