// Which of a server's tools an agent may use, and tools that are no server's. Pure.
import { suggestion } from "../../crds/did-you-mean.ts";
import { matchesToolPattern } from "../../crds/tool-pattern.ts";

/** Reads resources of all servers. No other tool has a name without "__". */
export const readResourceName = "read_resource";
/** How allow and deny name the reading of a server's resources. */
export const resourcesRead = "resources/read";

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
