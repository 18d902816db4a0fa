// Rules of a policy against those that are proposed.
import { describe, expect, it } from "vitest";
import { ruleSchema, type ShownRules } from "../../data/policies.ts";
import { compareRules } from "./rules-difference.ts";

const rules = (names: string, fallback: ShownRules["default"] = "ask"): ShownRules => ({
  rules: [...names].map((name) => ruleSchema.parse({ name, action: "allow" })),
  default: fallback,
});
const tell = (before: ShownRules, after: ShownRules): string =>
  compareRules(before, after)
    .rules.map(
      ({ kind, rule }) => `${{ equal: "=", added: "+", removed: "-", moved: "~", changed: "!" }[kind]}${rule.name}`,
    )
    .join(" ");

describe("two lists of rules", () => {
  it("are equal where names, order, fields and default are, whatever the order of fields and what is null", () => {
    const before = ruleSchema.parse({ name: "a", action: "allow", match: { tools: ["x"], servers: null } });
    const after = ruleSchema.parse({ match: { tools: ["x"] }, action: "allow", name: "a", reason: null });
    const found = compareRules({ rules: [before], default: "ask" }, { rules: [after], default: "ask" });
    expect(found.isEqual).toBe(true);
    expect(compareRules(rules("ab"), rules("ab", "allow")).isEqual).toBe(false);
  });

  it("differ by what is new, and by what is gone, which stands where it stood", () => {
    expect(tell(rules("abc"), rules("axc"))).toBe("=a -b +x =c");
    expect(tell(rules("ab"), rules("b"))).toBe("-a =b");
    expect(tell(rules("abc"), rules("a"))).toBe("=a -b -c");
    expect(tell(rules(""), rules("a"))).toBe("+a");
  });

  it("differ by the fewest that moved, since order decides", () => {
    expect(tell(rules("abcd"), rules("bcda"))).toBe("=b =c =d ~a");
    expect(tell(rules("abc"), rules("acb"))).toMatch(/^=a (?:~c =b|=c ~b)$/);
    expect(compareRules(rules("ab"), rules("ba")).isEqual).toBe(false);
  });

  it("differ by a rule of another content, in values of another type too", () => {
    const of = (equals: string | number): ShownRules => ({
      rules: [ruleSchema.parse({ name: "a", action: "allow", match: { args: [{ path: "/x", equals }] } })],
      default: "ask",
    });
    expect(tell(of(1), of("1"))).toBe("!a");
    const lists = (servers: string[]): ShownRules => ({
      rules: [ruleSchema.parse({ name: "a", action: "allow", match: { servers } })],
      default: "ask",
    });
    expect(tell(lists(["x", "y"]), lists(["y", "x"]))).toBe("!a");
  });
});
