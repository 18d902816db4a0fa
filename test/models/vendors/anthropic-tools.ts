// Anthropic's rules for declared tools. Schemas are checked against the published meta-schema of draft 2020-12.
import { Ajv2020 } from "ajv/dist/2020.js";
import { at, firstOf, firstRepeated, isObject, listOf, objectOf, textOf, type Json } from "./json.ts";
import type { Rule, VendorRequest } from "./rule.ts";
import { subschemasOf } from "./schemas.ts";

const nameLimit = 128;
const namePattern = "^[a-zA-Z0-9_-]{1,128}$";
const keyPattern = "^[a-zA-Z0-9_.-]{1,64}$";

/** Tools of the caller; those of the vendor have a type of their own. */
const toolsOf = ({ body }: VendorRequest) =>
  listOf(body["tools"]).map((tool, index) => ({
    path: `tools.${index}.custom`,
    own: at(tool, "type") === undefined || at(tool, "type") === "custom",
    name: textOf(at(tool, "name")),
    schema: at(tool, "input_schema"),
  }));

const ownToolsOf = (request: VendorRequest) => toolsOf(request).filter(({ own }) => own);

const metaSchema = new Ajv2020({ strict: false, validateFormats: false, logger: false });

/** A lookup in draft 2020-12, and regular expressions that compile. */
function isDraft2020(schema: Json): boolean {
  const { $schema: _dialect, ...rest } = schema;
  if (metaSchema.validateSchema(rest) !== true) return false;
  for (const { schema: inner } of subschemasOf(schema)) {
    const patterns = Object.keys(objectOf(inner["patternProperties"]));
    if (patterns.includes("^(.*)$") || ![...patterns, textOf(inner["pattern"])].every(compiles)) return false;
    const { $ref: ref } = inner;
    if (typeof ref === "string" && ref.startsWith("#") && !resolves(schema, ref)) return false;
  }
  return true;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false; // The question is whether it throws.
  }
}

function resolves(root: Json, ref: string): boolean {
  const keys = ref.slice(1).split("/").slice(1);
  let value: unknown = root;
  for (const key of keys) {
    const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
    value = Array.isArray(value) ? value[Number(name)] : at(value, name);
  }
  return value !== undefined;
}

export const anthropicTools: readonly Rule[] = [
  {
    name: "tool name",
    source: "modelcontextprotocol#1345; anthropics/claude-code#96152 (September 2026)",
    find: (request) =>
      firstOf(ownToolsOf(request), ({ path, name }) => {
        if (name.length > nameLimit) {
          return { message: `${path}.name: String should have at most ${nameLimit} characters` };
        }
        if (new RegExp(namePattern).test(name)) return undefined;
        return { message: `${path}.name: String should match pattern '${namePattern}'` };
      }),
  },
  {
    name: "duplicate tools",
    source: "danny-avila/LibreChat#13162",
    find: (request) =>
      firstRepeated(toolsOf(request).map(({ name }) => name)) === undefined
        ? undefined
        : { message: "tools: Tool names must be unique." },
  },
  {
    name: "type of schemas",
    source: "lvndry/jazz#510; anthropic 2.12.0 (PyPI) ToolParam: type is required",
    find: (request) =>
      firstOf(ownToolsOf(request), ({ path, schema }) => {
        if (!isObject(schema)) return { message: `${path}.input_schema: Field required` };
        const { type } = schema;
        if (type === undefined) return { message: `${path}.input_schema.type: Field required` };
        return type === "object" ? undefined : { message: `${path}.input_schema.type: Input should be 'object'` };
      }),
  },
  {
    name: "combinators at the root",
    source: "anthropics/claude-code#5319; not and if are taken (kenn-io/kata#365)",
    find: (request) =>
      firstOf(ownToolsOf(request), ({ path, schema }) =>
        ["oneOf", "allOf", "anyOf"].some((key) => key in objectOf(schema))
          ? { message: `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level` }
          : undefined,
      ),
  },
  {
    name: "keys at the root",
    source: "anthropics/claude-code#79418; composiohq/composio#3574",
    find: (request) =>
      firstOf(ownToolsOf(request), ({ path, schema }) =>
        Object.keys(objectOf(at(schema, "properties"))).every((key) => new RegExp(keyPattern).test(key))
          ? undefined
          : { message: `${path}.input_schema.properties: Property keys should match pattern '${keyPattern}'` },
      ),
  },
  {
    name: "draft 2020-12",
    source: "anthropics/claude-code#7365, openclaw/openclaw#29416, Dokploy/mcp#74 (August 2026)",
    find: (request) =>
      firstOf(ownToolsOf(request), ({ path, schema }) =>
        isDraft2020(objectOf(schema))
          ? undefined
          : {
              message: `${path}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.`,
            },
      ),
  },
];
