// Several schemas of objects as one: vendors refuse alternatives at the root of a tool's schema. The result lets in what any
// alternative lets in, and requires what all of them require; which properties go together is told in words.
import { defined } from "../../../lib/process/defined.ts";
import { addHint, anyOfThem, uniqueJson, type Schema } from "./schema.ts";

const maxDepth = 8;
const maxVariants = 16;
const alternativesTold = 8;
const maxVisits = 2_000;

interface Folded {
  properties: Map<string, Schema>;
  required: Set<string>;
  /** Lists of properties that stand for the alternatives. */
  alternatives: string[][];
}

/** Definitions name each other: what one visits is bounded, not only how deep. */
interface Folding {
  definitions: Readonly<Record<string, Schema>>;
  visitsLeft: number;
}

/** Whether anything says more than the properties of the object do. */
export const hasCombinators = (node: Schema): boolean =>
  ["anyOf", "oneOf", "allOf", "if", "then", "else", "$ref"].some((name) => node[name] !== undefined);

/** The schema of one object without combinators. */
export function foldObject(node: Schema, definitions: Readonly<Record<string, Schema>> = {}): Schema {
  const folded = fold(node, { definitions, visitsLeft: maxVisits }, 0);
  const { description } = node;
  const result: Schema = {
    ...defined({ description }),
    type: "object",
    properties: Object.fromEntries(folded.properties),
  };
  if (folded.required.size > 0) result.required = [...folded.required];
  if (!hasCombinators(node) && node["additionalProperties"] !== undefined) {
    result["additionalProperties"] = node["additionalProperties"];
  }
  const told = uniqueJson(folded.alternatives).slice(0, alternativesTold);
  if (told.length > 1) addHint(result, `give one of: ${told.map((names) => names.join(" with ")).join("; ")}`);
  return result;
}

function fold(node: Schema, folding: Folding, depth: number): Folded {
  const folded: Folded = {
    properties: new Map(Object.entries(node.properties ?? {})),
    required: new Set(node.required),
    alternatives: [],
  };
  folding.visitsLeft -= 1;
  if (depth >= maxDepth || folding.visitsLeft <= 0) return folded;
  const part = (schema: Schema) => fold(schema, folding, depth + 1);
  const name = node.$ref?.slice("#/$defs/".length) ?? "";
  const named = Object.hasOwn(folding.definitions, name) ? folding.definitions[name] : undefined;
  const all = [...(named === undefined ? [] : [named]), ...(node.allOf ?? [])].map(part);
  for (const each of all) {
    merge(folded, each);
    for (const name of each.required) folded.required.add(name);
    folded.alternatives.push(...each.alternatives);
  }
  for (const variants of [node.anyOf, node.oneOf]) foldAlternatives(folded, (variants ?? []).map(part));
  for (const branch of [node.then, node.else]) if (branch !== undefined) merge(folded, part(branch));
  return folded;
}

function foldAlternatives(folded: Folded, variants: readonly Folded[]): void {
  if (variants.length === 0) return;
  for (const variant of variants) merge(folded, variant);
  const [first, ...others] = variants;
  for (const name of first?.required ?? []) {
    if (others.every(({ required }) => required.has(name))) folded.required.add(name);
  }
  folded.alternatives.push(
    ...variants
      .map(({ required }) => [...required].filter((name) => !folded.required.has(name)))
      .filter((names) => names.length > 0),
  );
}

function merge(into: Folded, { properties }: Folded): void {
  for (const [name, schema] of properties) {
    const present = into.properties.get(name);
    into.properties.set(name, present === undefined ? schema : combine(present, schema));
  }
}

/** One property as several alternatives have it; the mark by which they are told apart becomes a list of its values. */
function combine(a: Schema, b: Schema): Schema {
  const [left, right] = [listValues(a), listValues(b)];
  if (left !== undefined && right !== undefined) {
    const { const: _, ...rest } = a;
    return { ...rest, enum: uniqueJson([...left, ...right]) };
  }
  if (Object.keys(a).length === 0) return a;
  const variants = uniqueJson([...(isPlainAnyOf(a) ? (a.anyOf ?? []) : [a]), b]);
  return variants.length > maxVariants ? {} : anyOfThem(variants);
}

const isPlainAnyOf = (schema: Schema): boolean => schema.anyOf !== undefined && Object.keys(schema).length === 1;

const listValues = (schema: Schema): unknown[] | undefined =>
  Object.hasOwn(schema, "const") ? [schema["const"]] : schema.enum;
