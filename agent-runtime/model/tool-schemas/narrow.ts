// What servers of small models can read: they turn a schema into a grammar, or into a table of simple fields. One keyword for
// alternatives, no conditions, and patterns and large lengths in words only.
import { foldObject } from "./fold.ts";
import { addHint, anyOfThem, includesType, mapChildren, type Schema } from "./schema.ts";

/** A grammar repeats a rule that often at most. */
const maxChars = 1_000;
const lengths = ["minLength", "maxLength", "minItems", "maxItems"] as const;

export function narrow(schema: Schema): Schema {
  const { not: _not, if: _if, then: _then, else: _else, oneOf, pattern, ...node } = mergeAll(schema);
  for (const name of lengths) if (Number(node[name]) > maxChars) delete node[name];
  if (oneOf !== undefined) node.anyOf = [...(node.anyOf ?? []), ...oneOf];
  if (typeof pattern === "string") addHint(node, `pattern: ${pattern}`);
  if (Object.hasOwn(node, "const")) {
    node.enum ??= [node["const"]];
    delete node["const"];
  }
  return mapChildren(node, narrow);
}

/** `allOf` of objects becomes one object; of other things what comes later counts. */
export function mergeAll({ allOf, ...node }: Schema): Schema {
  if (allOf === undefined) return node;
  const parts = allOf.map(mergeAll);
  const isObject = [node, ...parts].some((part) => includesType(part, "object") || part.properties !== undefined);
  if (isObject) return foldObject({ ...node, allOf: parts });
  const merged: Schema = Object.assign({}, ...parts, node);
  const variants = [node, ...parts].flatMap((part) => part.anyOf ?? []);
  return variants.length === 0 ? merged : { ...merged, ...anyOfThem(variants) };
}
