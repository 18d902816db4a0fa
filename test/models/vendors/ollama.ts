// Ollama's /v1. What is longer than its window it cuts without a word, so that no overflow stands here.
import { at, firstOf, isObject, listOf, objectOf, textOf } from "./json.ts";
import { callsOf, imagesOf, messagesOf } from "./openai-chat-messages.ts";
import { declaredFunctions } from "./openai-tools.ts";
import type { Rule, Vendor, VendorRequest } from "./rule.ts";

const efforts = ["minimal", "low", "medium", "high", "max", "none"];

const capability = (lack: "tools" | "thinking", isAsked: (request: VendorRequest) => boolean): Rule => ({
  name: lack,
  source: "ollama server/images.go",
  find: (request) =>
    request.lacks.includes(lack) && isAsked(request)
      ? { message: `"${request.model}" does not support ${lack}` }
      : undefined,
});

const isWhole = (text: unknown): boolean => {
  try {
    return isObject(JSON.parse(textOf(text)));
  } catch {
    return false; // No JSON, no object.
  }
};

const badImage = (url: string): string | undefined => {
  if (/^https?:/.test(url)) return "image URLs are not currently supported, please use base64 encoded data instead";
  return /^data:(image\/(jpeg|jpg|png|webp))?;base64,/.test(url) ? undefined : "invalid image input";
};

export const ollama: Vendor = {
  render: ({ message, status = 400, type = "invalid_request_error" }) => ({
    status,
    body: { error: { message, type, param: null, code: null } },
  }),
  rules: [
    {
      name: "property schemas",
      source: "ollama api/types.go: a property is an object",
      find: ({ body }) =>
        firstOf(declaredFunctions(body, ".function"), ({ parameters }) =>
          Object.values(objectOf(at(parameters, "properties"))).some((property) => typeof property === "boolean")
            ? {
                message:
                  "json: cannot unmarshal bool into Go struct field ToolFunctionParameters.tools.function.parameters.properties of type api.ToolProperty",
              }
            : undefined,
        ),
    },
    {
      name: "content",
      source: "ollama openai/openai.go: null is legal beside tool calls only",
      find: (request) =>
        messagesOf(request).some(
          (message) => (at(message, "content") ?? null) === null && at(message, "tool_calls") === undefined,
        )
          ? { message: "invalid message content type: <nil>" }
          : undefined,
    },
    {
      name: "arguments",
      source: "ollama openai/openai.go: arguments of a call are one JSON object",
      find: (request) =>
        messagesOf(request)
          .flatMap(callsOf)
          .every(({ argumentsText }) => isWhole(argumentsText))
          ? undefined
          : { message: "invalid tool call arguments" },
    },
    {
      name: "image",
      source: "ollama openai/openai.go: jpeg, jpg, png, webp; no gif, no address",
      find: (request) =>
        firstOf(imagesOf(request), ({ url }) => {
          const message = badImage(url);
          return message === undefined ? undefined : { message };
        }),
    },
    {
      name: "effort",
      source: "ollama openai/openai.go",
      find({ body }) {
        const effort = textOf(body["reasoning_effort"] ?? at(body["reasoning"], "effort"));
        if (effort === "" || efforts.includes(effort)) return undefined;
        const list = efforts.slice(0, -1).map((each) => `"${each}"`);
        return { message: `invalid reasoning value: "${effort}" (must be ${list.join(", ")}, or "none")` };
      },
    },
    capability("tools", ({ body }) => listOf(body["tools"]).length > 0),
    capability("thinking", ({ body }) => /^(?!none$)./.test(textOf(body["reasoning_effort"]))),
    {
      name: "vision",
      source: "wording from memory",
      unverified: true,
      find: (request) =>
        request.lacks.includes("vision") && imagesOf(request).length > 0
          ? { message: `"${request.model}" does not support vision` }
          : undefined,
    },
  ],
};
