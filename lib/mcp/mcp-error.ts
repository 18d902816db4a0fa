/**
 * What can go wrong between us and an MCP server, in six kinds and one human sentence each.
 * Errors of the SDK, of fetch and of deadlines are translated here, so that nobody else needs to know theirs.
 * A server's own words may repeat a token or an argument: they are kept apart from the sentence, out of logs (BRR-4).
 */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";

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

/** The `data` by which our transport says that a stream ended before its result. */
export const streamCut: unique symbol = Symbol("stream cut");

/** Said to servers and models alike when a server asks its client for elicitation, sampling or roots. */
export const refusedInput =
  "which this client never gives (no elicitation, sampling or roots): all that a tool needs must be in its arguments";

/** Text of a server is cut to this many characters. */
const quotedCharacters = 500;
const causeDepth = 8;

/** Translates whatever connecting to `url` or calling it threw. `hasSession` tells a lost session from a wrong URL. */
export function renderMcpError(error: unknown, url: string, hasSession: boolean): McpError {
  const own = findOwn(error);
  if (own !== undefined) {
    return own;
  }
  const where = renderPlace(url);
  if (error instanceof SdkHttpError) {
    return renderHttpError(error, where, hasSession);
  }
  if (error instanceof UnauthorizedError) {
    return new McpError("unauthorized", `${where} wants other credentials; check the Authorization header`, {
      cause: renderCause(error),
    });
  }
  if (error instanceof ProtocolError) {
    const cause = renderCause(error);
    return error.data === streamCut
      ? new McpError("unreachable", `${where} closed the stream before the call's result`, { cause })
      : new McpError("protocol", `${where} answered with error ${error.code}`, {
          cause,
          code: error.code,
          said: error.message,
        });
  }
  const network = findNetworkFault(error);
  if (network !== undefined) {
    return new McpError("unreachable", `${where} cannot be reached: ${network}`, { cause: error });
  }
  if (error instanceof SdkError) {
    return renderSdkError(error, where);
  }
  const said = error instanceof Error ? error.message : String(error);
  return new McpError("protocol", `${where} did not answer as MCP asks`, { cause: renderCause(error), said });
}

/** An error of ours that the SDK passed on, wrapped or not. */
function findOwn(error: unknown): McpError | undefined {
  let current = error;
  for (let depth = 0; depth < causeDepth && current instanceof Error; depth += 1) {
    if (current instanceof McpError) {
      return current;
    }
    current = current.cause;
  }
  return undefined;
}

/** Kind and place of an error of the SDK. Its message and its data quote the server, and so do its causes. */
function renderCause(error: unknown): Error | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  const code = "code" in error && /^(string|number)$/.test(typeof error.code) ? ` ${String(error.code)}` : "";
  const cause = new Error(`${error.name}${code}`);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  cause.stack = [`${cause.name}: ${cause.message}`, ...frames].join("\n");
  return cause;
}

function renderHttpError(error: SdkHttpError, where: string, hasSession: boolean): McpError {
  const { status } = error;
  const cause = renderCause(error);
  if (status === 401 || status === 403) {
    const text = `${where} refused the credentials with HTTP ${status}; check the Authorization header`;
    return new McpError("unauthorized", text, { cause });
  }
  // 404 is what MCP asks for; many servers were written after an example that answers 400 "No valid session ID".
  if (hasSession && (status === 404 || (status === 400 && /session/i.test(String(error.data["text"]))))) {
    return new McpError("session-lost", `${where} no longer knows the session; connect again`, { cause });
  }
  const kind = status !== undefined && status >= 500 ? "unreachable" : "protocol";
  const answered = status === undefined ? "something else than MCP" : `HTTP ${status}`;
  const text = `${where} answered with ${answered}; check that the URL is an MCP endpoint`;
  return new McpError(kind, text, { cause, ...(status === undefined && { said: error.message }) });
}

function renderSdkError(error: SdkError, where: string): McpError {
  const cause = renderCause(error);
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return new McpError("timeout", `${where} did not answer in time`, { cause });
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
      return new McpError("cancelled", `the connection to ${where} has been closed`, { cause });
    case SdkErrorCode.UnsupportedResultType:
      return new McpError("protocol", `${where} asked for more input during the call, ${refusedInput}`, { cause });
    default:
      return new McpError("protocol", `${where} did not answer as MCP asks`, { cause, said: error.message });
  }
}

/** The sentence of the innermost network fault in the chain of causes; undefined when there is none. */
export function findNetworkFault(error: unknown): string | undefined {
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
  if (!URL.canParse(url)) {
    return "the MCP server";
  }
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

function quote(text: string): string {
  return text.length > quotedCharacters ? `${text.slice(0, quotedCharacters)}…` : text;
}
