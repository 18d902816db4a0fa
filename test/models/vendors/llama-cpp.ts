// The server of llama.cpp. Some of its refusals come as 500, and are just as final.
import { at, firstOf, listOf } from "./json.ts";
import { imagesOf, messagesOf } from "./openai-chat-messages.ts";
import { declaredFunctions } from "./openai-tools.ts";
import type { Rule, Vendor } from "./rule.ts";
import { subschemasOf } from "./schemas.ts";
import { countInputTokens } from "./text.ts";

const serverError = (message: string) => ({ message, status: 500, type: "server_error" });

const unparsable =
  "Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\n";

const patterns: Rule = {
  name: "pattern",
  source: "ggml-org/llama.cpp#26930, containers/kubernetes-mcp-server#758; opencodex#2135 (classes, lookaround)",
  find: ({ body }) =>
    firstOf(declaredFunctions(body, ".function"), ({ parameters }) =>
      firstOf([...subschemasOf(parameters)], ({ schema: { pattern } }) => {
        if (typeof pattern !== "string") return undefined;
        if (!pattern.startsWith("^") || !pattern.endsWith("$")) {
          return { message: `${unparsable}Pattern must start with '^' and end with '$'` };
        }
        if (!/\\[dDsSwWbB]|\(\?[=!<]/.test(pattern)) return undefined;
        return { message: "Failed to initialize samplers: failed to parse grammar" };
      }),
    ),
};

const isEmpty = (content: unknown) => content === undefined || content === null;

export const llamaCpp: Vendor = {
  render: ({ message, status = 400, type = "invalid_request_error", fields }) => ({
    status,
    body: { error: { code: status, message, type, ...fields } },
  }),
  rules: [
    {
      name: "tools",
      source: "llama.cpp tools/server/server-common.cpp (started without --jinja)",
      find: ({ body, lacks }) =>
        lacks.includes("tools") && listOf(body["tools"]).length > 0
          ? serverError("tools param requires --jinja flag")
          : undefined,
    },
    patterns,
    {
      name: "empty messages",
      source: "llama.cpp: common/chat.cpp",
      find: (request) =>
        messagesOf(request).some(
          (message) =>
            at(message, "role") === "assistant" &&
            isEmpty(at(message, "content")) &&
            isEmpty(at(message, "tool_calls")),
        )
          ? { message: "Assistant message must contain either 'content' or 'tool_calls'!" }
          : undefined,
    },
    {
      name: "two answers at the end",
      source: "llama.cpp tools/server/server-common.cpp",
      find: (request) =>
        messagesOf(request)
          .slice(-2)
          .filter((message) => at(message, "role") === "assistant").length === 2
          ? { message: "Cannot have 2 or more assistant messages at the end of the list." }
          : undefined,
    },
    {
      name: "vision",
      source: "llama.cpp tools/server/server-common.cpp (no mmproj)",
      find: (request) =>
        request.lacks.includes("vision") && imagesOf(request).length > 0
          ? serverError(
              "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
            )
          : undefined,
    },
    {
      name: "overflow",
      source: "llama.cpp's answer; the window is the mock's setting",
      find({ body, contextWindow = Infinity }) {
        const tokens = countInputTokens(body);
        if (tokens < contextWindow) return undefined;
        return {
          message: `request (${tokens} tokens) exceeds the available context size (${contextWindow} tokens), try increasing it`,
          type: "exceed_context_size_error",
          fields: { n_prompt_tokens: tokens, n_ctx: contextWindow },
        };
      },
    },
  ],
};
