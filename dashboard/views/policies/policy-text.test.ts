// Policies as text, and what is said of a copy that somebody edits.
import { describe, expect, it } from "vitest";
import { ruleSchema } from "../../data/policies.ts";
import { maxTextChars, policiesResource, readRules, renderRules } from "./policy-text.ts";

const text = `---
policy: careful
judges: { agents: [clerk], gateway: true }
in_force: { generation: 3, rules: [{ name: reads, match: { tools: ["read_*"] }, action: allow }], default: ask }
---
policy: broken
judges: { agents: [], gateway: false }
in_force: null
fault: 'PallasPolicy "broken" is not valid'
`;
const problemsOf = (written: string): readonly string[] => {
  const read = readRules(written);
  return read.ok ? [] : read.problems;
};

describe("the gateway's text of policies", () => {
  it("is read document by document, with policies that deny everything", () => {
    const [careful, broken] = policiesResource.parse(text);
    expect(careful).toMatchObject({ policy: "careful", judges: { agents: ["clerk"], gateway: true } });
    expect(careful?.in_force?.rules.map(({ name }) => name)).toEqual(["reads"]);
    expect(broken).toMatchObject({ policy: "broken", in_force: null, fault: 'PallasPolicy "broken" is not valid' });
  });

  it("is none where there is no policy", () => {
    expect(policiesResource.parse("# There is no policy: every call is allowed.\n")).toEqual([]);
  });
});

describe("a copy of the rules", () => {
  const rules = {
    rules: [
      ruleSchema.parse({ name: "a", match: { tools: ["x*"], args: [{ path: "", equals: "1" }] }, action: "denyAbort" }),
    ],
    default: "denyContinue" as const,
  };

  it("reads as it was written, as YAML and as JSON", () => {
    for (const written of [renderRules(rules), JSON.stringify(rules)]) {
      expect(readRules(written)).toEqual({ ok: true, rules, written: rules.rules });
    }
  });

  it("asks where it says no default", () => {
    expect(readRules("rules: []")).toMatchObject({ ok: true, rules: { rules: [], default: "ask" } });
  });

  it("says line and column of what is no YAML", () => {
    expect(problemsOf("rules:\n  - { name: a\ndefault: ask\n")[0]).toMatch(/^Line 3, column \d+: /);
  });

  it("says what is wrong with a rule by the words of who judges it", () => {
    const [problem] = problemsOf("rules:\n  - { name: a, action: alow }\n");
    expect(problem).toContain("allow");
    expect(problemsOf("rules: [{ name: a, action: allow, mach: {} }]")[0]).toContain("mach");
    expect(problemsOf("rules: [{ name: a, action: allow }, { name: a, action: ask }]")).toHaveLength(1);
  });

  it("is no list, no text, nothing that repeats itself, and nothing beyond its limit", () => {
    for (const written of ["- a", "words", "", "rules: &a []\nmore: *a"]) expect(problemsOf(written)).toHaveLength(1);
    const padded = (chars: number) => "rules: []".padEnd(chars, " ") + "\nmore: 1";
    expect(problemsOf(padded(maxTextChars - "\nmore: 1".length))).toHaveLength(1);
    expect(problemsOf(padded(maxTextChars))).toEqual([]);
  });
});
