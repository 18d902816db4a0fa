// OpenAI's rules for declared functions; chat completions and responses differ in the path and in some lengths.
import { at, firstOf, listOf, objectOf, textOf } from "./json.ts";
import { noMatch, tooLong, tooMany } from "./openai-faults.ts";
import { findSchemaFault } from "./openai-schema.ts";
import type { Fault, Rule, VendorRequest } from "./rule.ts";

/** A declared function and where it stands in the request. */
interface Declared {
  path: string;
  name: string;
  description: string;
  parameters: unknown;
  strict: boolean;
}

interface Wire {
  /** Path of the function inside a tool. */
  inner: "" | ".function";
  nameLimit: number;
  /** Undefined: a description may be of any length. */
  descriptionLimit?: number;
}

export const toolNamePattern = "^[a-zA-Z0-9_-]+$";
const toolLimit = 128;

export function declaredFunctions(body: VendorRequest["body"], inner: Wire["inner"]): Declared[] {
  return listOf(body["tools"]).flatMap((tool, index) => {
    if (at(tool, "type") !== "function") return [];
    const fields = objectOf(inner === "" ? tool : at(tool, "function"));
    const { name, description, parameters, strict } = fields;
    const path = `tools[${index}]${inner}`;
    return [{ path, name: textOf(name), description: textOf(description), parameters, strict: strict === true }];
  });
}

const toolCountRule: Rule = {
  name: "tool count",
  source: "5ire#403 and zed-industries/zed#32946 (128, chat)",
  find({ body }) {
    const { length } = listOf(body["tools"]);
    return length > toolLimit ? tooMany("tools", toolLimit, length) : undefined;
  },
};

/** Rules in OpenAI's order: count, then tool by tool. */
export function openAiToolRules({ inner, nameLimit, descriptionLimit }: Wire): Rule[] {
  const each = (find: (tool: Declared) => Fault | undefined) => (request: VendorRequest) =>
    firstOf(declaredFunctions(request.body, inner), find);
  return [
    toolCountRule,
    {
      name: "tool name",
      source: "openai-openapi FunctionObject and FunctionToolParam; nanbingxyz/5ire#403, brekkylab/ailoy#109",
      find: each(({ path, name }) => {
        if (name.length > nameLimit) return tooLong(`${path}.name`, nameLimit, name.length);
        return new RegExp(toolNamePattern).test(name) ? undefined : noMatch(`${path}.name`, toolNamePattern);
      }),
    },
    ...(descriptionLimit === undefined
      ? []
      : [
          {
            name: "tool description",
            source: "getsentry/sentry-mcp#106 (2025); nanbingxyz/5ire#33",
            find: each(({ path, description }) =>
              description.length > descriptionLimit
                ? tooLong(`${path}.description`, descriptionLimit, description.length)
                : undefined,
            ),
          },
        ]),
    {
      name: "tool schema",
      source: "vercel/ai#7005, mark3labs/mcphost#88, langchain-ai/langchainjs#9804, streamnative-mcp-server#26",
      find: each(({ path, name, parameters, strict }) => {
        const fault = parameters === undefined ? undefined : findSchemaFault(parameters, strict);
        if (fault === undefined) return undefined;
        return {
          message: `Invalid schema for function '${name}': ${fault}`,
          param: `${path}.parameters`,
          code: "invalid_function_parameters",
        };
      }),
    },
  ];
}
