// How tools are named to the model, and which of a server's tools an agent may use. Pure.
import { createHash } from "node:crypto";

/** What model providers accept as a tool's name. */
const nameLengthMax = 64;
const hashLength = 8;

/**
 * `{prefix}__{tool}`. Characters that providers refuse become `_`; a name changed that way or over 64 characters is cut and
 * ends in a hash of the whole, so that two tools never share a name by it.
 */
export function renderToolName(prefix: string, tool: string): string {
  const whole = `${prefix}__${tool}`;
  const accepted = whole.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  if (accepted === whole && whole.length <= nameLengthMax) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, hashLength);
  return `${accepted.slice(0, nameLengthMax - hashLength - 1)}_${hash}`;
}

/** Whether `tool` passes: named by `allow` (empty means all), and not by `deny`. `*` stands for any characters. */
export function isToolAllowed(tool: string, rules: { allow: readonly string[]; deny: readonly string[] }): boolean {
  const allowed = rules.allow.length === 0 || rules.allow.some((pattern) => matchesWildcard(tool, pattern));
  return allowed && !rules.deny.some((pattern) => matchesWildcard(tool, pattern));
}

/** Looks for the parts between the stars one after the other: linear, whatever the pattern. */
function matchesWildcard(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
