// A rule for one tool, as a beginning for who makes one of a decision: like the rule that decides of its calls now in all but name and
// match, before which it is put, so that nothing is looser until somebody changes it. Pure.
import type { ShownRule, ShownRules } from "../../data/policies.ts";
import { isNamed } from "./tool-outlook.ts";

interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

const maxNameChars = 50;

/** Not among those that are taken. */
function nameFor(tool: string, rules: readonly ShownRule[]): string {
  const plain = tool.replace(/[^A-Za-z0-9_.-]/g, "-").slice(0, maxNameChars) || "rule";
  const taken = new Set(rules.map(({ name }) => name));
  let name = plain;
  for (let count = 2; taken.has(name); count += 1) name = `${plain}-${count}`;
  return name;
}

const isOnly = (list: readonly string[] | null | undefined, name: string): boolean =>
  list?.length === 1 && list[0] === name;

/** The same rules where there is one for this tool alone, or the names are patterns. */
export function addRuleFor({ server, tool }: NamedTool, now: ShownRules): ShownRules {
  const { rules, default: fallback } = now;
  if (server === "" || tool === "" || `${server}${tool}`.includes("*")) return now;
  if (rules.some(({ match }) => isOnly(match?.servers, server) && isOnly(match?.tools, tool))) return now;
  const found = rules.findIndex((rule) => isNamed(rule, { server, tool }));
  const at = found < 0 ? rules.length : found;
  const name = nameFor(tool, rules);
  const like = rules[at];
  const rule: ShownRule =
    like === undefined
      ? { name, match: { servers: [server], tools: [tool] }, action: fallback }
      : { ...like, name, match: { ...like.match, servers: [server], tools: [tool] } };
  return { rules: rules.toSpliced(at, 0, rule), default: fallback };
}
