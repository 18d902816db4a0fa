// How tools are named to the model, and which of a server's tools an agent may use. Pure.
import { createHash } from "node:crypto";

/** Reads resources of all servers. No other tool has a name without "__". */
export const readResourceName = "read_resource";
/** How allow and deny name the reading of a server's resources. */
export const resourcesRead = "resources/read";

/** What all model providers accept as a tool's name; Gemini is strict about the first character. */
const acceptedName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const nameLengthMax = 64;
const hashLength = 8;

/**
 * `{prefix}__{tool}`. Characters that providers refuse become `_`; a name changed that way or over 64 characters is cut and
 * ends in a hash of the whole, so that two tools never share a name by it.
 */
export function renderToolName(prefix: string, tool: string): string {
  const whole = `${prefix}__${tool}`;
  return acceptedName.test(whole) ? whole : renderOtherName(whole, whole);
}

/** For a tool whose name another has: the same name, ending in a hash of whose it is. */
export const renderFreeName = (name: string, server: string, tool: string): string =>
  renderOtherName(name, JSON.stringify([server, tool]));

function renderOtherName(name: string, identity: string): string {
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, hashLength);
  return `${replaceRefused(name).slice(0, nameLengthMax - hashLength - 1)}_${hash}`;
}

const replaceRefused = (name: string) => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").replace(/^(?=[\d-])/, "_");

/** A name that a model wrote. Never the name of a tool if it was none: what is refused is replaced, and what is cut ends in a mark. */
export function renderCalledName(name: string): string {
  if (acceptedName.test(name)) return name;
  return `${replaceRefused(name.slice(0, nameLengthMax)).slice(0, nameLengthMax - 1)}_`;
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
