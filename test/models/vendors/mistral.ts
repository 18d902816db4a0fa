// Mistral's chat completions: a strict order of roles, and ids of exactly nine characters.
import { at, firstOf, isObject, listOf, textOf } from "./json.ts";
import { callsOf, messagesOf } from "./openai-chat-messages.ts";
import { schemaType, toolName } from "./compatible.ts";
import type { Fault, Rule, Vendor } from "./rule.ts";
import { countInputTokens } from "./text.ts";

const orderFault = (message: string): Fault => ({ message, type: "invalid_request_message_order", code: "3230" });
const requestFault = (message: string): Fault => ({ message, type: "invalid_request_error", code: "3000" });

const order: Rule = {
  name: "order",
  source: "datapizza-labs/datapizza-ai#98, avante.nvim#2695, charmbracelet/crush#279",
  find(request) {
    const roles = messagesOf(request).map((message) => textOf(at(message, "role")));
    const fault = firstOf(roles, (role, index) => {
      const before = roles[index - 1];
      const calls = callsOf(messagesOf(request)[index - 1], index - 1).length > 0;
      const wrong =
        (role === "user" && before === "tool") ||
        (role === "tool" && before !== "tool" && !(before === "assistant" && calls));
      return wrong ? orderFault(`Unexpected role '${role}' after role '${before ?? "none"}'`) : undefined;
    });
    if (fault !== undefined) return fault;
    const last = messagesOf(request).at(-1);
    const role = textOf(at(last, "role"));
    if (role === "user" || role === "tool" || at(last, "prefix") === true) return undefined;
    return orderFault(
      `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${role || "none"}`,
    );
  },
};

export const mistral: Vendor = {
  render: ({ message, status = 400, type, code, fields }) =>
    status === 422
      ? { status, body: { detail: [{ ...fields, msg: message }] } }
      : { status, body: { object: "error", message, type: type ?? null, param: null, code: code ?? null } },
  rules: [
    {
      name: "unknown field",
      source: "from memory: 422 extra_forbidden",
      unverified: true,
      find({ body }) {
        const unknown = ["top_k", "stream_options", "max_completion_tokens"].find((key) => key in body);
        if (unknown === undefined) return undefined;
        const fields = { type: "extra_forbidden", loc: ["body", unknown] };
        return { message: "Extra inputs are not permitted", status: 422, fields };
      },
    },
    toolName,
    schemaType,
    {
      name: "empty messages",
      source: "from memory",
      unverified: true,
      find: (request) =>
        messagesOf(request).some(
          (message) =>
            at(message, "role") === "assistant" &&
            (at(message, "content") ?? "") === "" &&
            listOf(at(message, "tool_calls")).length === 0,
        )
          ? requestFault("Assistant message must have either content or tool_calls, but not none.")
          : undefined,
    },
    {
      name: "call id",
      source: "karthink/gptel#1203",
      find: (request) =>
        firstOf(messagesOf(request).flatMap(callsOf), ({ id }) =>
          /^[a-zA-Z0-9]{9}$/.test(id)
            ? undefined
            : {
                ...requestFault(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`),
                code: "3280",
              },
        ),
    },
    order,
    {
      name: "calls without results",
      source: "from memory",
      unverified: true,
      find: (request) =>
        firstOf(messagesOf(request), (message, index) => {
          const behind = messagesOf(request).slice(index + 1);
          const end = behind.findIndex((each) => at(each, "role") !== "tool");
          const results = end === -1 ? behind.length : end;
          const calls = callsOf(message, index).length;
          return isObject(message) && calls > 0 && calls !== results
            ? requestFault("Not the same number of function calls and responses")
            : undefined;
        }),
    },
    {
      name: "range of temperature",
      source: "from memory: 0 to 1.5",
      unverified: true,
      find: ({ body }) =>
        typeof body["temperature"] === "number" && body["temperature"] > 1.5
          ? {
              message: "Input should be less than or equal to 1.5",
              status: 422,
              fields: { type: "less_than_equal", loc: ["body", "temperature"] },
            }
          : undefined,
    },
    {
      name: "overflow",
      source: "Mistral's answer; the window is the mock's setting",
      find({ body, contextWindow = Infinity }) {
        const tokens = countInputTokens(body);
        if (tokens <= contextWindow) return undefined;
        return requestFault(
          `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${contextWindow} maximum context length`,
        );
      },
    },
  ],
};
