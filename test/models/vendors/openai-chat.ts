// OpenAI's chat completions, and Azure's after them. As of autumn 2026.
import { at, firstOf, listOf, numberOf, textOf } from "./json.ts";
import * as messages from "./openai-chat-messages.ts";
import { renderOpenAi, tooLarge, tooMany, unsupportedParameter } from "./openai-faults.ts";
import { findImageFault } from "./openai-images.ts";
import { canReason, effortOf, outputLimit, refusesEffort, samplers } from "./openai-models.ts";
import { findSchemaFault } from "./openai-schema.ts";
import { openAiToolRules } from "./openai-tools.ts";
import type { Rule, Vendor, VendorRequest } from "./rule.ts";
import { countInputTokens, findLoneSurrogate } from "./text.ts";

const knownFields = new Set(
  `audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
  modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
  stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`.split(/\s+/),
);

export const loneSurrogate: Rule = {
  name: "lone surrogate",
  source: "from memory; Anthropic and Python servers were seen to refuse it",
  unverified: true,
  find: ({ text }) =>
    findLoneSurrogate(text) === undefined
      ? undefined
      : {
          message:
            "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
        },
};

const streamOptions: Rule = {
  name: "stream options",
  source: "openai-openapi: only set this when you set stream: true",
  find: ({ body }) =>
    body["stream_options"] !== undefined && body["stream_options"] !== null && body["stream"] !== true
      ? {
          message: "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
          param: "stream_options",
        }
      : undefined,
};

export const overflow: Rule = {
  name: "overflow",
  source: "OpenAI's own answer, quoted widely; the window is the mock's setting",
  find({ body, contextWindow = Infinity }) {
    const tokens = countInputTokens(body);
    if (tokens <= contextWindow) return undefined;
    return {
      message: `This model's maximum context length is ${contextWindow} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      param: "messages",
      code: "context_length_exceeded",
    };
  },
};

const stopRule: Rule = {
  name: "stop",
  source: "openai-openapi StopConfiguration: up to 4, not with o3 and o4-mini",
  find({ body, model }) {
    if (body["stop"] === undefined || body["stop"] === null) return undefined;
    if (/^(o3|o4-mini)/.test(model)) return unsupportedParameter("stop");
    const { length } = listOf(body["stop"]);
    return length > 4 ? tooMany("stop", 4, length) : undefined;
  },
};

const completionTokens: Rule = {
  name: "name of the output limit",
  source: "ai_automation_suggester#38",
  find({ body, model }) {
    if (numberOf(body["max_tokens"]) === undefined || !/^(o\d|gpt-(?!5-chat)[5-9])/.test(model)) return undefined;
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return { ...unsupportedParameter("max_tokens"), message };
  },
};

/** From memory, unlike the rule itself. */
const refuseSampler = (param: string, { body }: VendorRequest) => ({
  message: `Unsupported value: '${param}' does not support ${String(body[param])} with this model. Only the default (1) value is supported.`,
  param,
  code: "unsupported_value",
});

export const temperatureRange: Rule = {
  name: "range of temperature",
  source: "openai-openapi: 0 to 2; text of BerriAI/litellm",
  find({ body }) {
    const temperature = numberOf(body["temperature"]) ?? 0;
    return temperature > 2 ? tooLarge("temperature", 2, temperature) : undefined;
  },
};

const effort: Rule = {
  name: "effort",
  source: "BerriAI/litellm#34569, danny-avila/LibreChat#14355 (with tools); pydantic-ai profiles/openai.py",
  find(request) {
    const { model, body } = request;
    const asked = effortOf(request);
    const minor = Number(/^gpt-5\.(\d+)/.exec(model)?.[1] ?? 0);
    const reasonsWithTools = minor >= 5 ? asked !== "none" : minor === 4 && asked !== undefined && asked !== "none";
    if (reasonsWithTools && listOf(body["tools"]).length > 0) {
      return {
        message: `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        param: "reasoning_effort",
      };
    }
    if (asked === undefined) return undefined;
    if (/^(gpt-[34]|chatgpt|gpt-5-chat)/.test(model) && !canReason(model)) {
      return { message: "Unrecognized request argument supplied: reasoning_effort" };
    }
    if (!refusesEffort(model, asked)) return undefined;
    return {
      message: `Unsupported value: 'reasoning_effort' does not support '${asked}' with this model.`,
      param: "reasoning_effort",
      code: "unsupported_value",
    };
  },
};

const answerSchema: Rule = {
  name: "answer schema",
  source: "openai-openapi ResponseFormatJsonSchema: name of at most 64; guide to structured outputs",
  find({ body }) {
    const format = at(body["response_format"], "json_schema");
    if (format === undefined) return undefined;
    const name = textOf(at(format, "name"));
    const fault = findSchemaFault(at(format, "schema"), at(format, "strict") === true);
    if (fault === undefined) return undefined;
    return { message: `Invalid schema for response_format '${name}': ${fault}`, param: "response_format" };
  },
};

export const openAiChat: Vendor = {
  render: renderOpenAi,
  rules: [
    loneSurrogate,
    {
      name: "unknown field",
      source: "openai 3.54.0 (PyPI) CompletionCreateParams; OpenAI's answer, quoted widely",
      find({ body }) {
        const unknown = Object.keys(body).find((key) => !knownFields.has(key));
        return unknown === undefined ? undefined : { message: `Unrecognized request argument supplied: ${unknown}` };
      },
    },
    {
      name: "parallel calls without tools",
      source: "from memory",
      unverified: true,
      find: ({ body }) =>
        body["parallel_tool_calls"] !== undefined && listOf(body["tools"]).length === 0
          ? {
              message:
                "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
              param: "parallel_tool_calls",
            }
          : undefined,
    },
    ...openAiToolRules({ inner: ".function", nameLimit: 64, descriptionLimit: 1024 }),
    answerSchema,
    messages.noMessages,
    messages.callIdLength,
    messages.callNames,
    messages.unansweredCalls,
    messages.resultsWithoutCalls,
    messages.textsInResults,
    {
      name: "vision",
      source: "OpenAI's answer for a model of text, quoted widely",
      find: (request) =>
        request.lacks.includes("vision") && messages.imagesOf(request).length > 0
          ? { message: "Invalid content type. image_url is only supported by certain models.", param: "messages" }
          : undefined,
    },
    {
      name: "image",
      source: "STranslate#277 (invalid_image_format)",
      find: (request) => firstOf(messages.imagesOf(request), ({ url, path }) => findImageFault(url, path)),
    },
    completionTokens,
    outputLimit((body) => (body["max_completion_tokens"] === undefined ? "max_tokens" : "max_completion_tokens")),
    effort,
    samplers(refuseSampler),
    temperatureRange,
    stopRule,
    streamOptions,
    overflow,
  ],
};
