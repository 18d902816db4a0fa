// The policy against a second, slower one, on rules and calls by chance.
import { describe, expect, it } from "vitest";
import { compilePolicy } from "./compile.ts";
import { decide, deniesAll, denies } from "./decide.ts";
import { matchesGlob, parseGlob } from "./glob.ts";
import type { Call } from "./policy.ts";
import { createMaker, fitsGlob, judge } from "./reference.fixture.ts";

describe("MGM-5 rules and calls by chance", () => {
  it("are decided as a reference evaluator decides them, 10,000 pairs of them", () => {
    const maker = createMaker(1);
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    for (let pair = 0; pair < 10_000; pair += 1) {
      const rules = maker.makePolicy();
      const { policy, problems } = compilePolicy(JSON.parse(JSON.stringify(rules)));
      const call = maker.makeCall();
      const { action, rule, approvers, askCaller, redact, limits } = decide(policy, call);
      const found = { action, rule, approvers, askCaller, redact, limits: limits.map((limit) => limit.rule) };
      expect({ problems, ...found }, JSON.stringify({ rules, call })).toEqual({ problems: [], ...judge(rules, call) });
      count(action);
      count(rule === undefined ? "default" : "rule");
      if (rules.rules.some(({ name, match }) => name === rule && match?.args !== undefined)) count("by arguments");
      if (rules.rules.some(({ name, match }) => name === rule && match?.hints !== undefined)) count("by hints");
    }
    // Otherwise nothing would be compared.
    for (const what of ["allow", "ask", "denyContinue", "denyAbort", "default", "rule", "by arguments", "by hints"]) {
      expect(seen.get(what), what).toBeGreaterThan(400);
    }
  });

  it("are denied whatever their arguments only where every call is", () => {
    const maker = createMaker(2);
    let deniedAlways = 0;
    let deniedAnybody = 0;
    for (let round = 0; round < 4_000; round += 1) {
      const { policy } = compilePolicy(maker.makePolicy());
      const { hints = {}, ...unhinted } = maker.makeCall();
      const isDenied = deniesAll(policy, { ...unhinted, hints });
      const isDeniedUnhinted = deniesAll(policy, unhinted);
      const { caller: _, role: __, ...anybody } = { ...unhinted, hints };
      const isAnybodyDenied = deniesAll(policy, anybody);
      if (isDenied) deniedAlways += 1;
      if (isAnybodyDenied) deniedAnybody += 1;
      for (let attempt = 0; attempt < 10; attempt += 1) {
        const args = maker.makeArguments();
        const known: Call = { ...unhinted, arguments: args, hints };
        const later: Call = { ...known, hints: maker.pick([{}, { readOnly: true, destructive: false }]) };
        expect(!isDenied || denies(decide(policy, known))).toBe(true);
        // What was said without hints holds whatever the server says later.
        expect(!isDeniedUnhinted || denies(decide(policy, later))).toBe(true);
        const { caller, role } = maker.makeCall();
        expect(!isAnybodyDenied || denies(decide(policy, { ...known, caller, role }))).toBe(true);
      }
    }
    expect(deniedAlways).toBeGreaterThan(400);
    expect(deniedAnybody).toBeGreaterThan(200);
  });

  it("of the same rules without those that hints match are never decided more strictly", () => {
    const maker = createMaker(3);
    const order = ["allow", "ask", "denyContinue", "denyAbort"];
    let stricter = 0;
    for (let round = 0; round < 4_000; round += 1) {
      const rules = maker.makePolicy();
      const trusted = { ...rules, rules: rules.rules.filter(({ match }) => match?.hints === undefined) };
      const call = maker.makeCall();
      const [all, without] = [rules, trusted].map((each) => decide(compilePolicy(each).policy, call).action);
      const difference = order.indexOf(all ?? "") - order.indexOf(without ?? "");
      expect(difference).toBeGreaterThanOrEqual(0);
      if (difference > 0) stricter += 1;
    }
    expect(stricter).toBeGreaterThan(100);
  });
});

describe("globs by chance", () => {
  it("match what the regular expression matches", () => {
    const { pick } = createMaker(4);
    const text = (letters: readonly string[], length: number) => Array.from({ length }, () => pick(letters)).join("");
    let matched = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const [pattern, tried] = [text(["a", "b", "*", "."], round % 7), text(["a", "b", "."], round % 9)];
      const fits = matchesGlob(tried, parseGlob(pattern));
      expect(fits, `${pattern} on ${tried}`).toBe(fitsGlob(tried, pattern));
      if (fits) matched += 1;
    }
    expect(matched).toBeGreaterThan(1_000);
  });
});
