// Answers of vendors in their own shapes, for the tables of what they were seen to say; and how the runtime reads one.
import { toModelError } from "../errors.ts";
import type { ModelErrorKind } from "../types.ts";

export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** `param`: the one that is then left out. */
export type Row = readonly [answer: Answer, kind: ModelErrorKind, param?: string];

export const readAnswer = ({ status, body, headers = {} }: Answer) =>
  toModelError(
    {
      name: "AI_APICallError",
      statusCode: status,
      responseBody: typeof body === "string" ? body : JSON.stringify(body),
      responseHeaders: headers,
    },
    { provider: "p", model: "m", cure: "check the key", secrets: [], nowMs: 0 },
  );

export const anthropic = (status: number, message: string, type = "invalid_request_error"): Answer => ({
  status,
  body: { type: "error", error: { type, message }, request_id: "req_1" },
});
export const openAi = (status: number, message: string, fields: Record<string, unknown> = {}): Answer => ({
  status,
  body: { error: { message, type: "invalid_request_error", param: null, code: null, ...fields } },
});
export const google = (code: number, status: string, message: string, details?: unknown[]): Answer => ({
  status: code,
  body: [{ error: { code, message, status, ...(details && { details }) } }],
});
export const bedrock = (status: number, type: string, message: string): Answer => ({
  status,
  body: { message },
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
});
export const vllm = (message: string, status = 400): Answer => ({
  status,
  body: { error: { message, type: "BadRequestError", param: null, code: status } },
});
export const llamaCpp = (status: number, message: string, type: string): Answer => ({
  status,
  body: { error: { code: status, message, type } },
});
export const mistral = (status: number, message: string, code: string): Answer => ({
  status,
  body: { object: "error", message, type: "invalid_request_error", param: null, code },
});
export const openRouter = (status: number, message: string, raw?: string): Answer => ({
  status,
  body: { error: { message, code: status, ...(raw && { metadata: { raw, provider_name: "x" } }) }, user_id: "u" },
});
export const liteLlm = (status: number, message: string): Answer => ({
  status,
  body: { error: { message, type: "None", param: "None", code: String(status) } },
});
