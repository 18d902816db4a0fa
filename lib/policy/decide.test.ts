import { describe, expect, it } from "vitest";
import { compilePolicy } from "./compile.ts";
import { decide, deniesAll } from "./decide.ts";
import type { Call } from "./policy.ts";
import type { Action, ArgumentTest, Hints, PolicyRules, Rule } from "./rules.ts";

const base: Call = { server: "bank", tool: "pay", caller: "ann", role: "caller", agent: "clerk" };
const compile = (rules: readonly Rule[], otherwise?: Action) => {
  const written: PolicyRules = otherwise === undefined ? { rules } : { rules, default: otherwise };
  const { policy, problems } = compilePolicy(written);
  expect(problems).toEqual([]);
  return policy;
};
const ask = (rules: readonly Rule[], call: Partial<Call> = {}, otherwise?: Action) =>
  decide(compile(rules, otherwise), { ...base, ...call });

describe("MGM-5 a decision", () => {
  const rules: Rule[] = [
    { name: "reads", match: { tools: ["read_*", "list_*"] }, action: "allow" },
    {
      name: "prod",
      match: { servers: ["k8s"], args: [{ path: "/namespace", glob: "prod-*" }] },
      action: "denyAbort",
      reason: "production is changed by people",
    },
    {
      name: "pay",
      match: { tools: ["pay"], args: [{ path: "/amount", greaterThan: 100 }] },
      action: "ask",
      approvers: ["finance"],
      askCaller: true,
      redact: ["/card"],
    },
    { name: "busy", match: { servers: ["search"] }, action: "allow", limit: { perMinute: 60, per: "caller" } },
  ];

  it("is the first matching rule's, with all that it says", () => {
    expect(ask(rules, { server: "k8s", tool: "list_pods", arguments: { namespace: "prod-a" } })).toMatchObject({
      action: "allow",
      rule: "reads",
    });
    expect(ask(rules, { server: "k8s", tool: "delete", arguments: { namespace: "prod-a" } })).toMatchObject({
      action: "denyAbort",
      rule: "prod",
      reason: "production is changed by people",
    });
    expect(ask(rules, { arguments: { amount: 100.01, card: "4111" } })).toEqual({
      action: "ask",
      rule: "pay",
      reason: undefined,
      approvers: ["finance"],
      askCaller: true,
      redact: ["/card"],
      limits: [],
    });
    expect(ask(rules, { server: "search", tool: "web" }).limits).toEqual([
      { rule: "busy", perMinute: 60, per: "caller" },
    ]);
  });

  it("is to ask where no rule matches, or what the policy has for that", () => {
    expect(ask(rules, { arguments: { amount: 100 } })).toMatchObject({ action: "ask", rule: undefined, approvers: [] });
    expect(ask([], {}, "denyContinue")).toMatchObject({ action: "denyContinue", rule: undefined });
  });

  it("is a denial by fault where a name in the call has more than 1,024 characters", () => {
    const allowed = (part: string, chars: number) =>
      ask([{ name: "r", action: "allow" }], { [part]: "x".repeat(chars) });
    for (const part of ["server", "tool", "caller", "role", "agent"]) {
      expect(allowed(part, 1_024).action).toBe("allow");
      expect(allowed(part, 1_025)).toMatchObject({ action: "denyContinue", fault: expect.stringContaining("1024") });
    }
    expect(deniesAll(compile([], "allow"), { ...base, tool: "x".repeat(1_024) })).toBe(false);
    expect(deniesAll(compile([], "allow"), { ...base, tool: "x".repeat(1_025) })).toBe(true);
  });

  it("needs all that a rule says of server, tool, caller and role, and one of each list", () => {
    const rule: Rule = {
      name: "r",
      action: "allow",
      match: { servers: ["x", "b*"], tools: ["pay"], callers: ["a*"], roles: ["caller", "admin"] },
    };
    expect(ask([rule]).action).toBe("allow");
    for (const part of ["server", "tool", "caller", "role"]) expect(ask([rule], { [part]: "z" }).action).toBe("ask");
  });
});

