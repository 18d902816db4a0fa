// The JSON Schemas that OpenAI takes as parameters of a function and as the form of an answer.
import { isObject, listOf, type Json } from "./json.ts";
import { subschemasOf } from "./schemas.ts";

/** What is said of a schema behind "Invalid schema for …: ", or undefined for one that is taken. */
export function findSchemaFault(schema: unknown, strict: boolean): string | undefined {
  const root = isObject(schema) ? schema : {};
  return findRootFault(root) ?? findArrayFault(root) ?? (strict ? findStrictFault(root) : undefined);
}

const combinators = ["oneOf", "anyOf", "allOf", "enum", "not"];

function findRootFault(root: Json): string | undefined {
  if (root["type"] !== "object") {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(root["type"] ?? "None")}'.`;
  }
  if (combinators.some((key) => key in root)) {
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
  }
  return isObject(root["properties"]) ? undefined : inContext([], "object schema missing properties.");
}

function findArrayFault(root: Json): string | undefined {
  for (const { path, schema } of subschemasOf(root)) {
    if ("items" in schema || "prefixItems" in schema) continue;
    const position = listOf(schema["type"]).indexOf("array");
    if (schema["type"] === "array") return inContext(path, "array schema missing items.");
    if (position !== -1) return inContext([...path, "type", `${position}`], "array schema missing items.");
  }
  return undefined;
}

function findStrictFault(root: Json): string | undefined {
  for (const { path, schema } of subschemasOf(root)) {
    const { properties, additionalProperties, required } = schema;
    const unknown = ["oneOf", "patternProperties", "uniqueItems", "contains", "if", "not"].find((key) => key in schema);
    if (unknown !== undefined) return inContext(path, `'${unknown}' is not permitted.`);
    if (!isObject(properties)) continue;
    if (additionalProperties !== false) {
      return inContext(path, "'additionalProperties' is required to be supplied and to be false.");
    }
    const missing = Object.keys(properties).find((name) => !listOf(required).includes(name));
    if (missing !== undefined) {
      const rule = "'required' is required to be supplied and to be an array including every key in properties.";
      return inContext(path, `${rule} Missing '${missing}'.`);
    }
  }
  return undefined;
}

/** As a tuple of Python is written. */
function inContext(path: readonly string[], fault: string): string {
  const items = path.map((part) => `'${part}'`).join(", ");
  return `In context=(${items}${path.length === 1 ? "," : ""}), ${fault}`;
}
