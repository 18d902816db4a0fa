// The arguments that a tool needs, in short (DSC-2), from its schema, which is a stranger's: so many of them, so much of each text, and
// references only within the schema and not in circles. Pure; it reads a bounded part of the schema.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { JsonObjectSchema } from "../../lib/mcp/table.ts";

export interface RequiredArgument {
  readonly name: string;
  /** As text: `string`, `string[]`, `"a" | "b"`, `integer or null`. */
  readonly type: string;
  readonly description: string;
}

export interface ArgumentSummary {
  readonly required: readonly RequiredArgument[];
  /** How many there are beside them. */
  readonly optionalCount: number;
}

const maxRequired = 32;
const maxDescriptionChars = 300;
const maxNameChars = 128;
const maxTypeChars = 120;
const maxReferences = 8;
const maxAlternatives = 8;
const maxDepth = 4;

export function summariseArguments(schema: JsonObjectSchema): ArgumentSummary {
  const properties = new Map(Object.entries(isJsonObject(schema.properties) ? schema.properties : {}));
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
  const names = [...new Set(required)];
  const optionalCount = [...properties.keys()].filter((name) => !names.includes(name)).length;
  return {
    required: names.slice(0, maxRequired).map((name) => {
      const found = properties.get(name);
      return {
        name: cut(name, maxNameChars),
        type: cut(renderType(found, schema, maxDepth), maxTypeChars),
        description: cut(describe(found, schema), maxDescriptionChars),
      };
    }),
    optionalCount,
  };
}

const cut = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;

/** Its own words, or those of what it refers to. */
function describe(schema: unknown, root: JsonObjectSchema): string {
  for (const each of [schema, resolve(schema, root)]) {
    if (isJsonObject(each) && typeof each["description"] === "string") return each["description"];
  }
  return "";
}

function renderType(given: unknown, root: JsonObjectSchema, depth: number): string {
  const schema = resolve(given, root);
  if (!isJsonObject(schema) || depth === 0) return "any";
  const { type, items, enum: allowed } = schema;
  if ("const" in schema) return JSON.stringify(schema["const"]).slice(0, maxTypeChars);
  if (Array.isArray(allowed)) {
    const shown = allowed.slice(0, maxAlternatives).map((each) => JSON.stringify(each)?.slice(0, maxTypeChars));
    return [...shown, ...(allowed.length > shown.length ? ["…"] : [])].join(" | ");
  }
  if (type === "array") return `${renderType(items, root, depth - 1)}[]`;
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return joinTypes(type.filter((each) => typeof each === "string"));
  const alternatives = [schema["anyOf"], schema["oneOf"]].find((each) => Array.isArray(each));
  if (!Array.isArray(alternatives)) return isJsonObject(schema["properties"]) ? "object" : "any";
  return joinTypes(alternatives.slice(0, maxAlternatives).map((each) => renderType(each, root, depth - 1)));
}

const joinTypes = (types: readonly string[]): string => [...new Set(types)].slice(0, maxAlternatives).join(" or ");

/** What a local `$ref` leads to; a reference elsewhere, or in a circle, leads to nothing. */
function resolve(schema: unknown, root: JsonObjectSchema): unknown {
  let current = schema;
  for (let count = 0; count < maxReferences; count += 1) {
    const ref = isJsonObject(current) ? current["$ref"] : undefined;
    if (typeof ref !== "string") return current;
    if (!ref.startsWith("#/") || ref.length > maxTypeChars) return undefined;
    current = ref.slice(2).split("/").map(unescape).reduce(step, root);
  }
  return undefined;
}

const unescape = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

const step = (within: unknown, key: string): unknown =>
  isJsonObject(within) && Object.hasOwn(within, key) ? within[key] : undefined;
