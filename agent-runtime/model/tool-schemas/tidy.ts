// Reads any JSON as a JSON Schema and writes it again in the one form that the rest of this folder works on: draft 2020-12,
// keywords that mean something to a model only, every value of its right type, bounded in depth, nodes and text. What cannot be
// read means "anything": the server checks its arguments anyway. Never throws.
import { isBoundedJson } from "./json-bounds.ts";
import { createReferences, type References } from "./references.ts";
import { addHint, anyOfThem, includesType, isRecord, schemaTypes, uniqueJson } from "./schema.ts";
import type { Allowance, Schema } from "./schema.ts";

export interface TidyOptions {
  /** Whether references stay where they name an entry of `$defs`; else all are replaced by what they name. */
  keepsReferences: boolean;
  maxDepth: number;
}

/** Of one tool, with what references are replaced by. */
const maxNodes = 3_000;
const maxChars = 100_000;
const maxTextChars = 2_000;
const maxValues = 500;
const maxNameChars = 500;
const maxPatternChars = 500;

interface Tidying extends TidyOptions {
  references: References;
  allowance: Allowance;
}

export function tidySchema(raw: unknown, options: TidyOptions): Schema {
  const allowance = { nodes: maxNodes, characters: maxChars };
  const references = createReferences(raw, options.keepsReferences);
  const tidying: Tidying = { ...options, references, allowance };
  const root = tidyNode(raw, tidying, 0, []);
  const definitions: [string, Schema][] = [];
  // Each may name further ones.
  for (let next = references.takeKept(); next !== undefined; next = references.takeKept()) {
    definitions.push([next.name, tidyNode(next.schema, tidying, 1, [])]);
  }
  if (definitions.length > 0) root["$defs"] = Object.fromEntries(definitions);
  return root;
}

function tidyNode(raw: unknown, tidying: Tidying, depth: number, path: readonly string[]): Schema {
  const { allowance, references } = tidying;
  if (!isRecord(raw) || allowance.nodes <= 0) return {};
  allowance.nodes -= 1;
  const reference = raw["$ref"];
  if (typeof reference === "string") {
    const kept = references.keep(reference);
    if (kept !== undefined) return { ...takeTexts(raw, allowance), $ref: kept };
    const target = path.includes(reference) ? undefined : references.resolve(reference);
    return tidyNode(overlay(target, raw), tidying, depth, [...path, reference]);
  }
  const node: Schema = takeTexts(raw, allowance);
  const type = tidyType(raw["type"]);
  if (type !== undefined) node.type = type;
  takeValues(node, raw, allowance);
  takeBounds(node, raw);
  takePattern(node, raw);
  if (depth < tidying.maxDepth) {
    const child = (value: unknown) => tidyNode(value, tidying, depth + 1, path);
    takeProperties(node, raw, tidying, child);
    takeItems(node, raw, child);
    takeCombinations(node, raw, child);
  }
  if (includesType(node, "array")) node.items ??= {};
  if (includesType(node, "object")) node.properties ??= {};
  return node;
}

const keywords = [
  ...["type", "description", "title", "enum", "const", "default", "format", "pattern", "multipleOf", "uniqueItems"],
  ...["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"],
  ...["minProperties", "maxProperties", "properties", "required", "additionalProperties", "patternProperties"],
  ...["items", "prefixItems", "additionalItems", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"],
];

/** What a reference names, with what stands beside the reference. Of the two only what is read later: either may be of any size. */
function overlay(target: unknown, beside: Record<string, unknown>): Record<string, unknown> {
  const layers = isRecord(target) ? [target, beside] : [beside];
  const next = isRecord(target) && typeof target["$ref"] === "string" ? { $ref: target["$ref"] } : {};
  const taken = layers.flatMap((layer) =>
    keywords.filter((name) => Object.hasOwn(layer, name)).map((name) => [name, layer[name]]),
  );
  return { ...Object.fromEntries(taken), ...next };
}

function tidyType(raw: unknown): string | string[] | undefined {
  const named = Array.isArray(raw) ? raw.slice(0, maxValues) : [raw];
  const known = schemaTypes.filter((type) => named.includes(type));
  return known.length > 1 ? known : known[0];
}

/** A title says something only where there is no description. */
function takeTexts(raw: Record<string, unknown>, allowance: Allowance): Schema {
  for (const said of [raw["description"], raw["title"]]) {
    if (typeof said !== "string") continue;
    const text = said.slice(0, Math.min(maxTextChars, allowance.characters)).toWellFormed().trim();
    if (text === "") continue;
    allowance.characters -= text.length;
    return { description: text };
  }
  return {};
}

function takeValues(node: Schema, raw: Record<string, unknown>, allowance: Allowance): void {
  const fits = (value: unknown) => isBoundedJson(value, allowance);
  if (Array.isArray(raw["enum"])) {
    const values = uniqueJson(raw["enum"].slice(0, maxValues).filter(fits));
    if (values.length > 0) node.enum = values;
  }
  if (Object.hasOwn(raw, "const") && fits(raw["const"])) node["const"] = raw["const"];
  if (Object.hasOwn(raw, "default") && fits(raw["default"])) node["default"] = raw["default"];
  const format = raw["format"];
  if (typeof format === "string" && /^[\w-]{1,64}$/.test(format)) node["format"] = format;
}

const counts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"] as const;
const ranges = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
] as const;

