// Reads a JSON Schema part by part: references into the same document are followed, `allOf` is merged. A stranger wrote it, so all is read
// under one budget of steps, and a reference that leads back to itself is told instead of followed.
import { schemaFormWords } from "../../words/schema-form.ts";
import { fill } from "../../words/fill.ts";

const words = schemaFormWords.why;

export type Schema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
export const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** A part that a form can be made of, or why none can. */
export type ResolvedSchema =
  | { readonly schema: Schema; readonly refs: readonly string[]; readonly why?: undefined }
  | { readonly why: string };

/** Far above what a person fills in; some milliseconds. */
const maxSchemaSteps = 20_000;

export class SchemaTooLarge extends Error {
  override readonly name = "SchemaTooLarge";
}

export class SchemaReader {
  readonly #root: unknown;
  #steps = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  /** Throws SchemaTooLarge beyond the budget. */
  spend(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > maxSchemaSteps) throw new SchemaTooLarge();
  }

  /** @param refs that were followed to get here */
  resolve(part: unknown, refs: readonly string[] = []): ResolvedSchema {
    this.spend();
    if (part === false) return { why: words.notAllowed };
    if (!isSchema(part)) return { schema: {}, refs };
    const { $ref: ref, allOf, ...own } = part;
    this.spend(Object.keys(own).length);
    const parts: unknown[] = [...listOf(allOf)];
    if (typeof ref === "string") {
      if (refs.includes(ref)) return { why: fill(words.cycle, { ref }) };
      const target = findPart(this.#root, ref);
      if (target === undefined) return { why: fill(words.unresolved, { ref }) };
      return this.#merge(own, [target, ...parts], [...refs, ref]);
    }
    return parts.length === 0 ? { schema: own, refs } : this.#merge(own, parts, refs);
  }

  #merge(own: Schema, parts: readonly unknown[], refs: readonly string[]): ResolvedSchema {
    let merged = own;
    let followed = refs;
    for (const part of parts) {
      const resolved = this.resolve(part, followed);
      if (resolved.why !== undefined) return resolved;
      followed = resolved.refs;
      this.spend(Object.keys(resolved.schema).length);
      const both = mergeSchemas(merged, resolved.schema);
      if (both === undefined) return { why: words.contradiction };
      merged = both;
    }
    return { schema: merged, refs: followed };
  }
}

/** What a pointer into the document names. */
export function findPart(root: unknown, ref: string): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const token of ref.slice(2).split("/")) {
    const key = decodePointer(token);
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

function decodePointer(token: string): string {
  const unescaped = token.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

const largest = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const smallest = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const nested = ["items", "additionalProperties", "propertyNames"];

/** What holds for both; undefined where nothing can. What describes (title, description, default) is taken from the first. */
export function mergeSchemas(one: Schema, other: Schema): Schema | undefined {
  const merged: Record<string, unknown> = { ...other, ...one };
  for (const key of Object.keys(other)) {
    const [a, b] = [one[key], other[key]];
    if (a === undefined || b === undefined) continue;
    if (largest.includes(key)) merged[key] = Math.max(Number(a), Number(b));
    else if (smallest.includes(key)) merged[key] = Math.min(Number(a), Number(b));
    else if (nested.includes(key)) merged[key] = a === false || b === false ? false : bothOf(a, b);
    else if (key === "properties") merged[key] = mergeProperties(a, b);
    else if (key === "required") merged[key] = [...new Set([...listOf(a), ...listOf(b)])];
    else if (key === "type") merged[key] = commonTypes(a, b);
    else if (key === "enum") merged[key] = commonValues(a, b);
    else if ((key === "oneOf" || key === "anyOf") && a !== b) return undefined;
    if (key === "type" || key === "enum") {
      if (listOf(merged[key]).length === 0) return undefined;
    }
  }
  return merged;
}

const bothOf = (one: unknown, other: unknown): unknown => (one === other ? one : { allOf: [one, other] });

function mergeProperties(one: unknown, other: unknown): Schema {
  const merged = new Map(isSchema(one) ? Object.entries(one) : []);
  for (const [key, property] of isSchema(other) ? Object.entries(other) : []) {
    merged.set(key, merged.has(key) ? bothOf(merged.get(key), property) : property);
  }
  return Object.fromEntries(merged);
}

const typesOf = (type: unknown): readonly unknown[] => (Array.isArray(type) ? type : [type]);

function commonTypes(one: unknown, other: unknown): readonly unknown[] {
  const others = typesOf(other);
  return typesOf(one).flatMap((type) => {
    if (others.includes(type)) return [type];
    const isWhole =
      (type === "integer" && others.includes("number")) || (type === "number" && others.includes("integer"));
    return isWhole ? ["integer"] : [];
  });
}

function commonValues(one: unknown, other: unknown): readonly unknown[] {
  const texts = new Set(listOf(other).map((value) => JSON.stringify(value)));
  return listOf(one).filter((value) => texts.has(JSON.stringify(value)));
}
