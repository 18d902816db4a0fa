// How tools are named to the model, and which of a server's tools an agent may use. Pure.
import { createHash } from "node:crypto";
import { suggestion } from "../../crds/did-you-mean.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";

/** Reads resources of all servers. No other tool has a name without "__". */
export const readResourceName = "read_resource";
/** How allow and deny name the reading of a server's resources. */
export const resourcesRead = "resources/read";

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

interface ToolRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Named by `allow` (empty means all), and not by `deny`. `*` stands for any characters. */
function passes(tool: string, { allow, deny }: ToolRules): boolean {
  const isNamed = allow.length === 0 || allow.some((pattern) => matchesToolPattern(tool, pattern));
  return isNamed && !deny.some((pattern) => matchesToolPattern(tool, pattern));
}

/** Whether the agent's own rules let `tool` pass, and those of what its server offers, which are about tools only. */
export const isToolAllowed = (tool: string, rules: ToolRules & { readonly offered?: ToolRules }): boolean =>
  passes(tool, rules) && (rules.offered === undefined || tool === resourcesRead || passes(tool, rules.offered));

/** Patterns of `allow` and `deny` that fit none of a server's tools, each with what may be meant. */
export function findUselessPatterns(tools: readonly string[], { allow, deny }: ToolRules): string[] {
  const known = [...tools, resourcesRead];
  return [...new Set([...allow, ...deny])]
    .filter((pattern) => !known.some((tool) => matchesToolPattern(tool, pattern)))
    .map((pattern) => `"${pattern}"${suggestion(pattern, known)}`);
}
