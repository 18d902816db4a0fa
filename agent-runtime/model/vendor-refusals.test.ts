// What vendors were seen to answer to what they do not take: a text too long, a limit too high, a parameter. Sources: docs/models.md.
import { describe, expect, test } from "vitest";
import { defined } from "../../lib/process/defined.ts";
import {
  anthropic,
  openAi,
  google,
  bedrock,
  vllm,
  llamaCpp,
  mistral,
  openRouter,
  liteLlm,
} from "./testing/vendor-answers.ts";
import { readAnswer, type Row } from "./testing/vendor-answers.ts";

const overflow: readonly Row[] = [
  [anthropic(400, "prompt is too long: 205668 tokens > 200000 maximum"), "context_overflow"],
  [anthropic(413, "Request exceeds the maximum size", "request_too_large"), "context_overflow"],
  [
    anthropic(
      400,
      "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
    ),
    "context_overflow",
  ],
  [
    openAi(
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.",
      { code: "context_length_exceeded", param: "messages" },
    ),
    "context_overflow",
  ],
  [
    openAi(400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
    "context_overflow",
  ],
  [
    google(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
    ),
    "context_overflow",
  ],
  [bedrock(400, "ValidationException", "Input is too long for requested model."), "context_overflow"],
  [
    bedrock(
      400,
      "ValidationException",
      "The model returned the following errors: prompt is too long: 205668 tokens > 200000 maximum",
    ),
    "context_overflow",
  ],
  [
    vllm(
      "You passed 9000 input tokens and requested 16 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8176 tokens. Please reduce the length of the input prompt.",
    ),
    "context_overflow",
  ],
  [
    llamaCpp(
      400,
      "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it",
      "exceed_context_size_error",
    ),
    "context_overflow",
  ],
  [openAi(400, "the input length exceeds the context length"), "context_overflow"],
  [
    {
      status: 400,
      body: {
        error:
          "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.",
      },
    },
    "context_overflow",
  ],
  [
    mistral(
      400,
      "Prompt contains 40059 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      "3051",
    ),
    "context_overflow",
  ],
  [
    openAi(400, "Please reduce the length of the messages or completion.", { code: "context_length_exceeded" }),
    "context_overflow",
  ],
  [
    openRouter(
      400,
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 42832 tokens (42000 of text input, 832 in the output).",
    ),
    "context_overflow",
  ],
  [
    openAi(400, "The input (90000 tokens) is longer than the model's context length (32768 tokens)."),
    "context_overflow",
  ],
  [
    {
      status: 400,
      body: {
        code: "invalid",
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    },
    "context_overflow",
  ],
  [openAi(400, "Invalid request: Your request exceeded model token limit: 262144"), "context_overflow"],
  [
    {
      status: 422,
      body: {
        error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 9000",
        error_type: "validation",
      },
    },
    "context_overflow",
  ],
  [
    openAi(400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"),
    "context_overflow",
  ],
  [
    liteLlm(400, "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - too much"),
    "context_overflow",
  ],
  [
    openRouter(400, "Provider returned error", '{"error":{"message":"Input is too long for requested model."}}'),
    "context_overflow",
  ],
];

const outputLimit: readonly Row[] = [
  [
    openAi(
      400,
      "max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.",
      { param: "max_tokens", code: "invalid_value" },
    ),
    "unsupported_param",
  ],
  [
    anthropic(
      400,
      "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001",
    ),
    "unsupported_param",
  ],
  [
    google(
      400,
      "INVALID_ARGUMENT",
      "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
    ),
    "unsupported_param",
  ],
  [
    bedrock(
      400,
      "ValidationException",
      "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
    ),
    "unsupported_param",
  ],
  [
    openAi(
      400,
      "`max_completion_tokens` must be less than or equal to `40960`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model",
      { param: "max_completion_tokens" },
    ),
    "unsupported_param",
  ],
  [
    openAi(400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", {
      code: "invalid_request_error",
    }),
    "unsupported_param",
  ],
  [
    vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 2778 input tokens (8000 > 4096 - 2778). (parameter=max_tokens, value=8000)",
    ),
    "unsupported_param",
  ],
  [
    vllm("max_tokens=16384cannot be greater than max_model_len=8192. Please request fewer output tokens."),
    "unsupported_param",
  ],
  [
    {
      status: 422,
      body: {
        error:
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 11 `inputs` tokens and 5000 `max_new_tokens`",
      },
    },
    "unsupported_param",
  ],
  [
    openAi(400, "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]"),
    "unsupported_param",
  ],
  [
    openAi(
      400,
      "The parameter max_tokens specified in the request is not valid: integer above maximum value, expected a value <= 32768, but got 64000 instead.",
      { param: "max_tokens", code: "InvalidParameter" },
    ),
    "unsupported_param",
  ],
];

const parameter: readonly Row[] = [
  [anthropic(400, "`temperature` is deprecated for this model."), "unsupported_param", "temperature"],
  [
    anthropic(
      400,
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    ),
    "unsupported_param",
    "output_config.effort",
  ],
  [
    anthropic(400, "`temperature` and `top_p` cannot both be specified for this model. Please use only one."),
    "unsupported_param",
    "top_p",
  ],
  [
    bedrock(
      400,
      "ValidationException",
      "The model returned the following errors: `temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    ),
    "unsupported_param",
    "top_p",
  ],
  [
    anthropic(400, "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode."),
    "unsupported_param",
    "temperature",
  ],
  [anthropic(400, "This model does not support the effort parameter."), "unsupported_param", "effort"],
  [anthropic(400, "top_k: Extra inputs are not permitted"), "unsupported_param", "top_k"],
  [
    openAi(
      400,
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      { param: "temperature", code: "unsupported_value" },
    ),
    "unsupported_param",
    "temperature",
  ],
  [
    openAi(400, "Unsupported parameter: 'top_p' is not supported with this model.", { param: "top_p" }),
    "unsupported_param",
    "top_p",
  ],
  [
    openAi(
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: "max_tokens", code: "unsupported_parameter" },
    ),
    "unsupported_param",
    "max_tokens",
  ],
  [openAi(400, "Unknown parameter: 'top_k'.", { param: "top_k" }), "unsupported_param", "top_k"],
  [openAi(400, "Unrecognized request argument supplied: stop"), "unsupported_param", "stop"],
  [openAi(400, "property 'top_k' is unsupported"), "unsupported_param", "top_k"],
  [openAi(400, '"gemma" does not support thinking'), "unsupported_param", "thinking"],
  [
    openAi(400, 'invalid reasoning value: "minimal" (must be "high", "medium", "low", "max", or "none")'),
    "unsupported_param",
    "reasoning",
  ],
  [
    {
      status: 422,
      body: { detail: [{ type: "extra_forbidden", loc: ["body", "top_k"], msg: "Extra inputs are not permitted" }] },
    },
    "unsupported_param",
    "top_k",
  ],
  [
    liteLlm(
      400,
      "litellm.UnsupportedParamsError: anthropic does not support parameters: {'top_k': 5}. To drop these, set litellm.drop_params=True",
    ),
    "unsupported_param",
    "top_k",
  ],
  [
    openRouter(
      400,
      "Provider returned error",
      '{"error":{"message":"Unsupported parameter: \'temperature\' is not supported with this model.","param":"temperature"}}',
    ),
    "unsupported_param",
    "temperature",
  ],
];

describe.each(Object.entries({ overflow, outputLimit, parameter }))(
  "AGT-7 AGT-15 %s in vendors' words",
  (_name, rows) => {
    test.each(rows.map(([answer, kind, param]) => [JSON.stringify(answer.body), kind, param, answer] as const))(
      "%s is %s",
      (_text, kind, param, answer) => {
        const error = readAnswer(answer);
        expect(error).toMatchObject({ kind, ...defined({ param }) });
        expect(error.refusal?.what === "output-limit").toBe(rows === outputLimit);
      },
    );
  },
);
