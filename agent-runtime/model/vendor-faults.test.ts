// What vendors were seen to answer, in their own shapes and words, where the request itself was fine; and what no rule can mend.
// Sources: docs/models.md.
import { describe, expect, test } from "vitest";
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

const googleType = "type.googleapis.com/google.rpc.";
const quotaText =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, " +
  "head to: https://ai.google.dev/gemini-api/docs/rate-limits. * Quota exceeded for metric: requests, limit: 10";
const perMinute = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier";
const perDay = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
const quotaDetails = (...quotaIds: string[]) => [
  { "@type": `${googleType}QuotaFailure`, violations: quotaIds.map((quotaId) => ({ quotaId, quotaValue: "10" })) },
  { "@type": `${googleType}Help`, links: [{ description: "Learn more", url: "https://ai.google.dev" }] },
  { "@type": `${googleType}RetryInfo`, retryDelay: "34.074824224s" },
];

const auth: readonly Row[] = [
  [openAi(401, "Incorrect API key provided: sk-x.", { code: "invalid_api_key" }), "auth"],
  [anthropic(401, "invalid x-api-key", "authentication_error"), "auth"],
  [anthropic(403, "Your API key does not have permission.", "permission_error"), "auth"],
  [google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "auth"],
  [google(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key."), "auth"],
  [google(400, "INVALID_ARGUMENT", "no", [{ "@type": `${googleType}ErrorInfo`, reason: "API_KEY_INVALID" }]), "auth"],
  [google(403, "PERMISSION_DENIED", "Your project has been denied access."), "auth"],
  [bedrock(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."), "auth"],
  [bedrock(403, "UnrecognizedClientException", "The security token included in the request is invalid."), "auth"],
  [mistral(401, "Unauthorized", "1"), "auth"],
  [
    { status: 400, body: { code: "Client specified an invalid argument", error: "Incorrect API key provided: x." } },
    "auth",
  ],
  [liteLlm(401, "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key"), "auth"],
];

const notFound: readonly Row[] = [
  [anthropic(404, "model: claude-x", "not_found_error"), "not_found"],
  [openAi(404, "The API deployment for this resource does not exist.", { code: "DeploymentNotFound" }), "not_found"],
  [bedrock(404, "ResourceNotFoundException", "Could not resolve the foundation model."), "not_found"],
  [openRouter(404, "No endpoints found that support tool use"), "not_found"],
  [openAi(400, "The requested model 'x' is not supported by any provider you have enabled."), "not_found"],
];

const quota: readonly Row[] = [
  [
    openAi(429, "You exceeded your current quota.", { type: "insufficient_quota", code: "insufficient_quota" }),
    "quota",
  ],
  [anthropic(400, "Your credit balance is too low to access the Anthropic API."), "quota"],
  [anthropic(402, "billing", "billing_error"), "quota"],
  [google(429, "RESOURCE_EXHAUSTED", quotaText), "quota"],
  [google(429, "RESOURCE_EXHAUSTED", quotaText, quotaDetails(perDay)), "quota"],
  [google(429, "RESOURCE_EXHAUSTED", quotaText, quotaDetails(perDay, perMinute)), "quota"],
  [bedrock(400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."), "quota"],
  [openAi(402, "Insufficient Balance"), "quota"],
  [openRouter(402, "Insufficient credits."), "quota"],
  [openAi(429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389."), "quota"],
  [
    openAi(413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 14368", {
      type: "tokens",
      code: "rate_limit_exceeded",
    }),
    "quota",
  ],
  [
    openRouter(
      402,
      "This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 3919.",
    ),
    "quota",
  ],
];

const rate: readonly Row[] = [
  [openAi(429, "Rate limit reached for requests", { type: "requests", code: "rate_limit_exceeded" }), "rate_limit"],
  [anthropic(429, "This request would exceed your organization's rate limit.", "rate_limit_error"), "rate_limit"],
  [google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."), "rate_limit"],
  [google(429, "RESOURCE_EXHAUSTED", quotaText, quotaDetails(perMinute)), "rate_limit"],
  [bedrock(429, "ThrottlingException", "Too many tokens, please wait before trying again."), "rate_limit"],
  [mistral(429, "Service tier capacity exceeded for this model.", "3505"), "rate_limit"],
  [openRouter(429, "Provider returned error", "x is temporarily rate-limited upstream."), "rate_limit"],
];

const overloaded: readonly Row[] = [
  [anthropic(529, "Overloaded", "overloaded_error"), "overloaded"],
  [google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), "overloaded"],
  [openAi(503, "The engine is currently overloaded.", { type: "server_error" }), "overloaded"],
  [bedrock(429, "ModelNotReadyException", "The model is not ready to serve inference requests."), "overloaded"],
  [bedrock(424, "ModelErrorException", "The model encountered an unexpected error."), "overloaded"],
  [llamaCpp(503, "Loading model", "unavailable_error"), "overloaded"],
  [
    openAi(503, "server busy, please try again.  maximum pending requests exceeded", { type: "api_error" }),
    "overloaded",
  ],
  // The model's call was wrong, not the request: the next one may be right.
  [
    openAi(400, "Failed to call a function. See 'failed_generation' for more details.", { code: "tool_use_failed" }),
    "overloaded",
  ],
  [
    openAi(400, "tool call validation failed: parameters for tool weather did not match schema", {
      code: "tool_use_failed",
    }),
    "overloaded",
  ],
];

/** None of what was sent can be mended by rule. */
const other: readonly Row[] = [
  [anthropic(400, "messages: text content blocks must be non-empty"), "invalid_request"],
  [anthropic(400, "max_tokens: Field required"), "invalid_request"],
  [anthropic(400, "temperature: Input should be less than or equal to 1"), "invalid_request"],
  [
    openAi(400, "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 200 instead.", {
      code: "decimal_above_max_value",
    }),
    "invalid_request",
  ],
  [
    openAi(400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
      code: "content_filter",
      param: "prompt",
    }),
    "invalid_request",
  ],
  [google(400, "INVALID_ARGUMENT", "Unable to process input image."), "invalid_request"],
  [openAi(400, '"m" does not support tools'), "invalid_request"],
  [vllm('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'), "invalid_request"],
  [llamaCpp(500, "tools param requires --jinja flag", "server_error"), "invalid_request"],
  [
    llamaCpp(
      500,
      "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
      "server_error",
    ),
    "invalid_request",
  ],
];

describe.each(Object.entries({ auth, notFound, quota, rate, overloaded, other }))(
  "AGT-7 AGT-15 %s in vendors' words",
  (_name, rows) => {
    test.each(rows.map(([answer, kind]) => [JSON.stringify(answer.body), kind, answer] as const))(
      "%s is %s",
      (_text, kind, answer) => {
        const error = readAnswer(answer);
        expect(error.kind).toBe(kind);
        expect(error.refusal?.what === "output-limit").toBe(error.message.includes("no request of this size"));
      },
    );
  },
);
