// A walk over a JSON Schema: every subschema once, with its path. Looks behind no reference.
import { isObject, type Json } from "./json.ts";

export interface Subschema {
  path: readonly string[];
  schema: Json;
}

const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const single = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const listed = ["anyOf", "oneOf", "allOf", "prefixItems"];

/** The schema itself first, then what it holds in the order of its keys. */
export function* subschemasOf(schema: unknown, path: readonly string[] = []): Generator<Subschema> {
  if (!isObject(schema)) return;
  yield { path, schema };
  for (const [key, value] of Object.entries(schema)) {
    if (named.includes(key) && isObject(value)) {
      for (const [name, inner] of Object.entries(value)) yield* subschemasOf(inner, [...path, key, name]);
    } else if (single.includes(key)) {
      yield* subschemasOf(value, [...path, key]);
    } else if (listed.includes(key) && Array.isArray(value)) {
      for (const [index, inner] of value.entries()) yield* subschemasOf(inner, [...path, key, `${index}`]);
    }
  }
}
