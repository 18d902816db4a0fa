// What a policy would say of a tool, whoever calls it: held against what it does say of calls.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePolicy } from "../../../lib/policy/compile.ts";
import { decide } from "../../../lib/policy/decide.ts";
import { actions, rulesSchema, type ShownRules } from "../../data/policies.ts";
import { outlookOf, type JudgedTool } from "./tool-outlook.ts";

const read = (rules: object[], fallback = "ask"): ShownRules => rulesSchema.parse({ rules, default: fallback });
const tool = (hints: JudgedTool["hints"] = {}): JudgedTool => ({ server: "k8s", tool: "drop_pod", hints });

describe("what calls of a tool come to", () => {
  it("is what the first rule says that is for all of them, and else the default", () => {
    const rules = [
      { name: "a", match: { tools: ["read_*"] }, action: "allow" },
      { name: "b", match: { tools: ["drop_*"], servers: ["k8s"] }, action: "denyAbort" },
      { name: "c", action: "allow" },
    ];
    expect(outlookOf(read(rules), tool())).toEqual(["denyAbort"]);
    expect(outlookOf(read(rules.slice(0, 1), "denyContinue"), tool())).toEqual(["denyContinue"]);
  });

  it("depends where a rule looks at arguments, callers or roles", () => {
    for (const match of [{ args: [{ path: "/n", equals: 1 }] }, { callers: ["lea"] }, { roles: ["admin"] }]) {
      expect(outlookOf(read([{ name: "a", match, action: "allow" }]), tool())).toEqual(["allow", "ask"]);
    }
    expect(outlookOf(read([{ name: "a", match: { args: [] }, action: "allow" }]), tool())).toEqual(["allow"]);
  });

  it("is tightened by what the tool says of itself, and by nothing that comes after a decision", () => {
    const hinted = { name: "h", match: { hints: { destructive: true } }, action: "ask" };
    const all = { name: "all", action: "allow" };
    expect(outlookOf(read([hinted, all]), tool())).toEqual(["ask"]);
    expect(outlookOf(read([hinted, all]), tool({ readOnly: true }))).toEqual(["allow"]);
    expect(outlookOf(read([all, hinted]), tool())).toEqual(["allow"]);
  });
});

const list = (...texts: string[]) => fc.option(fc.subarray(texts, { minLength: 1 }), { nil: undefined });
const hints = fc.record({ readOnly: fc.boolean(), destructive: fc.boolean() }, { requiredKeys: [] });
const match = fc.record(
  {
    servers: list("k8s", "k*", "files"),
    tools: list("drop_*", "*_pod", "now"),
    callers: list("lea", "agent:*"),
    roles: list("admin", "none"),
    args: fc.option(fc.constant([{ path: "/n", equals: 1 }]), { nil: undefined }),
    hints: fc.option(
      hints.filter((each) => Object.keys(each).length > 0),
      { nil: undefined },
    ),
  },
  { requiredKeys: [] },
);
const rule = fc
  .record({ match, action: fc.constantFrom(...actions) })
  .map((each) => (each.match.hints !== undefined && each.action === "allow" ? { ...each, action: "ask" } : each));

it("leaves no action out that a call comes to", () => {
  const call = fc.record({
    caller: fc.constantFrom("lea", "agent:clerk", "zoe"),
    role: fc.constantFrom("admin", "none", "viewer"),
    arguments: fc.constantFrom({ n: 1 }, { n: 2 }),
    hints,
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), fc.constantFrom(...actions), call, (drawn, fallback, made) => {
      // As JSON has it: without what is undefined.
      const rules: object[] = JSON.parse(JSON.stringify(drawn.map((each, at) => ({ name: `r${at}`, ...each }))));
      const { policy, problems } = compilePolicy({ rules, default: fallback });
      expect(problems).toEqual([]);
      const decided = decide(policy, { ...made, server: "k8s", tool: "drop_pod", agent: "clerk" });
      expect(outlookOf(read(rules, fallback), tool(made.hints))).toContain(decided.action);
    }),
    { numRuns: 500 },
  );
});
