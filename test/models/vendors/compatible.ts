// What nearly every server refuses that speaks OpenAI's chat: the least that a request must keep to.
import { at, firstOf, isObject, textOf } from "./json.ts";
import * as messages from "./openai-chat-messages.ts";
import { noMatch, renderOpenAi } from "./openai-faults.ts";
import { declaredFunctions } from "./openai-tools.ts";
import type { Rule, Vendor } from "./rule.ts";

const namePattern = "^[a-zA-Z0-9_-]{1,64}$";

export const toolName: Rule = {
  name: "tool name",
  source: "the strictest of OpenAI, DeepSeek, Qwen and Groq: 64 of letters, digits, _ and -",
  find: ({ body }) =>
    firstOf(declaredFunctions(body, ".function"), ({ path, name }) =>
      new RegExp(namePattern).test(name) ? undefined : noMatch(`${path}.name`, namePattern),
    ),
};

export const schemaType: Rule = {
  name: "type of schemas",
  source: "OpenAI (vercel/ai#7005), and whoever forwards to it",
  find: ({ body }) =>
    firstOf(declaredFunctions(body, ".function"), ({ path, name, parameters }) => {
      if (parameters === undefined || (isObject(parameters) && parameters["type"] === "object")) return undefined;
      return {
        message: `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${textOf(at(parameters, "type")) || "None"}"'.`,
        param: `${path}.parameters`,
        code: "invalid_function_parameters",
      };
    }),
};

export const compatible: Vendor = {
  render: renderOpenAi,
  rules: [
    toolName,
    schemaType,
    messages.noMessages,
    messages.callNames,
    messages.unansweredCalls,
    messages.resultsWithoutCalls,
  ],
};
