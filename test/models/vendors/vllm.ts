// A server of vLLM for one model. What its chat template refuses is the model's own and not modelled here.
import { at, firstOf, listOf, numberOf } from "./json.ts";
import { imagesOf } from "./openai-chat-messages.ts";
import { decodeBase64, readDataUrl, readPicture } from "./images.ts";
import type { Rule, Vendor } from "./rule.ts";
import { countInputTokens, findLoneSurrogate } from "./text.ts";

const outputLimit: Rule = {
  name: "output limit",
  source: "vLLM's renderers/params.py and its older answer",
  find({ body, contextWindow = Infinity }) {
    const tokens = countInputTokens(body);
    const asked = numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]);
    if (asked === undefined || tokens >= contextWindow || asked + tokens <= contextWindow) return undefined;
    const window = `This model's maximum context length is ${contextWindow} tokens and your request has ${tokens} input tokens`;
    return {
      message: `'max_tokens' or 'max_completion_tokens' is too large: ${asked}. ${window} (${asked} > ${contextWindow} - ${tokens}).`,
    };
  },
};

const overflow: Rule = {
  name: "overflow",
  source: "vLLM's renderers/params.py (0.16)",
  find({ body, contextWindow = Infinity }) {
    const tokens = countInputTokens(body);
    if (tokens < contextWindow) return undefined;
    const output = numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]) ?? 1;
    const asked = `You passed ${tokens} input tokens and requested ${output} output tokens.`;
    const window = `However, the model's context length is only ${contextWindow} tokens, resulting in a maximum input length of ${Math.max(0, contextWindow - output)} tokens.`;
    return { message: `${asked} ${window} Please reduce the length of the input prompt.` };
  },
};

export const vllm: Vendor = {
  render: ({ message, status = 400, type = "BadRequestError" }) => ({
    status,
    body: { error: { message, type, param: null, code: status } },
  }),
  rules: [
    {
      name: "lone surrogate",
      source: "Python's tokenizers; from memory",
      unverified: true,
      find: ({ text }) =>
        findLoneSurrogate(text) === undefined
          ? undefined
          : { message: "'utf-8' codec can't encode character: surrogates not allowed" },
    },
    {
      name: "empty tools",
      source: "vLLM's chat_completion/protocol.py",
      find: ({ body }) =>
        Array.isArray(body["tools"]) && body["tools"].length === 0
          ? {
              message:
                "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.",
            }
          : undefined,
    },
    {
      name: "tool choice",
      source: "vLLM's chat_completion/protocol.py; QwenLM/Qwen-Agent#344 (a server without a parser)",
      find({ body, lacks }) {
        const choice = body["tool_choice"];
        const hasTools = listOf(body["tools"]).length > 0;
        if (choice !== undefined && choice !== "none" && !hasTools) {
          return { message: "When using `tool_choice`, `tools` must be set." };
        }
        if (!lacks.includes("tools") || !hasTools || choice === "none") return undefined;
        return { message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' };
      },
    },
    {
      name: "stream options",
      source: "vLLM's chat_completion/protocol.py",
      find: ({ body }) =>
        at(body, "stream_options") !== undefined && body["stream"] !== true
          ? { message: "Stream options can only be defined when `stream=True`." }
          : undefined,
    },
    {
      name: "vision",
      source: "vLLM's answer for a model of text",
      find: (request) =>
        request.lacks.includes("vision") && imagesOf(request).length > 0
          ? { message: `${request.model} is not a multimodal model` }
          : undefined,
    },
    {
      name: "image",
      source: "PIL's answer; from memory",
      unverified: true,
      find: (request) =>
        firstOf(imagesOf(request), ({ url }) => {
          const bytes = decodeBase64(readDataUrl(url)?.data ?? "");
          return bytes !== undefined && readPicture(bytes) !== undefined
            ? undefined
            : { message: "cannot identify image file <_io.BytesIO object>" };
        }),
    },
    outputLimit,
    overflow,
  ],
};