describe("a test of arguments", () => {
  const holds = (test: ArgumentTest, args: unknown) =>
    ask([{ name: "r", action: "denyAbort", match: { args: [test] } }], { arguments: args }).action === "denyAbort";

  it.each<[ArgumentTest, unknown, boolean]>([
    [{ path: "/a", equals: 1 }, { a: 1 }, true],
    [{ path: "/a", equals: 1 }, { a: "1" }, false],
    [{ path: "/a", equals: "1" }, { a: 1 }, false],
    [{ path: "/a", equals: true }, { a: 1 }, false],
    [{ path: "/a", equals: null }, { a: null }, true],
    [{ path: "/a", equals: null }, {}, false],
    [{ path: "/a", equals: "" }, { a: "" }, true],
    [{ path: "/a", in: [1, "b", null] }, { a: "b" }, true],
    [{ path: "/a", in: [1, "b", null] }, { a: "1" }, false],
    [{ path: "/a", in: [1, "b", null] }, {}, false],
    [{ path: "/a", prefix: "/etc/" }, { a: "/etc/passwd" }, true],
    [{ path: "/a", prefix: "/etc/" }, { a: ["/etc/"] }, false],
    [{ path: "/a", glob: "*.sh" }, { a: "x.sh" }, true],
    [{ path: "/a", glob: "1*" }, { a: 10 }, false],
    [{ path: "/a", lessThan: 10 }, { a: 9 }, true],
    [{ path: "/a", lessThan: 10 }, { a: 10 }, false],
    [{ path: "/a", lessThan: 10 }, { a: "9" }, false],
    [{ path: "/a", lessThan: 10 }, { a: null }, false],
    [{ path: "/a", greaterThan: 10 }, { a: 10.5 }, true],
    [{ path: "/a", greaterThan: 10 }, { a: 10 }, false],
    [{ path: "/a", absent: true }, {}, true],
    [{ path: "/a", absent: true }, undefined, true],
    [{ path: "/a", absent: true }, { a: null }, false],
    [{ path: "/a/b", absent: true }, { a: "text" }, true],
    [{ path: "/a", absent: false }, { a: null }, true],
    [{ path: "/a", absent: false }, {}, false],
    [{ path: "/list/1/x", equals: 2 }, { list: [{}, { x: 2 }] }, true],
    [{ path: "/list/length", equals: 1 }, { list: [0] }, false],
    [{ path: "/__proto__/x", equals: 1 }, JSON.parse('{"__proto__":{"x":1}}'), true],
    [{ path: "/x", equals: 1 }, JSON.parse('{"__proto__":{"x":1}}'), false],
    [{ path: "/toString", absent: true }, {}, true],
    [{ path: "", equals: "all" }, "all", true],
  ])("%j of %j: %s", (test, args, expected) => {
    expect(holds(test, args)).toBe(expected);
  });

  it("must hold with all the others of its rule", () => {
    const rule: Rule = {
      name: "r",
      action: "allow",
      match: {
        args: [
          { path: "/a", greaterThan: 1 },
          { path: "/a", lessThan: 3 },
        ],
      },
    };
    expect([1, 2, 3].map((a) => ask([rule], { arguments: { a } }).action)).toEqual(["ask", "allow", "ask"]);
  });

  it("reads arguments of ten thousand levels, and of a megabyte", () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`);
    expect(holds({ path: "/a".repeat(32), absent: false }, deep)).toBe(true);
    const long = `${"ab".repeat(2 ** 19)}c`;
    expect(holds({ path: "/a", glob: "*aab*abc" }, { a: long })).toBe(false);
    expect(holds({ path: "/a", glob: "a*b*c" }, { a: long })).toBe(true);
  });
});

describe("MGM-5 hints of servers, which anybody may write,", () => {
  const destructive: Rule = { name: "destructive", match: { hints: { destructive: true } }, action: "ask" };
  const all = (action: Action, more: object = {}): Rule => ({ name: "all", action, ...more });

  it("make stricter what is decided without them", () => {
    expect(ask([destructive, all("allow")])).toMatchObject({ action: "ask", rule: "destructive" });
    expect(ask([destructive], {}, "allow")).toMatchObject({ action: "ask", rule: "destructive" });
  });

  it("never make it laxer, though their rule comes first", () => {
    expect(ask([destructive, all("denyAbort", { reason: "no" })])).toMatchObject({ action: "denyAbort", reason: "no" });
    expect(ask([destructive], {}, "denyContinue")).toMatchObject({ action: "denyContinue", rule: undefined });
    const continued: Rule = { ...destructive, action: "denyContinue" };
    expect(ask([continued, all("denyAbort")])).toMatchObject({ action: "denyAbort", rule: "all" });
  });

  it("count only before the first other rule that matches, and of them the first", () => {
    expect(ask([all("allow"), destructive])).toMatchObject({ action: "allow", rule: "all" });
    const never: Rule = { name: "never", match: { hints: { readOnly: false } }, action: "denyAbort" };
    expect(ask([destructive, never, all("allow")])).toMatchObject({ action: "ask", rule: "destructive" });
  });

  it("change no approvers whom a trusted rule names, and never let the caller approve who otherwise may not", () => {
    const hinted: Rule = { ...destructive, approvers: ["any"], askCaller: true };
    expect(ask([hinted, all("ask", { approvers: ["finance"] })])).toMatchObject({
      rule: "all",
      approvers: ["finance"],
      askCaller: false,
    });
    expect(ask([hinted])).toMatchObject({ rule: "destructive", approvers: ["any"], askCaller: false });
    expect(ask([hinted, all("ask", { askCaller: true })]).askCaller).toBe(true);
    expect(ask([hinted, all("allow")])).toMatchObject({ approvers: ["any"], askCaller: true });
  });

  it("keep the redactions and limits of both rules", () => {
    const hinted: Rule = { ...destructive, redact: ["/a", "/b"], limit: { perDay: 1 } };
    const decision = ask([hinted, all("allow", { redact: ["/b", "/c"], limit: { perMinute: 2 } })]);
    expect(decision.redact.toSorted()).toEqual(["/a", "/b", "/c"]);
    expect(decision.limits).toEqual([
      { rule: "all", per: "caller", perMinute: 2 },
      { rule: "destructive", per: "caller", perDay: 1 },
    ]);
  });

  it("that are not given are taken as the worst", () => {
    const writes: Rule = { name: "writes", match: { hints: { readOnly: false } }, action: "denyAbort" };
    for (const hints of [undefined, {}, { destructive: false }]) {
      const call = hints === undefined ? {} : { hints };
      expect(ask([writes], call, "allow").action).toBe("denyAbort");
    }
    expect(ask([destructive], { hints: { readOnly: true } }, "allow").action).toBe("allow");
    expect(ask([destructive], { hints: { readOnly: true, destructive: true } }, "allow").action).toBe("ask");
    const odd: Hints = JSON.parse('{"readOnly":"true","destructive":null}');
    expect(ask([destructive], { hints: odd }, "allow").action).toBe("ask");
    expect(ask([writes], { hints: odd }, "allow").action).toBe("denyAbort");
    expect(ask([destructive], { hints: { destructive: false } }, "allow").action).toBe("allow");
    expect(ask([writes], { hints: { readOnly: true } }, "allow").action).toBe("allow");
  });
});

describe("MGM-5 what is denied whatever its arguments", () => {
  const args = [{ path: "/a", equals: 1 }];
  const rule = (action: Action, match: Rule["match"] = {}): Rule => ({ name: `r${Math.random()}`, action, match });
  const isDenied = (rules: readonly Rule[], otherwise?: Action, hints?: Call["hints"]) =>
    deniesAll(compile(rules, otherwise), hints === undefined ? base : { ...base, hints });

  it("is what a rule without arguments denies, or the default", () => {
    expect(isDenied([rule("denyAbort", { servers: ["bank"] })])).toBe(true);
    expect(isDenied([rule("denyContinue", { callers: ["ann"] })], "allow")).toBe(true);
    expect(isDenied([rule("denyAbort", { servers: ["other"] })])).toBe(false);
    expect(isDenied([], "denyContinue")).toBe(true);
    expect(isDenied([], "ask")).toBe(false);
    expect(isDenied([rule("allow", { tools: ["read"] })], "denyAbort")).toBe(true);
  });

  it("is not what some arguments let through, and is what all of them deny in turn", () => {
    expect(isDenied([rule("allow", { args }), rule("denyAbort")])).toBe(false);
    expect(isDenied([rule("denyAbort", { args })], "ask")).toBe(false);
    expect(isDenied([rule("denyAbort", { args }), rule("denyContinue")], "ask")).toBe(true);
    expect(isDenied([rule("denyAbort"), rule("allow")])).toBe(true);
    expect(isDenied([rule("ask"), rule("denyAbort")])).toBe(false);
  });

  it("is for anybody only what no caller and no role is let through", () => {
    const { caller: _, role: __, ...anybody } = base;
    const isDeniedTo = (rules: readonly Rule[], otherwise: Action, known: Partial<Call> = {}) =>
      deniesAll(compile(rules, otherwise), { ...anybody, hints: {}, ...known });
    expect(isDeniedTo([rule("denyAbort")], "allow")).toBe(true);
    expect(isDeniedTo([rule("denyAbort", { callers: ["*"] })], "allow")).toBe(false);
    expect(isDeniedTo([rule("denyAbort", { callers: ["*"] })], "allow", { caller: "bob" })).toBe(true);
    expect(isDeniedTo([rule("denyAbort", { roles: ["*"] })], "allow", { caller: "bob" })).toBe(false);
    expect(isDeniedTo([rule("allow", { callers: ["ann"] })], "denyAbort")).toBe(false);
    expect(isDeniedTo([rule("allow", { callers: ["ann"] })], "denyAbort", { caller: "bob" })).toBe(true);
    expect(isDeniedTo([rule("denyAbort", { hints: { destructive: true }, roles: ["viewer"] })], "allow")).toBe(false);
    expect(isDeniedTo([rule("denyAbort", { hints: { destructive: true } })], "allow")).toBe(true);
  });

  it("goes by hints only where they are given", () => {
    const byHints = rule("denyAbort", { hints: { destructive: true } });
    expect(isDenied([byHints], "allow", { destructive: true })).toBe(true);
    expect(isDenied([byHints], "allow", { destructive: false })).toBe(false);
    expect(isDenied([byHints], "allow", {})).toBe(true);
    expect(isDenied([byHints], "allow")).toBe(false);
    expect(isDenied([byHints], "denyAbort")).toBe(true);
    expect(isDenied([{ ...byHints, match: { ...byHints.match, args } }], "allow", {})).toBe(false);
    const first = rule("ask", { hints: { readOnly: false }, args });
    expect(isDenied([first, byHints], "allow", { destructive: true })).toBe(false);
  });
});
