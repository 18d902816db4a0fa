// A vendor's rules as a table of tests: each rule has a request that is taken and, one step further, one that is refused.
import { describe, expect, test } from "vitest";
import { judge, rulesOf, type VendorName, type VendorSettings } from "../judge.ts";
import type { Json } from "../json.ts";

export interface RuleCase {
  rule: string;
  title?: string;
  settings?: Omit<VendorSettings, "name">;
  taken: Json;
  refused: Json;
  /** The vendor's words, whole or their telling part. */
  says: string;
  status?: number;
}

interface Wire {
  path: string;
  /** Fields that every request has. */
  base: Json;
}

export function describeRules(name: VendorName, { path, base }: Wire, cases: readonly RuleCase[]): void {
  describe(`${name} refuses what it was seen to refuse`, () => {
    test.each(cases.map((each) => ({ title: "", ...each })))(
      "$rule $title",
      ({ rule, settings, taken, refused, says, status = 400 }) => {
        const unverified = rulesOf(name).some((each) => each.name === rule && each.unverified === true);
        const ask = (body: Json, isAsked = unverified) =>
          judge({ name, unverified: isAsked, ...settings }, { path, text: JSON.stringify({ ...base, ...body }) });
        expect(ask(taken)).toBeUndefined();
        expect(ask(refused)).toMatchObject({ vendor: name, rule, status, message: expect.stringContaining(says) });
        // What nobody has verified is refused only when a test asks for it.
        expect(ask(refused, false) === undefined).toBe(unverified);
      },
    );

    test("and each of its rules has a case, a name of its own and a source", () => {
      const names = rulesOf(name).map((rule) => rule.name);
      expect([...new Set(cases.map(({ rule }) => rule))].toSorted()).toEqual(names.toSorted());
      expect(rulesOf(name).every(({ source }) => source.length > 10)).toBe(true);
    });
  });
}
