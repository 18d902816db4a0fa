// Building blocks of both schemas: every string, list and map is bounded (the API server prices CEL rules by bounds),
// and every rule is stated twice side by side, as the CEL the API server runs and as the function we run.
// A differential test against a real API server holds the two equal.
import * as z from "zod";
import { defined } from "./defined.ts";

/** A rule over one value: `cel` is evaluated by the API server, `holds` by us; both must agree on every value. */
export interface Rule<T> {
  cel: string;
  message: string;
  holds: (value: T) => boolean;
}

/** A rule over old and new value; only the API server can check it, since a file has no old value. */
export interface TransitionRule {
  cel: string;
  message: string;
}

const metaOf = (schema: z.ZodType): Record<string, unknown> => schema.meta() ?? {};

const celRules = (schema: z.ZodType): TransitionRule[] => {
  const rules = metaOf(schema)["x-kubernetes-validations"];
  return Array.isArray(rules) ? rules : [];
};

/** Adds rules to a schema, keeping what `meta` it has. */
export function withRules<T extends z.ZodType>(schema: T, ...rules: Rule<z.output<T>>[]): T {
  let ruled = schema;
  for (const { holds, message } of rules) ruled = ruled.refine(holds, { message });
  const published = rules.map(({ cel, message }) => ({ rule: cel, message }));
  return ruled.meta({ ...metaOf(schema), "x-kubernetes-validations": [...celRules(schema), ...published] });
}

export function withTransitionRule<T extends z.ZodType>(schema: T, { cel, message }: TransitionRule): T {
  return schema.meta({
    ...metaOf(schema),
    "x-kubernetes-validations": [...celRules(schema), { rule: cel, message }],
  });
}

/** Kubernetes counts characters (code points); a JavaScript length counts UTF-16 units. */
export const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

interface TextOptions {
  min?: number;
  pattern?: RegExp;
  /** What the pattern means, in words a person can act on. */
  expected?: string;
}

export function text(maxLength: number, description: string, { min, pattern, expected }: TextOptions = {}) {
  let schema = z.string();
  if (pattern) schema = schema.regex(pattern, expected ? { error: `must be ${expected}` } : {});
  schema = schema.refine((value) => characters(value) <= maxLength, {
    message: `must have at most ${maxLength} characters`,
  });
  if (min !== undefined) {
    schema = schema.refine((value) => characters(value) >= min, { message: `must have at least ${min} character` });
  }
  const lengths = min === undefined ? { maxLength } : { minLength: min, maxLength };
  return schema.meta({ description, ...lengths });
}

/** A closed object: an unknown key is refused by us and by strict field validation of the API server (CFG-5). */
export const object = <T extends z.ZodRawShape>(description: string, shape: T) =>
  z.strictObject(shape).meta({ description });

/** A half-open object: the API server keeps keys it does not know, and whoever reads it says what is wrong with them. */
export const keptObject = <T extends z.ZodRawShape>(description: string, shape: T) =>
  z.looseObject(shape).meta({ description, "x-kubernetes-preserve-unknown-fields": true });

/** Null is kept, where the API server would drop it without a word; whoever reads it says what is wrong with it. */
export const orNull = <T extends z.ZodType>(schema: T) => schema.nullable().meta({ ...metaOf(schema), nullable: true });

export const list = <T extends z.ZodType>(item: T, maxItems: number, description: string) =>
  z.array(item).max(maxItems).meta({ description, "x-kubernetes-list-type": "atomic" });

/** Position of the first repetition of each word: like the API server, a word is reported once. */
function repeated(words: readonly string[]): [number, string][] {
  const counts = new Map<string, number>();
  return [...words.entries()].filter(([, word]) => {
    const count = (counts.get(word) ?? 0) + 1;
    counts.set(word, count);
    return count === 2;
  });
}

/** A list of things keyed by a field, which therefore must be unique (listType: map). */
export function keyedList<Key extends string, T extends z.ZodType<Record<Key, string>>>(
  key: Key,
  item: T,
  maxItems: number,
  description: string,
) {
  const schema = z
    .array(item)
    .max(maxItems)
    .superRefine((entries, context) => {
      for (const [position, name] of repeated(entries.map((entry) => entry[key]))) {
        const message = `duplicate ${key} "${name}"; every entry needs a ${key} of its own`;
        context.addIssue({ code: "custom", path: [position], message });
      }
    });
  return schema.meta({ description, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key] });
}

export const namedList = <T extends z.ZodType<{ name: string }>>(item: T, maxItems: number, description: string) =>
  keyedList("name", item, maxItems, description);

/** A list of different words. */
export const setOf = <T extends z.ZodType<string>>(item: T, maxItems: number, description: string) =>
  z
    .array(item)
    .max(maxItems)
    .superRefine((entries, context) => {
      for (const [position, entry] of repeated(entries)) {
        context.addIssue({ code: "custom", path: [position], message: `duplicate entry "${entry}"; remove it` });
      }
    })
    .meta({ description, "x-kubernetes-list-type": "set" });

export const map = <T extends z.ZodType>(value: T, maxProperties: number, description: string) =>
  z
    .record(z.string(), value)
    .refine((entries) => Object.keys(entries).length <= maxProperties, {
      message: `must have at most ${maxProperties} entries`,
    })
    .meta({ description, maxProperties });

/** Any JSON object, which the API server keeps as it is and judges no further; whoever uses it bounds and judges it in plan/. */
export const json = (description: string, maxProperties?: number) =>
  z
    .record(z.string(), z.unknown())
    .refine((entries) => maxProperties === undefined || Object.keys(entries).length <= maxProperties, {
      message: `must have at most ${maxProperties} entries`,
    })
    .meta({
      description,
      ...defined({ maxProperties }),
      "x-kubernetes-preserve-unknown-fields": true,
    });

export const flag = (description: string) => z.boolean().meta({ description });
export const integer = (minimum: number, maximum: number, description: string) =>
  z.int().min(minimum).max(maximum).meta({ description });
export const number = (minimum: number, maximum: number, description: string) =>
  z.number().min(minimum).max(maximum).meta({ description });
export const choice = <const T extends readonly [string, ...string[]]>(values: T, description: string) =>
  z.enum(values).meta({ description });
