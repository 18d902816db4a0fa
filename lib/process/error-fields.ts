// What of an error may be written down: name, message, stack, code, reason, status and causes, nothing else.
// Client libraries hang requests, headers and bodies on their errors; none of that passes. Sizes and depth are bounded.

const maxTextChars = 8_192;
const maxCauseDepth = 5;
const aggregateLimit = 5;
const plainFields = ["code", "reason", "status", "statusCode", "syscall"] as const;

export interface ErrorFields {
  type: string;
  message: string;
  stack?: string;
  cause?: ErrorFields;
  errors?: ErrorFields[];
  [field: string]: unknown;
}

/** Renders an error for a log line. Bearer tokens, URL credentials and key-like query parameters in texts are masked. */
export function renderError(error: Error, depth = 0): ErrorFields {
  const fields: ErrorFields = { type: error.name, message: scrub(error.message) };
  if (typeof error.stack === "string") fields.stack = scrub(error.stack);
  for (const key of plainFields) {
    const value: unknown = Reflect.get(error, key);
    if (typeof value === "number") fields[key] = value;
    else if (typeof value === "string") fields[key] = scrub(value);
  }
  if (depth >= maxCauseDepth) return fields;
  if (error.cause instanceof Error) fields.cause = renderError(error.cause, depth + 1);
  else if (typeof error.cause === "string") fields.cause = { type: "string", message: scrub(error.cause) };
  if (error instanceof AggregateError) {
    const inner = error.errors.filter((each: unknown) => each instanceof Error).slice(0, aggregateLimit);
    fields.errors = inner.map((each) => renderError(each, depth + 1));
  }
  return fields;
}

/** The text, cut, with bearer tokens, URL credentials and key-like query parameters masked. */
export function scrub(text: string): string {
  const cut = text.length > maxTextChars ? `${text.slice(0, maxTextChars)}… (${text.length} characters)` : text;
  return cut
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 [redacted]")
    .replace(/\/\/[^/\s@]+@/g, "//[redacted]@")
    .replace(/([?&](?:api[_-]?key|access_token|token|key|secret|password)=)[^&\s"']+/gi, "$1[redacted]");
}
