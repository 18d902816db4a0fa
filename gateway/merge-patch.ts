// JSON merge patches (RFC 7396), as the API server applies them: null takes a field away, a list is replaced whole.
import { isJsonObject } from "../lib/mcp/json-rpc.ts";

/** A new value; neither argument is changed. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, applyMergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
