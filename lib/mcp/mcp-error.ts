// What can go wrong between us and an MCP server, in six kinds and one human sentence each.
// It knows no SDK, so that whoever only looks at an error does not load one; sdk-error.ts translates the SDK's.
// A server's own words may repeat a token or an argument: they are kept apart from the sentence, out of logs (BRR-4).

/**
 * - `unreachable`: no usable answer from the server (refused, reset, HTTP 5xx, stream cut before the result)
 * - `timeout`: a deadline of ours passed
 * - `protocol`: the server answered with a JSON-RPC error or with something MCP does not allow
 * - `cancelled`: the caller's signal, or our own close
 * - `unauthorized`: HTTP 401 or 403
 * - `session-lost`: the server no longer knows our session; connect anew
 */
export type McpErrorKind = "unreachable" | "timeout" | "protocol" | "cancelled" | "unauthorized" | "session-lost";

export class McpError extends Error {
  override readonly name = "McpError";
  readonly kind: McpErrorKind;
  /** The JSON-RPC error code, where the server sent one. */
  readonly code: number | undefined;
  /** What the server itself said, for whoever made the call; never for logs. */
  readonly said: string | undefined;

  constructor(kind: McpErrorKind, message: string, options?: ErrorOptions & { code?: number; said?: string }) {
    super(message, options);
    this.kind = kind;
    this.code = options?.code;
    this.said = options?.said === undefined ? undefined : quote(options.said);
  }

  /** The sentence with the server's words. */
  tell(): string {
    return this.said === undefined ? this.message : `${this.message}: ${this.said}`;
  }
}

/** A server answered over HTTP, but nothing that could be the result; the message goes on "answered with …". */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
}

/** The `data` by which our transport says that a stream ended before its result. */
export const streamCut: unique symbol = Symbol("stream cut");

/** Said to servers and models alike when a server asks its client for elicitation, sampling or roots. */
export const refusedInput =
  "which this client never gives (no elicitation, sampling or roots): all that a tool needs must be in its arguments";

/** Text of a server is cut to this many characters. */
const maxQuotedChars = 500;
/** Errors in a chain of causes that are looked at. */
export const causeDepth = 8;

/** The sentence of the innermost network fault in the chain of causes; undefined when there is none. */
export function findNetworkProblem(error: unknown): string | undefined {
  let found: string | undefined;
  let current = error;
  for (let depth = 0; depth < causeDepth && current instanceof Error; depth += 1) {
    const code = "code" in current && typeof current.code === "string" ? current.code : undefined;
    if (
      code !== undefined &&
      /^(E[A-Z]+|EAI_[A-Z]+|UND_ERR_\w+|ERR_(TLS|SSL)\w*|[A-Z_]*CERT\w*|\w+_SIGNATURE)$/.test(code)
    ) {
      found = current.message === "" ? code : current.message;
    } else if (current.message === "fetch failed" || current.message === "terminated") {
      found ??= current.message;
    }
    current = current.cause;
  }
  return found;
}

/** Where an error happened, without query and credentials: both may hold secrets. */
export function renderPlace(url: string): string {
  if (!URL.canParse(url)) return "the MCP server";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function quote(text: string): string {
  return text.length > maxQuotedChars ? `${text.slice(0, maxQuotedChars)}…` : text;
}
