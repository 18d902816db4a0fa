// Errors as the vendors of the APIs write them, after their public references.
import type { VendorError } from "./script.ts";
import type { Protocol } from "./wire.ts";

export type Vendor = "anthropic" | "openai" | "google" | "bedrock";

export const vendorOf: Readonly<Record<Protocol, Vendor>> = {
  messages: "anthropic",
  chat: "openai",
  responses: "openai",
  generate: "google",
  converse: "bedrock",
};

type Row = readonly [status: number, type: string, message: string, code?: string];

const anthropic: Readonly<Record<VendorError, Row>> = {
  auth: [401, "authentication_error", "invalid x-api-key"],
  not_found: [404, "not_found_error", "model: no-such-model"],
  quota: [429, "rate_limit_error", "You have reached your specified API usage limits.", "spend_limit_reached"],
  rate_limit: [429, "rate_limit_error", "This request would exceed your organization's rate limit."],
  overloaded: [529, "overloaded_error", "Overloaded"],
  context_overflow: [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"],
  invalid_request: [400, "invalid_request_error", "messages: at least one message is required"],
};

const openai: Readonly<Record<VendorError, Row>> = {
  auth: [401, "invalid_request_error", "Incorrect API key provided.", "invalid_api_key"],
  not_found: [404, "invalid_request_error", "The model does not exist.", "model_not_found"],
  quota: [429, "insufficient_quota", "You exceeded your current quota.", "insufficient_quota"],
  rate_limit: [429, "requests", "Rate limit reached for requests.", "rate_limit_exceeded"],
  overloaded: [503, "server_error", "The engine is currently overloaded."],
  context_overflow: [
    400,
    "invalid_request_error",
    "This model's maximum context length is 128000 tokens.",
    "context_length_exceeded",
  ],
  invalid_request: [400, "invalid_request_error", "Invalid value for 'messages'."],
};

const google: Readonly<Record<VendorError, Row>> = {
  auth: [400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
  not_found: [404, "NOT_FOUND", "models/no-such-model is not found for API version v1beta."],
  quota: [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."],
  rate_limit: [429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  overloaded: [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  context_overflow: [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
  ],
  invalid_request: [400, "INVALID_ARGUMENT", "* GenerateContentRequest.contents: contents is not specified"],
};

const bedrock: Readonly<Record<VendorError, Row>> = {
  auth: [403, "AccessDeniedException", "You don't have access to the model with the specified model ID."],
  not_found: [404, "ResourceNotFoundException", "Could not resolve the foundation model from the provided identifier."],
  quota: [400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."],
  rate_limit: [429, "ThrottlingException", "Too many requests, please wait before trying again."],
  overloaded: [503, "ServiceUnavailableException", "The service isn't currently available. Try again later."],
  context_overflow: [400, "ValidationException", "Input is too long for requested model."],
  invalid_request: [400, "ValidationException", "The content field in the Message object at messages.0 is empty."],
};

const rows = { anthropic, openai, google, bedrock };

/** Status, body and headers of an error. */
export function renderVendorError(
  vendor: Vendor,
  error: VendorError,
): { status: number; body: unknown; headers?: Record<string, string> } {
  const [status, type, message, code] = rows[vendor][error];
  if (vendor === "openai") return { status, body: { error: { message, type, param: null, code: code ?? null } } };
  if (vendor === "google") return { status, body: { error: { code: status, message, status: type } } };
  if (vendor === "bedrock") return { status, body: { message }, headers: { "x-amzn-errortype": type } };
  const details = code === undefined ? {} : { details: { error_code: code } };
  return { status, body: { type: "error", error: { type, message, ...details }, request_id: "req_1" } };
}
