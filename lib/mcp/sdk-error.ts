// Translates what the SDK, fetch and deadlines throw into McpError, so that nobody else needs to know theirs.
import type { CallDeadline } from "./call-deadline.ts";
import { isJsonObject } from "./json-rpc.ts";
import { isReservedCode } from "./policy-error.ts";
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import {
  AnswerError,
  causeDepth,
  findNetworkProblem,
  McpError,
  refusedInput,
  renderPlace,
  streamCut,
} from "./mcp-error.ts";
import { NoRoomError, ResponseLimitError } from "../outgoing/response-limit.ts";

/** Translates whatever connecting to `url` or calling it threw. `hasSession` tells a lost session from a wrong URL. */
function renderMcpError(error: unknown, url: string, hasSession: boolean): McpError {
  const own = findCause(error, McpError);
  if (own !== undefined) return own;
  const where = renderPlace(url);
  const answered = findCause(error, AnswerError);
  if (answered !== undefined) {
    const text = `${where} answered with ${answered.message}; check that the URL is an MCP endpoint`;
    return new McpError("protocol", text, { cause: renderCause(answered) });
  }
  const excess = findCause(error instanceof ProtocolError ? error.data : error, ResponseLimitError);
  if (excess instanceof NoRoomError) {
    return new McpError("protocol", `the answer of ${where} ${excess.message}`, { cause: excess });
  }
  if (excess !== undefined) {
    return new McpError("protocol", `${where} answered with too much: ${excess.message}`, { cause: excess });
  }
  if (error instanceof SdkHttpError) return renderHttpError(error, where, hasSession);
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
          said: readWords(error),
        });
  }
  const network = findNetworkProblem(error);
  if (network !== undefined) {
    return new McpError("unreachable", `${where} cannot be reached: ${network}`, { cause: error });
  }
  if (error instanceof SdkError) return renderSdkError(error, where);
  const said = error instanceof Error ? error.message : String(error);
  return new McpError("protocol", `${where} did not answer as MCP asks`, { cause: renderCause(error), said });
}

/** A refusal by policy says why beside its message (MGM-5). */
function readWords({ code, message, data }: ProtocolError): string {
  const reason = isReservedCode(code) && isJsonObject(data) ? data["reason"] : undefined;
  return typeof reason === "string" ? `${message}: ${reason}` : message;
}

/** An error of ours that the SDK passed on, wrapped or not. */
function findCause<Found extends Error>(
  error: unknown,
  kind: abstract new (...args: never[]) => Found,
): Found | undefined {
  let current = error;
  for (let depth = 0; depth < causeDepth && current instanceof Error; depth += 1) {
    if (current instanceof kind) return current;
    current = current.cause;
  }
  return undefined;
}

/** Kind and place of an error of the SDK. Its message and its data quote the server, and so do its causes (LOG-3). */
export function renderCause(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
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

/** The same of one call, or of connecting: what ended it early says more than what was thrown. */
export function renderFailure(
  error: unknown,
  url: string,
  hasSession: boolean,
  deadline: CallDeadline,
  timeoutMs: number,
): McpError {
  const cause = renderCause(error);
  switch (deadline.expired()) {
    case "cancelled":
      return new McpError("cancelled", `the call to ${renderPlace(url)} was cancelled by its caller`, { cause });
    case "idle":
      return new McpError("timeout", `${renderPlace(url)} was silent for ${timeoutMs} ms`, { cause });
    case "total":
      return new McpError("timeout", `${renderPlace(url)} had no result after ${timeoutMs} ms`, { cause });
    default:
      return renderMcpError(error, url, hasSession);
  }
}
