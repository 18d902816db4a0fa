// One field of a schema as docs/reference.md tells it: type, default, limits and meaning, all read from the schema itself.
import * as z from "zod";

const ruleSchema = z.object({ rule: z.string(), message: z.string() });

const fieldSchema = z.object({
  type: z.string().optional(),
  description: z.string().default(""),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof fieldSchema>> {
    return z.record(z.string(), fieldSchema).optional();
  },
  required: z.array(z.string()).default([]),
  get items(): z.ZodOptional<typeof fieldSchema> {
    return fieldSchema.optional();
  },
  get additionalProperties(): z.ZodOptional<z.ZodUnion<readonly [z.ZodBoolean, typeof fieldSchema]>> {
    return z.union([z.boolean(), fieldSchema]).optional();
  },
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxItems: z.number().optional(),
  maxProperties: z.number().optional(),
  "x-expected": z.string().optional(),
  "x-kubernetes-int-or-string": z.boolean().optional(),
  "x-kubernetes-preserve-unknown-fields": z.boolean().optional(),
  "x-kubernetes-list-map-keys": z.array(z.string()).optional(),
  "x-kubernetes-validations": z.array(ruleSchema).default([]),
});
export type Field = z.output<typeof fieldSchema>;

/** What no pattern lets through, so that a schema says in words what it expects. */
const unwanted = "\n\0";

export function readField(schema: z.ZodType): Field {
  const json = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    reused: "inline",
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema["pattern"] === undefined || jsonSchema["type"] !== "string") return;
      const { error } = z.core.safeParse(zodSchema, unwanted);
      const said = error?.issues.map(({ message }) => message).find((message) => message.startsWith("must be "));
      if (said !== undefined) jsonSchema["x-expected"] = said.slice("must be ".length);
    },
  });
  return fieldSchema.parse(json);
}

export const mapValue = ({ additionalProperties: value }: Field): Field | undefined =>
  typeof value === "object" ? value : undefined;
export const rulesOf = (field: Field): string[] => field["x-kubernetes-validations"].map(({ message }) => message);
const isDuration = (field: Field): boolean =>
  field["x-kubernetes-validations"].some(({ rule }) => rule.startsWith("duration(self)"));

export function typeOf(field: Field): string {
  const value = mapValue(field);
  if (field["x-kubernetes-int-or-string"]) return "quantity";
  if (field["x-kubernetes-preserve-unknown-fields"]) return "JSON";
  if (field.items) return `list of ${typeOf(field.items)}`;
  if (value) return `map of ${typeOf(value)}`;
  if (field.format === "date-time") return "time";
  if (field.enum) return "enum";
  return isDuration(field) ? "duration" : (field.type ?? "any");
}

/** "Default 60s." and "Default: the name." at the end of a description. */
const defaultSentence = / ?\bDefault:? (.+?)\.(?= [A-Z]|$)/;

/** What holds where nothing is written; empty where that is nothing. */
export function defaultOf(field: Field): string {
  if (field.default !== undefined) return `\`${String(field.default)}\``;
  return defaultSentence.exec(field.description)?.[1] ?? "";
}

const count = (amount: number): string => amount.toLocaleString("en-GB");

export function limitsOf(field: Field): string {
  const inner = field.items ?? mapValue(field);
  const keys = field["x-kubernetes-list-map-keys"];
  // A quantity has the bounds of what a number can hold exactly, which nobody meets.
  const bounded = field["x-kubernetes-int-or-string"] || (field.maximum ?? Infinity) >= Number.MAX_SAFE_INTEGER;
  return [
    ...(field.enum ? [field.enum.map((word) => `\`${word}\``).join(", ")] : []),
    ...(bounded || field.minimum === undefined
      ? []
      : [`${count(field.minimum)} to ${count(field.maximum ?? Infinity)}`]),
    ...(field["x-expected"] === undefined || isDuration(field) ? [] : [field["x-expected"]]),
    ...(field.maxLength === undefined || field.enum || isDuration(field)
      ? []
      : [`≤ ${count(field.maxLength)} characters`]),
    ...(field.maxItems === undefined ? [] : [`≤ ${count(field.maxItems)} entries`]),
    ...(field.maxProperties === undefined ? [] : [`≤ ${count(field.maxProperties)} keys`]),
    ...(keys === undefined ? [] : [`\`${keys.join()}\` unique`]),
    ...rulesOf(field),
    ...(inner && limitsOf(inner) !== "" ? [`each: ${limitsOf(inner)}`] : []),
  ].join("; ");
}

/** Ids of promises are for readers of the code. */
export const meaningOf = ({ description }: Field): string =>
  description
    .replace(defaultSentence, "")
    .replaceAll(/ ?\([A-Z]{3}-\d+(, [A-Z]{3}-\d+)*\)/g, "")
    .trim();
