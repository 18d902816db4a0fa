// Groq's chat completions. It counts max_tokens against the tokens of a minute before it begins.
import { firstOf, listOf, numberOf, textOf } from "./json.ts";
import { findImageFault } from "./openai-images.ts";
import * as messages from "./openai-chat-messages.ts";
import { renderOpenAi, tooMany } from "./openai-faults.ts";
import { openAiToolRules } from "./openai-tools.ts";
import { refuseReasoning } from "./reasoning-replay.ts";
import type { Rule, Vendor } from "./rule.ts";
import { countInputTokens } from "./text.ts";

const knownFields = new Set(
  `citation_options compound_custom disable_tool_validation documents exclude_domains frequency_penalty function_call
  functions include_domains include_reasoning logit_bias logprobs max_completion_tokens max_tokens messages metadata model
  n parallel_tool_calls presence_penalty reasoning_effort reasoning_format response_format search_settings seed
  service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user`.split(/\s+/),
);

const imageLimit = 5;

const effort: Rule = {
  name: "effort",
  source: "pydantic-ai profiles/groq.py: gpt-oss low, medium, high; qwen3 none, default; wording from memory",
  find({ body, model }) {
    const asked = textOf(body["reasoning_effort"]);
    if (asked === "") return undefined;
    const known = /gpt-oss/.test(model) ? ["low", "medium", "high"] : /qwen3/.test(model) ? ["none", "default"] : [];
    if (known.includes(asked)) return undefined;
    const rule =
      known.length === 0
        ? "reasoning_effort is not supported with this model"
        : `reasoning_effort must be one of ${known.map((each) => `\`${each}\``).join(", ")}`;
    return { message: rule, param: "reasoning_effort" };
  },
};

const outputLimit: Rule = {
  name: "output limit",
  source: "free-claude-code#955",
  find({ body, maxOutputTokens = Infinity }) {
    const asked = numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]) ?? 0;
    const param = body["max_completion_tokens"] === undefined ? "max_tokens" : "max_completion_tokens";
    if (asked <= maxOutputTokens) return undefined;
    return {
      message: `\`${param}\` must be less than or equal to \`${maxOutputTokens}\`, the maximum value for \`${param}\` is less than the \`context_window\` for this model`,
      param,
    };
  },
};

const minute: Rule = {
  name: "tokens per minute",
  source: "koassistant#106: 413, and max_tokens counts; the limit is the mock's setting",
  find({ body, model, tokensPerMinute = Infinity }) {
    const asked = numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]) ?? 0;
    const tokens = countInputTokens(body) + asked;
    if (tokens <= tokensPerMinute) return undefined;
    return {
      status: 413,
      message: `Request too large for model \`${model}\` in organization \`org_1\` service tier \`on_demand\` on tokens per minute (TPM): Limit ${tokensPerMinute}, Requested ${tokens}, please reduce your message size and try again.`,
      type: "tokens",
      code: "rate_limit_exceeded",
    };
  },
};

export const groq: Vendor = {
  render: renderOpenAi,
  rules: [
    {
      name: "unknown field",
      source: "groq 1.7.0 (PyPI) CompletionCreateParams; Groq's answer, quoted widely",
      find({ body }) {
        const unknown = Object.keys(body).find((key) => !knownFields.has(key));
        return unknown === undefined ? undefined : { message: `property '${unknown}' is unsupported` };
      },
    },
    ...openAiToolRules({ inner: ".function", nameLimit: 64 }),
    messages.noMessages,
    messages.unansweredCalls,
    messages.resultsWithoutCalls,
    refuseReasoning("janhq/jan#8136, req_llm#772", /(?:)/, (index) => {
      const path = `'messages.${index}'`;
      const property = `${path} : property 'reasoning_content' is unsupported`;
      return { message: `${path} : for 'role:assistant' the following must be satisfied[(${property})]` };
    }),
    {
      name: "image count",
      source: "earendil-works/pi#120 (measured, December 2025): 5 a request; wording from memory",
      find: (request) =>
        messages.imagesOf(request).length > imageLimit
          ? { message: `Too many images provided. This model supports up to ${imageLimit} images` }
          : undefined,
    },
    {
      name: "image",
      source: "as OpenAI: jpeg, png, webp, gif",
      find: (request) => firstOf(messages.imagesOf(request), ({ url, path }) => findImageFault(url, path)),
    },
    effort,
    {
      name: "stop",
      source: "groq 1.7.0 (PyPI) CompletionCreateParams: up to 4",
      find: ({ body }) =>
        listOf(body["stop"]).length > 4 ? tooMany("stop", 4, listOf(body["stop"]).length) : undefined,
    },
    outputLimit,
    minute,
    {
      name: "overflow",
      source: "Groq's answer; the window is the mock's setting",
      find: ({ body, contextWindow = Infinity }) =>
        countInputTokens(body) > contextWindow
          ? {
              message: "Please reduce the length of the messages or completion.",
              param: "messages",
              code: "context_length_exceeded",
            }
          : undefined,
    },
  ],
};
