// The part of OpenAPI's schemas that Gemini takes as `parameters`; every fault of one schema, as Google lists them.
import { at, isObject, listOf, objectOf, textOf, type Json } from "./json.ts";

const knownKeys = new Set(
  `anyOf default description enum example format items maxItems maxLength maxProperties maximum minItems minLength
  minProperties minimum nullable pattern properties propertyOrdering required title type`.split(/\s+/),
);
const types = new Set(["string", "number", "integer", "boolean", "array", "object", "null"]);
const keyPattern = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;

interface Place {
  /** tools[0].function_declarations[9].parameters.properties[0].value: as Google's parser counts. */
  wire: string;
  /** …parameters.properties[tags]: as its validator names. */
  named: string;
}

/** Problems of the parser: it knows names and kinds of values. */
export function* parserFaults(schema: unknown, place: Place): Generator<string> {
  const kind = "(type.googleapis.com/google.ai.generativelanguage.v1beta.Schema)";
  if (!isObject(schema)) return yield `Invalid value at '${place.wire}' ${kind}, ${JSON.stringify(schema)}`;
  for (const key of Object.keys(schema)) {
    if (!knownKeys.has(key)) {
      yield `Invalid JSON payload received. Unknown name "${key}" at '${place.wire}': Cannot find field.`;
    }
  }
  const { type, items } = schema;
  if (Array.isArray(type)) {
    yield `Invalid JSON payload received. Unknown name "type" at '${place.wire}': Proto field is not repeating, cannot start list.`;
  } else if (type !== undefined && !types.has(textOf(type).toLowerCase())) {
    const typeKind = "(type.googleapis.com/google.ai.generativelanguage.v1beta.Type)";
    yield `Invalid value at '${place.wire}.type' ${typeKind}, ${JSON.stringify(type)}`;
  }
  for (const { inner, place: below } of innerSchemas(schema, place)) yield* parserFaults(inner, below);
  if (Array.isArray(items)) {
    yield `Invalid JSON payload received. Unknown name "items" at '${place.wire}': Proto field is not repeating, cannot start list.`;
  }
}

/** Problems of the validator, which sees what the parser let through. */
export function* validatorFaults(schema: unknown, place: Place): Generator<string> {
  const { type, enum: values, items, properties } = objectOf(schema);
  const kind = textOf(type).toLowerCase();
  const at = `* GenerateContentRequest.${place.named}`;
  if (kind === "array" && !isObject(items)) yield `${at}.items: missing field.`;
  if (listOf(values).length > 0 && (kind !== "string" || listOf(values).some((value) => typeof value !== "string"))) {
    yield `${at}.enum: only allowed for STRING type`;
  }
  if (kind === "" && !Array.isArray(objectOf(schema)["anyOf"])) {
    yield `${at}: schema didn't specify the schema type field.`;
  }
  for (const key of Object.keys(objectOf(properties))) {
    if (!keyPattern.test(key)) yield `${at}.properties[${key}]: Invalid property name.`;
  }
  for (const { inner, place: below } of innerSchemas(objectOf(schema), place)) yield* validatorFaults(inner, below);
}

function* innerSchemas(schema: Json, { wire, named }: Place): Generator<{ inner: unknown; place: Place }> {
  for (const [index, [key, inner]] of Object.entries(objectOf(schema["properties"])).entries()) {
    const place = { wire: `${wire}.properties[${index}].value`, named: `${named}.properties[${key}]` };
    yield { inner, place };
  }
  const { items } = schema;
  if (items !== undefined && !Array.isArray(items)) {
    yield { inner: items, place: { wire: `${wire}.items`, named: `${named}.items` } };
  }
  for (const [index, inner] of listOf(schema["anyOf"]).entries()) {
    yield { inner, place: { wire: `${wire}.any_of[${index}]`, named: `${named}.any_of[${index}]` } };
  }
}

/** What Gemini finds in a full JSON Schema (`parametersJsonSchema`): a reference to nothing, or one to itself. */
export function findReferenceFault(schema: unknown): string | undefined {
  const root = objectOf(schema);
  const resolve = (ref: string): unknown =>
    ref === "#"
      ? root
      : ref
          .replace(/^#\//, "")
          .split("/")
          .reduce<unknown>((value, key) => at(value, key), root);
  const walk = (value: unknown, path: string, open: readonly string[]): string | undefined => {
    if (Array.isArray(value)) return firstFault(value.map((item, index) => walk(item, `${path}.${index}`, open)));
    if (!isObject(value)) return undefined;
    const ref = value["$ref"];
    if (typeof ref === "string") {
      if (open.includes(ref)) return "Request contains an invalid argument.";
      const target = resolve(ref);
      return target === undefined ? `reference to undefined schema at ${path}` : walk(target, path, [...open, ref]);
    }
    const below = Object.entries(value).filter(([key]) => key !== "$defs" && key !== "definitions");
    return firstFault(below.map(([key, inner]) => walk(inner, path === "" ? key : `${path}.${key}`, open)));
  };
  return walk(root, "", ["#"]);
}

const firstFault = (faults: readonly (string | undefined)[]) => faults.find((fault) => fault !== undefined);
