// The words that OpenAI has for limits, and its error as JSON. Servers that speak OpenAI's chat borrow both.
import type { Json } from "./json.ts";
import type { Fault, Vendor } from "./rule.ts";

export const tooLong = (param: string, limit: number, length: number): Fault => ({
  message: `Invalid '${param}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`,
  param,
  code: "string_above_max_length",
});

export const tooMany = (param: string, limit: number, length: number): Fault => ({
  message: `Invalid '${param}': array too long. Expected an array with maximum length ${limit}, but got an array with length ${length} instead.`,
  param,
  code: "array_above_max_length",
});

export const noMatch = (param: string, pattern: string): Fault => ({
  message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
  param,
  code: "invalid_value",
});

export const unsupportedParameter = (param: string): Fault => ({
  message: `Unsupported parameter: '${param}' is not supported with this model.`,
  param,
  code: "unsupported_parameter",
});

export const tooLarge = (param: string, limit: number, found: number): Fault => ({
  message: `Invalid '${param}': decimal above maximum value. Expected a value <= ${limit}, but got ${found} instead.`,
  param,
  code: "decimal_above_max_value",
});

export function renderOpenAiError({ message, type, param, code, fields }: Fault): { error: Json } {
  return {
    error: { message, type: type ?? "invalid_request_error", param: param ?? null, code: code ?? null, ...fields },
  };
}

export const renderOpenAi: Vendor["render"] = (fault) => ({
  status: fault.status ?? 400,
  body: renderOpenAiError(fault),
});