/** Draft-04 had a flag where there is a number today. */
function takeBounds(node: Schema, raw: Record<string, unknown>): void {
  for (const name of counts) {
    const value = raw[name];
    if (Number.isSafeInteger(value) && Number(value) >= 0) node[name] = value;
  }
  for (const [bound, exclusive] of ranges) {
    const value = raw[exclusive] === true ? undefined : raw[bound];
    const limit = raw[exclusive] === true ? raw[bound] : raw[exclusive];
    if (Number.isFinite(value)) node[bound] = value;
    if (Number.isFinite(limit)) node[exclusive] = limit;
  }
  if (Number.isFinite(raw["multipleOf"]) && Number(raw["multipleOf"]) > 0) node["multipleOf"] = raw["multipleOf"];
  if (raw["uniqueItems"] === true) node["uniqueItems"] = true;
}

/** What only some dialects of regular expressions have: look-around, named groups, classes of characters by property. */
const rarePattern = /\(\?[^:]|\\[pPkAzZ]|\\u\{/;

/** Compiled to see that it can be, never run. A pattern that not every validator reads is told in words. */
function takePattern(node: Schema, raw: Record<string, unknown>): void {
  const { pattern } = raw;
  if (typeof pattern !== "string" || pattern === "" || pattern.length > maxPatternChars || !pattern.isWellFormed()) {
    return;
  }
  if (!rarePattern.test(pattern) && isRegExp(pattern)) node["pattern"] = pattern;
  else addHint(node, `pattern: ${pattern}`);
}

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false; // Said so: no pattern that could be compiled.
  }
}

type Child = (value: unknown) => Schema;

function takeProperties(node: Schema, raw: Record<string, unknown>, { allowance }: Tidying, child: Child): void {
  const { properties, required, additionalProperties, patternProperties } = raw;
  const listed: unknown[] = Array.isArray(required) ? required.slice(0, maxValues) : [];
  const names = new Set(
    listed.filter((name) => typeof name === "string").filter((name) => name.length <= maxNameChars),
  );
  if (isRecord(properties)) {
    const taken: [string, Schema][] = [];
    for (const [name, schema] of Object.entries(properties)) {
      if (allowance.nodes <= 0) break;
      allowance.characters -= Math.min(name.length, maxNameChars);
      // One that may never be there, and one that no model could write.
      if (schema === false || name.length > maxNameChars || allowance.characters < 0) {
        allowance.nodes -= 1;
        continue;
      }
      taken.push([name, child(schema)]);
      // As draft-03 wrote it, which still is seen.
      if (isRecord(schema) && schema["required"] === true) names.add(name);
    }
    node.properties = Object.fromEntries(taken);
  }
  if (names.size > 0) node.required = [...names];
  if (isRecord(additionalProperties)) node["additionalProperties"] = child(additionalProperties);
  // Patterns of names are dropped: what they let in must not be forbidden then.
  else if (additionalProperties === false && !isRecord(patternProperties)) node["additionalProperties"] = false;
}

/** Tuples become a list of any of their parts: of all forms the only one that every vendor takes. */
function takeItems(node: Schema, raw: Record<string, unknown>, child: Child): void {
  const { items, prefixItems, additionalItems } = raw;
  const tuple = Array.isArray(items) ? items : prefixItems;
  if (!Array.isArray(tuple)) {
    if (items !== undefined) node.items = child(items);
    return;
  }
  const rest = Array.isArray(items) ? additionalItems : items;
  node.items = anyOfThem([...tuple.slice(0, maxValues), ...(isRecord(rest) ? [rest] : [])].map(child));
}

function takeCombinations(node: Schema, raw: Record<string, unknown>, child: Child): void {
  for (const name of ["anyOf", "oneOf", "allOf"] as const) {
    const variants = raw[name];
    if (!Array.isArray(variants)) continue;
    const tidied = variants.slice(0, maxValues).filter(isRecord).map(child);
    if (tidied.length > 0) node[name] = tidied;
  }
  for (const name of ["not", "if", "then", "else"] as const) {
    if (isRecord(raw[name])) node[name] = child(raw[name]);
  }
}
