// Which requests are of the 2025 era beyond doubt, seen without the SDK of either: a program whose callers all speak one era
// never loads the other's, and saves its memory. Whatever may be of the 2026 era is that SDK's to judge.
import { isJsonObject } from "./json-rpc.ts";
import { versionsOf2025Era } from "./protocol-versions.ts";

/** Opens a stream of changes in the 2026 era. */
export const listenMethod = "subscriptions/listen";
/** In `params._meta`, what a request of the 2026 era states its version by; so do all keys that the protocol reserves begin. */
export const versionKeyOf2026 = "io.modelcontextprotocol/protocolVersion";
const reserved = versionKeyOf2026.slice(0, versionKeyOf2026.indexOf("/") + 1);

/**
 * @param message the parsed body of a POST, undefined for every other method: the 2026 era knows only POST
 * @returns false also where it cannot be told from here
 */
export function isSurely2025(request: Request, message: Record<string, unknown> | undefined): boolean {
  if (message === undefined) return request.method !== "POST";
  const version = request.headers.get("mcp-protocol-version");
  if (version !== null && !versionsOf2025Era.includes(version)) return false;
  const { jsonrpc, method, id, params } = message;
  if (jsonrpc !== "2.0" || typeof method !== "string" || !(id === undefined || isToken(id))) return false;
  if (params === undefined) return true;
  return isJsonObject(params) && isOrdinary(params["_meta"]);
}

const isToken = (value: unknown): boolean => typeof value === "string" || Number.isInteger(value);

/** No more of the protocol's own in it than a token for progress. */
function isOrdinary(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isJsonObject(meta) || Object.keys(meta).some((key) => key.startsWith(reserved))) return false;
  return !("progressToken" in meta) || isToken(meta["progressToken"]);
}
