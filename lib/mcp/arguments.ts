/**
 * Checks tool arguments against the tools' input schemas, with one Ajv for all of them and one compiled check per entry.
 * Faults name the field and what was expected, never the value: arguments may be secret (BRR-4).
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { ToolEntry } from "./table.ts";

/** Returns what is wrong with `args`, or undefined when they fit. */
export type ArgumentCheck = (args: Record<string, unknown>) => string | undefined;

/** Compiles the checks of all tools, by tool name. Throws, naming the tool, when a schema cannot be compiled. */
export function compileArgumentChecks(tools: readonly ToolEntry[]): ReadonlyMap<string, ArgumentCheck> {
  // addUsedSchema false: two tools may carry the same $id. validateSchema false: a tool may name another dialect in $schema.
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, addUsedSchema: false });
  return new Map(tools.map((tool) => [tool.name, compileCheck(ajv, tool)]));
}

function compileCheck(ajv: Ajv2020, tool: ToolEntry): ArgumentCheck {
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(tool.inputSchema);
  } catch (cause) {
    throw new Error(`tool "${tool.name}": its inputSchema is not a usable JSON Schema; correct the schema`, { cause });
  }
  return (args) => (validate(args) ? undefined : renderFault(validate.errors?.[0]));
}

function renderFault(error: ErrorObject | undefined): string {
  if (error === undefined) {
    return "they do not match the tool's input schema";
  }
  const at = error.instancePath.split("/").slice(1).map(unescapePointer);
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case "required":
      return `${quoteField([...at, String(params["missingProperty"])])} is required`;
    case "additionalProperties":
      return `${quoteField([...at, String(params["additionalProperty"])])} is not a known field`;
    case "enum":
      return `${quoteField(at)} must be one of ${JSON.stringify(params["allowedValues"])}`;
    default:
      return `${quoteField(at)} ${error.message ?? "does not match the tool's input schema"}`;
  }
}

/** Field names come from the caller: cut, so that a fault stays one readable line. */
function quoteField(path: string[]): string {
  const name = path.join(".");
  return path.length === 0 ? "the arguments" : `"${name.length > 120 ? `${name.slice(0, 120)}…` : name}"`;
}

function unescapePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
