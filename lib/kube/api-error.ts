// The ways a call to the API server fails: it answered with an error (`ApiError`), it did not answer
// (`TransportError`), or it was not made (`CallRefused`). Reads the server's Status objects; decides nothing about retries.

export interface ApiErrorFields {
  readonly status: number;
  /** The machine-readable reason of the Status object, such as `NotFound`, `Conflict`, `Expired`. */
  readonly reason: string;
  readonly message: string;
  readonly details?: unknown;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly reason: string;
  readonly details: unknown;
  readonly retryAfterMs: number | undefined;

  constructor(fields: ApiErrorFields) {
    super(fields.message);
    this.status = fields.status;
    this.reason = fields.reason;
    this.details = fields.details;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** No usable answer: refused, reset, timed out, or not the protocol. `timedOut` tells a deadline from the rest. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly timedOut: boolean;

  constructor(message: string, options: { readonly cause: unknown; readonly timedOut?: boolean }) {
    super(message, { cause: options.cause });
    this.timedOut = options.timedOut ?? false;
  }
}

/** The call's `mayStart` said no: not a byte of this try was sent. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Someone else changed, replaced or made the object first. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** The object as it would become breaks a rule of its kind. */
export function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422;
}

/** Nothing new is made in a namespace that is being deleted; and that it never ceases to be. */
export function isNamespaceTerminating(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 403) return false;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field is checked where it is read
  const { causes } = (error.details ?? {}) as { causes?: unknown };
  return Array.isArray(causes) && causes.some((cause: unknown) => Object(cause).reason === "NamespaceTerminating");
}

/** The resourceVersion (or the page token) is too old: only a new list helps. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

/** Longest part of an answer that is not a Status object to be quoted in a message. */
const maxQuoteChars = 300;

/** Makes the error of an HTTP answer; `text` may be anything, since proxies answer too. */
export function parseErrorResponse(context: string, status: number, text: string, retryAfter?: string): ApiError {
  const retryAfterMs = parseRetryAfterMs(retryAfter);
  const parsed = parseStatus(tryJson(text));
  if (parsed === undefined) {
    const quote = text.trim().slice(0, maxQuoteChars);
    return new ApiError({
      status,
      reason: "Unknown",
      message: `${context}: HTTP ${status} ${quote}`.trim(),
      retryAfterMs,
    });
  }
  return new ApiError({
    status,
    reason: parsed.reason,
    message: `${context}: ${parsed.message} (HTTP ${status} ${parsed.reason})`,
    details: parsed.details,
    retryAfterMs: retryAfterMs ?? parsed.retryAfterMs,
  });
}

/** Makes the error of a Status object that came inside a watch. */
export function parseErrorObject(context: string, value: unknown): ApiError {
  const parsed = parseStatus(value);
  if (parsed === undefined) {
    return new ApiError({
      status: 500,
      reason: "Unknown",
      message: `${context}: an ERROR event without a Status object`,
    });
  }
  return new ApiError({ ...parsed, message: `${context}: ${parsed.message} (${parsed.status} ${parsed.reason})` });
}

function parseStatus(value: unknown): ApiErrorFields | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const status = value as { kind?: unknown; code?: unknown; reason?: unknown; message?: unknown; details?: unknown };
  if (status.kind !== "Status") return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field is checked where it is read
  const details = status.details as { retryAfterSeconds?: unknown } | null | undefined;
  const seconds = details?.retryAfterSeconds;
  return {
    status: typeof status.code === "number" ? status.code : 500,
    reason: typeof status.reason === "string" && status.reason !== "" ? status.reason : "Unknown",
    message: typeof status.message === "string" ? status.message : "the server gave no message",
    details,
    retryAfterMs: typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined,
  };
}

function parseRetryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,6}$/.test(header.trim())) return undefined;
  return Number(header) * 1000;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON is an expected case here; the text itself is quoted instead.
  }
}
