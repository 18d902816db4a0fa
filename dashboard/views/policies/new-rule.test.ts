import { describe, expect, it } from "vitest";
import type { ShownRules } from "../../data/policies.ts";
import { addRuleFor } from "./new-rule.ts";

const now: ShownRules = {
  rules: [
    { name: "reads", match: { tools: ["read_*"] }, action: "allow" },
    { name: "pay", match: { tools: ["create_transfer"] }, action: "ask", reason: "by finance", redact: ["/card"] },
  ],
  default: "denyAbort",
};
const tool = { server: "payments", tool: "create_transfer" };
const match = { servers: ["payments"], tools: ["create_transfer"] };

describe("UI-1 a rule that is made of a decision", () => {
  it("is like the one that decides now, before which it stands, with what that one hides", () => {
    expect(addRuleFor(tool, now).rules).toEqual([
      now.rules[0],
      { name: "create_transfer", match, action: "ask", reason: "by finance", redact: ["/card"] },
      now.rules[1],
    ]);
  });

  it("is like the default and the last one where no rule is about the tool", () => {
    const { rules } = addRuleFor({ server: "payments", tool: "drop" }, now);
    expect(rules.at(-1)).toEqual({
      name: "drop",
      match: { servers: ["payments"], tools: ["drop"] },
      action: "denyAbort",
    });
  });

  it("is added once, and under a name that no other has", () => {
    const once = addRuleFor(tool, now);
    expect(addRuleFor(tool, once)).toEqual(once);
    const named = { ...now, rules: [...now.rules, { name: "create_transfer", action: "ask" as const }] };
    expect(addRuleFor(tool, named).rules[1]?.name).toBe("create_transfer-2");
  });

  it.each([
    { server: "*", tool: "create_transfer" },
    { server: "payments", tool: "*" },
    { server: "", tool: "create_transfer" },
  ])("is not made of an address that means more than one tool: $server $tool", (address) => {
    expect(addRuleFor(address, now)).toEqual(now);
  });
});
