import { describe, expect, it } from "vitest";
import { checkValue, closestSchema, maxProblems } from "./check-value.ts";
import { parseDraft, toJson } from "./json-text.ts";

const saidOf = (schema: unknown, text: string) =>
  checkValue(schema, parseDraft(text)).map(({ path, message }) => `${path.join("/")}: ${message}`);

describe("a check of a value", () => {
  it.each([
    [{ type: "number" }, '"18,40"', "Not a number. Write 18.40."],
    [{ type: "number" }, '"18"', "A text where a number is expected. Write 18 without quotes."],
    [{ type: "number" }, '"many"', "Not a number. Write digits, such as 18.40."],
    [{ type: "integer" }, "1.5", "Not a whole number. Write 2."],
    [{ type: "integer" }, '"1,5"', "Not a whole number. Write 2."],
    [{ type: ["string", "null"] }, "1", "A number stands where a text or null is expected."],
    [{ minimum: 2 }, "1", "Too small. Write at least 2."],
    [{ maximum: 2 }, "3", "Too large. Write at most 2."],
    [{ exclusiveMinimum: 2 }, "2", "Too small. Write more than 2."],
    [{ exclusiveMaximum: 2 }, "2", "Too large. Write less than 2."],
    [{ minimum: 2, exclusiveMinimum: true }, "2", "Too small. Write more than 2."],
    [{ maximum: 9_007_199_254_740_992 }, "9007199254740993", "Too large. Write at most 9007199254740992."],
    [{ multipleOf: 0.1 }, "0.35", "Write a multiple of 0.1."],
    [{ minLength: 2 }, '"😀"', "Too short: 1 of at least 2 characters."],
    [{ maxLength: 2 }, '"abc"', "Too long: 3 of at most 2 characters."],
    [{ minItems: 2 }, "[1]", "Too few: 1 of at least 2 items."],
    [{ maxItems: 1 }, "[1,2]", "Too many: 2 of at most 1 items."],
    [{ minProperties: 1 }, "{}", "Too few: 0 of at least 1 fields."],
    [{ maxProperties: 0 }, '{"a":1}', "Too many: 1 of at most 0 fields."],
    [{ enum: ["a", "b"] }, '"c"', 'Choose one of "a", "b".'],
    [{ enum: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }, "0", "Choose one of 1, 2, 3, 4, 5, 6, 7, 8 and 2 more."],
    [{ const: { a: 1 } }, '{"a":2}', 'Write {"a":1}.'],
    [{ not: { type: "null" } }, "null", "The schema excludes this value."],
    [false, "1", "The schema lets nothing stand here. Remove it."],
    [{}, "[1,", "Not JSON. Line 1, column 4: a value is missing at the end"],
  ])("of %j says what to write in place of %s", (schema, text, said) => {
    expect(saidOf(schema, text)).toEqual([`: ${said}`]);
  });

  it.each([
    [{ type: "integer" }, "1.0"],
    [{ multipleOf: 0.1 }, "0.3"],
    [{ type: "string", nullable: true }, "null"],
    [{ enum: [1] }, "1.0"],
    [{ maxLength: 1 }, '"😀"'],
    [{ pattern: "^(a+)+$" }, '"b"'],
    [{ $ref: "#/$defs/none" }, "1"],
    [{ not: { pattern: "x" } }, '"x"'],
    [true, "1"],
  ])("of %j takes %s", (schema, text) => {
    expect(saidOf(schema, text)).toEqual([]);
  });

  it("finds all of them, in the order of the schema, each at its place", () => {
    const schema = {
      properties: {
        amount: { type: "number" },
        to: { properties: { iban: { minLength: 5 } }, required: ["name"] },
        list: { items: { type: "string" }, uniqueItems: true },
      },
      required: ["amount", "to"],
      additionalProperties: false,
      dependentRequired: { list: ["why"] },
    };
    expect(saidOf(schema, '{"x":1,"list":["a","a",2],"to":{"iban":"1"}}')).toEqual([
      "amount: Needed. Write a value.",
      "to/iban: Too short: 1 of at least 5 characters.",
      "to/name: Needed. Write a value.",
      "list/1: Item 2 stands here before.",
      "list/2: A number stands where a text is expected.",
      "x: The schema knows no such field. Remove it.",
      "why: Needed where list is sent.",
    ]);
  });

  it("knows places of a list in both spellings", () => {
    expect(saidOf({ prefixItems: [{ type: "string" }], items: { type: "number" } }, "[1,2]")).toHaveLength(1);
    expect(saidOf({ items: [{ type: "string" }], additionalItems: false }, '["a",2]')).toHaveLength(1);
  });

  const shapes = [
    { properties: { kind: { const: "day" }, day: { type: "string" } }, required: ["kind", "day"] },
    {
      properties: { kind: { const: "range" }, from: { type: "string" }, to: { type: "string" } },
      required: ["kind", "from", "to"],
    },
  ];

  it("of variants tells what the one misses that comes closest", () => {
    for (const schema of [{ oneOf: shapes }, { anyOf: shapes }]) {
      expect(saidOf(schema, '{"kind":"range","from":"1"}')).toEqual(["to: Needed. Write a value."]);
      expect(saidOf(schema, '{"kind":"day","day":"1"}')).toEqual([]);
    }
    expect(saidOf({ anyOf: [{ type: "string" }, { type: "null" }] }, "1")).toEqual([": It fits none of 2 variants."]);
    expect(closestSchema({}, shapes, toJson({ kind: "range" }))).toBe(1);
  });

  it("lets only one of oneOf fit, unless that cannot be known", () => {
    expect(saidOf({ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, "3")).toEqual([
      ": It fits 2 variants, and only one may fit.",
    ]);
    expect(saidOf({ oneOf: [{ pattern: "a" }, { pattern: "b" }] }, '"b"')).toEqual([]);
    expect(saidOf({ anyOf: [{ minimum: 1 }, { maximum: 5 }] }, "3")).toEqual([]);
  });

  it("follows conditions that can be decided", () => {
    const schema: object = JSON.parse(
      '{"if":{"properties":{"kind":{"const":"card"}},"required":["kind"]},"then":{"required":["number"]},"else":{"required":["iban"]}}',
    );
    expect(saidOf(schema, '{"kind":"card"}')).toEqual(["number: Needed. Write a value."]);
    expect(saidOf(schema, "{}")).toEqual(["iban: Needed. Write a value."]);
    expect(saidOf({ ...schema, if: { pattern: "x" } }, "{}")).toEqual([]);
  });

  it("ends, whatever the schema refers to", () => {
    expect(saidOf({ $ref: "#" }, "1")).toEqual([]);
    const tree = { properties: { name: { type: "string" }, children: { items: { $ref: "#" } } } };
    expect(saidOf(tree, '{"children":[{"children":[{"name":1}]}]}')).toEqual([
      "children/0/children/0/name: A number stands where a text is expected.",
    ]);
  });

  it("tells as many problems as a person can use", () => {
    const items = (count: number) => JSON.stringify(Array.from({ length: count }, () => 1));
    expect(saidOf({ items: { type: "string" } }, items(maxProblems))).toHaveLength(maxProblems);
    expect(saidOf({ items: { type: "string" } }, items(maxProblems + 1))).toHaveLength(maxProblems);
  });

  it("takes a moment for schemas that double at each level, and for 10 MB", () => {
    const defs: Record<string, object> = { d0: { type: "string" } };
    for (let level = 1; level <= 60; level += 1) {
      const ref = { $ref: `#/$defs/d${level - 1}` };
      defs[`d${level}`] = { anyOf: [ref, ref] };
    }
    const large = toJson(Array.from({ length: 400_000 }, (_, index) => ({ key: String(index), n: index })));
    const startedMs = performance.now();
    checkValue({ $ref: "#/$defs/d60", $defs: defs }, toJson(1));
    expect(checkValue({ items: { required: ["key"] }, uniqueItems: true }, large)).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
