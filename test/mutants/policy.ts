// Mistakes in judging calls: what a policy lets through that it should not, what a server may make of it by what it says of
// itself, and what is counted, shown or hashed.
import type { Mutant } from "./mutant.ts";

export const policyMutants: readonly Mutant[] = [
  {
    file: "lib/policy/compile.ts",
    find: "  if (problems.length > 0) return refuse(problems);\n",
    replace: "",
    breaks: "a policy with a rule that is not understood goes by the others",
  },
  {
    file: "lib/policy/problems.ts",
    find: "    else if (!known.includes(name))",
    replace: "    else if (known.length === 0)",
    breaks: "a misspelt field of a rule means nothing, and the rule matches more than it says",
  },
  {
    file: "lib/policy/compile.ts",
    find: 'match.hints !== undefined && action === "allow"',
    replace: 'match.hints === undefined && action === "allow" && rule === ""',
    breaks: "a server that calls its tool harmless allows its own calls",
  },
  {
    file: "lib/policy/decide.ts",
    find: "if (rule.hints === undefined) return tighten(rule.decision, hinted);",
    replace: "if (rule.hints === undefined) return hinted ?? rule.decision;",
    breaks: "a server is asked about instead of denied because of what it says of itself",
  },
  {
    file: "lib/policy/decide.ts",
    find: "(stricter === 0 && plain.approvers.length > 0)",
    replace: "false",
    breaks: "a server chooses by its hints who approves its calls",
  },
  {
    file: "lib/policy/decide.ts",
    find: "said.destructive === true || (said.destructive !== false && !readOnly)",
    replace: "said.destructive === true",
    breaks: "a tool of which nothing is said passes for harmless",
  },
  {
    file: "lib/policy/decide.ts",
    find: "} else if (!denies(rule.decision)) {\n      return false;",
    replace: "} else if (!denies(rule.decision)) {\n      if (rule.args.length === 0) return false;",
    breaks: "a tool is hidden that some arguments may call",
  },
  {
    file: "lib/policy/decide.ts",
    find: "      if (isHinted || subject.hints === undefined || !",
    replace: "      if (subject.hints === undefined || !",
    breaks: "a tool is hidden that an earlier rule by hints would ask about",
  },
  {
    file: "lib/policy/pointer.ts",
    find: "!Object.hasOwn(found, segment)",
    replace: "!(segment in found)",
    breaks: "a test of arguments is passed by what every object inherits",
  },
  {
    file: "lib/policy/pointer.ts",
    find: '.replaceAll("~1", "/").replaceAll("~0", "~")',
    replace: '.replaceAll("~0", "~").replaceAll("~1", "/")',
    breaks: "a pointer to a name with ~ leads elsewhere",
  },
  {
    file: "lib/policy/argument-test.ts",
    find: "return (found) => wanted.has(found);",
    replace: "return (found) => [...wanted].map(String).includes(String(found));",
    breaks: "the text 1 passes for the number 1",
  },
  {
    file: "lib/policy/argument-test.ts",
    find: "found > bound",
    replace: "found >= bound",
    breaks: "a limit on an amount holds one too early",
  },
  {
    file: "lib/policy/glob.ts",
    find: "text.length - last.length >= at && ",
    replace: "",
    breaks: "two parts of a glob share the same characters",
  },
  {
    file: "lib/policy/window-counts.ts",
    find: "(slot.number + 1 + slotsPerWindow)",
    replace: "(slot.number + slotsPerWindow)",
    breaks: "more calls than allowed fit into a minute at the edge of two slots",
  },
  {
    file: "lib/policy/window-counts.ts",
    find: "oldest !== undefined && this.#keys.size >= this.#maxKeys ?",
    replace: "oldest !== undefined && this.#keys.size < 0 ?",
    breaks: "ever new callers fill the memory",
  },
  {
    file: "lib/policy/limiter.ts",
    find: "    if (refused !== undefined) return refuse(decision, refused.claim, refused.waitMs);\n    for (const { counts, key } of claims) counts.add(key, nowMs);",
    replace:
      "    for (const { counts, key } of claims) counts.add(key, nowMs);\n    if (refused !== undefined) return refuse(decision, refused.claim, refused.waitMs);",
    breaks: "who keeps asking is kept out for ever",
  },
  {
    file: "lib/policy/redact.ts",
    find: 'if (typeof value !== "object" || value === null || paths',
    replace:
      'if (typeof value !== "object" || value === null) return paths.some((path) => path.length === depth) ? redacted : value;\n  if (paths',
    breaks: "a card's number is shown where it stands in place of its object",
  },
  {
    file: "lib/policy/canonical-json.ts",
    find: "Object.keys(value).sort()",
    replace: "Object.keys(value)",
    breaks: "the same arguments have another hash when their names come in another order",
  },
];
