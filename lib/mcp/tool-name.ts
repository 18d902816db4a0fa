// How a tool of a server is named to models: `{prefix}__{tool}`, as far as all providers take it. Pure.
import { createHash } from "node:crypto";

/** What all model providers accept as a tool's name; Gemini is strict about the first character. */
const acceptedName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const maxNameChars = 64;
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
  return `${replaceRefused(name).slice(0, maxNameChars - hashLength - 1)}_${hash}`;
}

const replaceRefused = (name: string) => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").replace(/^(?=[\d-])/, "_");

/** A name that a model wrote. Never the name of a tool if it was none: what is refused is replaced, and what is cut ends in a mark. */
export function renderCalledName(name: string): string {
  if (acceptedName.test(name)) return name;
  return `${replaceRefused(name.slice(0, maxNameChars)).slice(0, maxNameChars - 1)}_`;
}
