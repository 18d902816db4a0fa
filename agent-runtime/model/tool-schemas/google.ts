// The subset of JSON Schema that Gemini reads in both of its fields for it: one type a node, alternatives that stand alone, listed
// values that are strings. All else is told to the model in words. Expects no references.
import { foldObject, hasCombinators } from "./fold.ts";
import { mergeAll } from "./narrow.ts";
import { addHint, anyOfThem, listTypes, uniqueJson, type Schema } from "./schema.ts";

/** "Anything", which has no form of its own there. */
const anything: Schema = {
  anyOf: [
    { type: "string" },
    { type: "number" },
    { type: "boolean" },
    { type: "object" },
    { type: "array", items: { type: "string" } },
  ],
};
const stringFormats = ["date-time", "enum"];

/** The root: an object whatever happens. */
export function renderForGoogle(root: Schema): Schema {
  const rendered = renderObject(root, root.description);
  return { properties: {}, ...rendered };
}

function renderNode(source: Schema): Schema {
  const { oneOf, ...rest } = source;
  const node = mergeAll(oneOf === undefined ? rest : { ...rest, anyOf: [...(rest.anyOf ?? []), ...oneOf] });
  const types = guessTypes(node);
  const [only] = types;
  if (types.length === 1 && only !== undefined) return renderTyped(node, only);
  if (types.length > 1) {
    return renderAnyOf(
      types.map((type) => renderTyped({ ...node, description: "" }, type)),
      node,
    );
  }
  if (node.anyOf !== undefined) return renderAnyOf(node.anyOf.map(renderNode), node);
  return renderAnyOf(anything.anyOf ?? [], node);
}

/** Of one that says none, what its other keywords speak of. */
function guessTypes(node: Schema): readonly string[] {
  const said = listTypes(node);
  if (said.length > 0) return said;
  const values = listValues(node);
  if (values.length > 0) return [...new Set(values.map(typeOf))];
  if (node.anyOf !== undefined) return [];
  if (node.properties !== undefined || node["additionalProperties"] !== undefined) return ["object"];
  if (node.items !== undefined) return ["array"];
  if (["pattern", "format", "minLength", "maxLength"].some((name) => node[name] !== undefined)) return ["string"];
  return ["minimum", "maximum", "multipleOf"].some((name) => node[name] !== undefined) ? ["number"] : [];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const listValues = (node: Schema): unknown[] => (Object.hasOwn(node, "const") ? [node["const"]] : (node.enum ?? []));

/** Nothing may stand beside alternatives: what was said of all of them is said of the first. */
function renderAnyOf(variants: readonly Schema[], { description = "" }: Schema): Schema {
  const flat = uniqueJson(variants.flatMap((variant) => variant.anyOf ?? [variant]));
  const [first = { type: "string" }, ...others] = flat;
  const words = [description, first.description].filter(Boolean).join(" ");
  const told = words === "" ? first : { ...first, description: words };
  return anyOfThem([told, ...others]);
}

function renderTyped(node: Schema, type: string): Schema {
  if (type === "object") return renderObject(node, node.description);
  const result = described(node.description);
  result.type = type;
  if (type === "array") {
    result.items = renderNode(node.items ?? {});
    copy(node, result, ["minItems", "maxItems"]);
  }
  if (type === "string") renderString(node, result);
  if (type === "number" || type === "integer") {
    copy(node, result, ["minimum", "maximum"]);
    for (const name of ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
      if (node[name] !== undefined) addHint(result, `${name}: ${JSON.stringify(node[name])}`);
    }
    tellValues(node, result, "number");
  }
  if (node["default"] !== undefined) addHint(result, `default: ${JSON.stringify(node["default"])}`);
  return result;
}

function renderString(node: Schema, result: Schema): void {
  const values = listValues(node);
  const strings = values.filter((value) => typeof value === "string");
  // An empty one is refused; without it the list would forbid what the tool takes.
  if (strings.length > 0 && !strings.includes("")) result.enum = strings;
  else tellValues(node, result, "string");
  const { pattern, format } = node;
  if (typeof pattern === "string") addHint(result, `pattern: ${pattern}`);
  for (const name of ["minLength", "maxLength"]) {
    if (node[name] !== undefined) addHint(result, `${name}: ${JSON.stringify(node[name])}`);
  }
  if (typeof format !== "string") return;
  if (stringFormats.includes(format)) result["format"] = format;
  else addHint(result, `format: ${format}`);
}

function tellValues(node: Schema, result: Schema, type: "string" | "number"): void {
  const values = listValues(node).filter((value) => typeof value === type);
  if (values.length > 0) addHint(result, `one of: ${values.map((value) => JSON.stringify(value)).join(", ")}`);
}

function renderObject(source: Schema, description: string | undefined): Schema {
  const node = hasCombinators(source) ? foldObject(source) : source;
  const result = described(node === source ? description : node.description);
  result.type = "object";
  const entries = Object.entries(node.properties ?? {});
  if (entries.length === 0) return result;
  result.properties = Object.fromEntries(entries.map(([name, schema]) => [name, renderNode(schema)]));
  const required = (node.required ?? []).filter((name) => Object.hasOwn(node.properties ?? {}, name));
  if (required.length > 0) result.required = required;
  return result;
}

const described = (description: string | undefined): Schema =>
  description === undefined || description === "" ? {} : { description };

function copy(from: Schema, to: Schema, names: readonly string[]): void {
  for (const name of names) if (from[name] !== undefined) to[name] = from[name];
}
