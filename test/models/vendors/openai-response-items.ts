// The items of OpenAI's responses: calls with their outputs, and reasoning that was not stored.
import { at, firstOf, isObject, listOf, textOf } from "./json.ts";
import { noMatch, tooLong } from "./openai-faults.ts";
import { toolNamePattern } from "./openai-tools.ts";
import type { Rule, VendorRequest } from "./rule.ts";

const itemsOf = ({ body }: VendorRequest) => listOf(body["input"]);
const typeOf = (item: unknown) => textOf(at(item, "type"));
const idsOf = (items: readonly unknown[], type: string) =>
  items.filter((item) => typeOf(item) === type).map((item) => textOf(at(item, "call_id")));

const callIdLimit = 64;
const outputLimit = 10_485_760;

export const responseItems: readonly Rule[] = [
  {
    name: "input",
    source: "openai 3.54.0 (PyPI) ResponseInputParam: a text or items",
    find: ({ body }) =>
      listOf(body["input"]).length > 0 || textOf(body["input"]) !== ""
        ? undefined
        : { message: "Missing required parameter: 'input'.", param: "input", code: "missing_required_parameter" },
  },
  {
    name: "call id",
    source: "openai-openapi FunctionToolCall: call_id of 1 to 64",
    find: (request) =>
      firstOf(itemsOf(request), (item, index) => {
        const id = at(item, "call_id");
        if (id === undefined) return undefined;
        const { length } = textOf(id);
        const param = `input[${index}].call_id`;
        if (length > callIdLimit) return tooLong(param, callIdLimit, length);
        if (length > 0) return undefined;
        return {
          message: `Invalid '${param}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
          param,
          code: "empty_string",
        };
      }),
  },
  {
    name: "call name",
    source: "openai-openapi FunctionToolCall; mcp-use/mcp-use#90",
    find: (request) =>
      firstOf(itemsOf(request), (item, index) =>
        typeOf(item) === "function_call" && !new RegExp(toolNamePattern).test(textOf(at(item, "name")))
          ? noMatch(`input[${index}].name`, toolNamePattern)
          : undefined,
      ),
  },
  {
    name: "calls without outputs",
    source: "OpenAI's answer, quoted widely: No tool output found",
    find(request) {
      const outputs = idsOf(itemsOf(request), "function_call_output");
      const open = idsOf(itemsOf(request), "function_call").find((id) => !outputs.includes(id));
      if (open === undefined) return undefined;
      return { message: `No tool output found for function call ${open}.`, param: "input" };
    },
  },
  {
    name: "outputs without calls",
    source: "OpenAI's answer, quoted widely: No tool call found",
    find(request) {
      const calls = idsOf(itemsOf(request), "function_call");
      const lost = idsOf(itemsOf(request), "function_call_output").find((id) => !calls.includes(id));
      if (lost === undefined) return undefined;
      return { message: `No tool call found for function call output with call_id ${lost}.`, param: "input" };
    },
  },
  {
    name: "length of outputs",
    source: "openai-openapi FunctionCallOutputItemParam: at most 10,485,760",
    find: (request) =>
      firstOf(itemsOf(request), (item, index) => {
        const { length } = textOf(at(item, "output"));
        return length > outputLimit ? tooLong(`input[${index}].output`, outputLimit, length) : undefined;
      }),
  },
  {
    name: "reasoning that was not stored",
    source: "openai/openai-agents-python#919",
    find: (request) =>
      firstOf(itemsOf(request), (item) => {
        const sealed = typeof at(item, "encrypted_content") === "string";
        const isReference = typeOf(item) === "item_reference" || (typeOf(item) === "reasoning" && !sealed);
        if (!isObject(item) || !isReference || request.body["store"] !== false) return undefined;
        return {
          message: `Item with id '${textOf(item["id"])}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
          status: 404,
          param: "input",
        };
      }),
  },
  {
    name: "reasoning without what followed",
    source: "vercel/ai#7099",
    find(request) {
      const items = itemsOf(request);
      return firstOf(items, (item, index) => {
        const next = items[index + 1];
        const follows =
          typeOf(next) !== ""
            ? /^(reasoning|function_call|message)$/.test(typeOf(next))
            : at(next, "role") === "assistant";
        if (typeOf(item) !== "reasoning" || follows) return undefined;
        return {
          message: `Item '${textOf(at(item, "id"))}' of type 'reasoning' was provided without its required following item.`,
          param: "input",
        };
      });
    },
  },
];
