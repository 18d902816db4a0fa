import { describe, expect, it } from "vitest";
import type * as z from "zod";
import {
  characters,
  choice,
  flag,
  integer,
  list,
  map,
  namedList,
  number,
  object,
  setOf,
  text,
  withRules,
} from "./fields.ts";

const ok = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;
const said = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(({ message }) => message);
const many = (count: number) => Array.from({ length: count }, (_, n) => `w${n}`);

describe("characters", () => {
  it("counts code points, as Kubernetes does, not UTF-16 units", () => {
    expect(["", "abc", "ä", "😀", "👩‍👧"].map(characters)).toEqual([0, 3, 1, 1, 3]);
    expect(characters("\ud83d")).toBe(1);
  });
});

describe("CFG-5 text", () => {
  const name = text(3, "A name.", { min: 1, pattern: /^[a-z😀]*$/u, expected: "lower case" });

  it("is accepted at its limits and refused one past them, in characters", () => {
    expect(["a", "aaa", "😀😀😀", "", "aaaa", "😀😀😀😀"].map((value) => ok(name, value))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("says what is expected in words, not as a pattern", () => {
    expect(said(name, "A")).toEqual(["must be lower case"]);
    expect(said(name, "aaaa")).toEqual(["must have at most 3 characters"]);
    expect(said(name, "")).toEqual(["must have at least 1 character"]);
  });

  it("publishes its bounds in characters", () => {
    expect(name.meta()).toEqual({ description: "A name.", minLength: 1, maxLength: 3 });
    expect(text(5, "Other.").meta()).toEqual({ description: "Other.", maxLength: 5 });
  });
});

describe("CFG-5 numbers, flags and choices", () => {
  it.each([
    [integer(1, 9, "n"), [1, 9], [0, 10, 1.5, "1", null]],
    [number(0, 1, "n"), [0, 0.5, 1], [-0.001, 1.001, Number.NaN, Number.POSITIVE_INFINITY, "0.5"]],
    [flag("f"), [true, false], ["true", 1, null]],
    [choice(["a", "b"], "c"), ["a", "b"], ["A", "", "c"]],
  ])("accept what is inside and refuse what is one past (%#)", (schema, inside, outside) => {
    expect(inside.filter((value) => !ok(schema, value))).toEqual([]);
    expect(outside.filter((value) => ok(schema, value))).toEqual([]);
  });
});

describe("CFG-5 lists and maps", () => {
  const word = text(10, "A word.");

  it("are accepted at their limit and refused one past it", () => {
    const schemas = [list(word, 3, "l"), setOf(word, 3, "s")];
    for (const schema of schemas) expect([ok(schema, many(3)), ok(schema, many(4))]).toEqual([true, false]);
    const entries = (count: number) => Object.fromEntries(many(count).map((key) => [key, "v"]));
    const keyed = map(word, 3, "m");
    expect([ok(keyed, entries(3)), ok(keyed, entries(4))]).toEqual([true, false]);
    const named = namedList(object("o", { name: word }), 3, "n");
    const entriesOf = (count: number) => many(count).map((name) => ({ name }));
    expect([ok(named, entriesOf(3)), ok(named, entriesOf(4))]).toEqual([true, false]);
  });

  it("a set reports each repeated word once, at its first repetition", () => {
    const { error } = setOf(word, 9, "s").safeParse(["a", "b", "a", "a", "b"]);
    expect(error?.issues.map(({ path }) => path)).toEqual([[2], [4]]);
    expect(ok(list(word, 9, "l"), ["a", "a"])).toBe(true);
  });

  it("a named list reports a repeated name at its position", () => {
    const { error } = namedList(object("o", { name: word }), 9, "n").safeParse([{ name: "a" }, { name: "a" }]);
    expect(error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [[1], 'duplicate name "a"; every entry needs a name of its own'],
    ]);
  });

  it("a closed object refuses a key that it does not have", () => {
    expect(said(object("o", { a: word }), { a: "x", b: 1 })).toEqual(['Unrecognized key: "b"']);
  });
});

describe("withRules", () => {
  const even = { cel: "self % 2 == 0", message: "must be even", holds: (value: number) => value % 2 === 0 };
  const small = { cel: "self < 9", message: "must be small", holds: (value: number) => value < 9 };

  it("adds the rule for us and for the API server, and keeps description and earlier rules", () => {
    const schema = withRules(withRules(integer(0, 99, "A number."), even), small);
    expect(said(schema, 11)).toEqual(["must be even", "must be small"]);
    expect(schema.meta()).toEqual({
      description: "A number.",
      "x-kubernetes-validations": [
        { rule: even.cel, message: even.message },
        { rule: small.cel, message: small.message },
      ],
    });
  });
});
