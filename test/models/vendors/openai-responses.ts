// OpenAI's responses, without storing. A conversation that is too long is refused inside the stream. As of autumn 2026.
import { renderEvent } from "../answer-parts.ts";
import { at, firstOf, listOf, numberOf, textOf } from "./json.ts";
import { loneSurrogate, temperatureRange } from "./openai-chat.ts";
import { renderOpenAi, renderOpenAiError, tooLong, unsupportedParameter } from "./openai-faults.ts";
import { findImageFault } from "./openai-images.ts";
import { canReason, effortOf, outputLimit, refusesEffort, samplers } from "./openai-models.ts";
import { responseItems } from "./openai-response-items.ts";
import { findSchemaFault } from "./openai-schema.ts";
import { openAiToolRules } from "./openai-tools.ts";
import type { Rule, Vendor } from "./rule.ts";
import { countInputTokens } from "./text.ts";

const knownFields = new Set(
  `background background_options context_management conversation include input instructions max_output_tokens
  max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key
  prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
  temperature text tool_choice tools top_logprobs top_p truncation user`.split(/\s+/),
);

const unknownField: Rule = {
  name: "unknown field",
  source: "openai 3.54.0 (PyPI) ResponseCreateParams; OpenAI's answer, quoted widely",
  find({ body }) {
    const unknown = Object.keys(body).find((key) => !knownFields.has(key));
    if (unknown === undefined) return undefined;
    return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: "unknown_parameter" };
  },
};

const imageUrlLimit = 20_971_520;

const image: Rule = {
  name: "image",
  source: "openai-openapi InputImageContent: image_url of at most 20,971,520; STranslate#277",
  find: ({ body }) =>
    firstOf(listOf(body["input"]), (item, index) =>
      firstOf([...listOf(at(item, "content")), ...listOf(at(item, "output"))], (part, position) => {
        if (at(part, "type") !== "input_image") return undefined;
        const url = textOf(at(part, "image_url"));
        const param = `input[${index}].content[${position}].image_url`;
        return url.length > imageUrlLimit ? tooLong(param, imageUrlLimit, url.length) : findImageFault(url, param);
      }),
    ),
};

const smallestOutput: Rule = {
  name: "smallest output limit",
  source: "openai-openapi: minimum 16; text from memory",
  find({ body }) {
    const asked = numberOf(body["max_output_tokens"]) ?? 16;
    if (asked >= 16) return undefined;
    return {
      message: `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${asked} instead.`,
      param: "max_output_tokens",
      code: "integer_below_min_value",
    };
  },
};

const effort: Rule = {
  name: "effort",
  source: "pydantic-ai profiles/openai.py (live, July 2026)",
  find(request) {
    const asked = effortOf(request);
    if (asked === undefined) return undefined;
    if (/^(gpt-[34]|chatgpt|gpt-5-chat)/.test(request.model) && !canReason(request.model)) {
      return unsupportedParameter("reasoning.effort");
    }
    if (!refusesEffort(request.model, asked)) return undefined;
    return {
      message: `Unsupported value: '${asked}' is not supported with the '${request.model}' model.`,
      param: "reasoning.effort",
      code: "unsupported_value",
    };
  },
};

const answerSchema: Rule = {
  name: "answer schema",
  source: "openai-openapi TextResponseFormatJsonSchema; guide to structured outputs",
  find({ body }) {
    const format = at(body["text"], "format");
    if (at(format, "type") !== "json_schema") return undefined;
    const fault = findSchemaFault(at(format, "schema"), at(format, "strict") === true);
    if (fault === undefined) return undefined;
    const name = textOf(at(format, "name"));
    const message = `Invalid schema for response_format '${name}': ${fault}`;
    return { message, param: "text.format.schema", code: "invalid_json_schema" };
  },
};

const overflow: Rule = {
  name: "overflow",
  source: "dyad-sh/dyad#1672, openai/codex#2921; the window is the mock's setting",
  find({ body, contextWindow = Infinity }) {
    if (countInputTokens(body) <= contextWindow) return undefined;
    return {
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
      param: "input",
      code: "context_length_exceeded",
      inStream: true,
    };
  },
};

export const openAiResponses: Vendor = {
  render(fault, call) {
    const { model, streamed } = call;
    if (fault.inStream !== true || !streamed) return renderOpenAi(fault, call);
    const response = { id: "resp_1", object: "response", created_at: 1, model, status: "in_progress", output: [] };
    const events = [
      { type: "response.created", response },
      { type: "response.in_progress", response },
      { type: "error", ...renderOpenAiError(fault) },
    ];
    const frames = events.map((event, index) => renderEvent(event.type, { ...event, sequence_number: index }));
    return { status: 200, body: undefined, frames };
  },
  rules: [
    loneSurrogate,
    unknownField,
    ...openAiToolRules({ inner: "", nameLimit: 128 }),
    answerSchema,
    ...responseItems,
    image,
    smallestOutput,
    outputLimit(() => "max_output_tokens"),
    effort,
    samplers((param) => unsupportedParameter(param)),
    temperatureRange,
    overflow,
  ],
};
