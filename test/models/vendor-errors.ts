// Errors as Anthropic and OpenAI write them, after their public references.
import type { VendorError } from "./script.ts";

export type Vendor = "anthropic" | "openai";

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

/** Status and body of an error. */
export function renderVendorError(vendor: Vendor, error: VendorError): { status: number; body: unknown } {
  const [status, type, message, code] = (vendor === "anthropic" ? anthropic : openai)[error];
  if (vendor === "openai") return { status, body: { error: { message, type, param: null, code: code ?? null } } };
  const details = code === undefined ? {} : { details: { error_code: code } };
  return { status, body: { type: "error", error: { type, message, ...details }, request_id: "req_1" } };
}
