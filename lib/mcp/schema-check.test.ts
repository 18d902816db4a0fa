/* oxlint-disable unicorn/no-thenable -- "then" is a keyword of JSON Schema */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSchemaProblem, ofOurOwn } from "./schema-check.ts";

const find = (schema: Record<string, unknown>, value: unknown) => findSchemaProblem(schema, value, "the arguments");
const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, addUsedSchema: false });

describe("a problem names the field and what was expected, never the value", () => {
  test.each<[Record<string, unknown>, unknown, string]>([
    [{ required: ["id"] }, {}, '"id" is required'],
    [{ properties: { a: { items: { required: ["b"] } } } }, { a: [{}] }, '"a.0.b" is required'],
    [{ properties: {}, additionalProperties: false }, { toString: 1 }, '"toString" is not a known field'],
    [{ properties: { a: { type: "string" } } }, { a: 1 }, '"a" must be string'],
    [{ type: ["string", "null"] }, 1, "the arguments must be string or null"],
    [{ enum: ["a", 1, null] }, "secret", 'the arguments must be one of "a", 1, null'],
    [{ enum: Array.from({ length: 21 }, (_, n) => n) }, "x", expect.stringMatching(/18, 19 or 1 others$/)],
    [{ const: { a: 1 } }, {}, 'the arguments must be {"a":1}'],
    [{ minimum: 1 }, 0, "the arguments must be >= 1"],
    [{ minimum: 1, exclusiveMinimum: true }, 1, "the arguments must be > 1"],
    [{ maximum: 1, exclusiveMaximum: true }, 1, "the arguments must be < 1"],
    [{ exclusiveMaximum: 1 }, 1, "the arguments must be < 1"],
    [{ multipleOf: 0.1 }, 0.35, "the arguments must be a multiple of 0.1"],
    [{ minLength: 2 }, "🙂", "the arguments must have at least 2 characters"],
    [{ maxLength: 1 }, "ab", "the arguments must have at most 1 characters"],
    [{ items: [{}, { type: "string" }] }, [1, 1], '"1" must be string'],
    [{ items: [{}], additionalItems: false }, [1, 1], '"1" is not allowed'],
    [{ uniqueItems: true }, [1, "1", 1], "the arguments must not have the same item twice"],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, '"ab" must have at most 1 characters'],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, '"b" is required'],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "the arguments must be string"],
    [{ oneOf: [{ type: "number" }, { minimum: 0 }] }, 1, expect.stringContaining("only one of")],
    [{ not: { type: "number" } }, 1, "the arguments must not be what it is"],
    [{ $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { type: "string" } } }, 1, "the arguments must be string"],
    [{ properties: { ["x".repeat(200)]: false } }, { ["x".repeat(200)]: 1 }, `"${"x".repeat(120)}…" is not allowed`],
  ])("%j", (schema, value, problem) => {
    expect(find(schema, value)).toEqual(problem);
  });
});

describe("what is not decided here counts as fitting", () => {
  test.each<[Record<string, unknown>, unknown]>([
    [{ pattern: "^a$" }, "b"],
    [{ format: "date" }, "b"],
    [
      { patternProperties: { "^a": false }, additionalProperties: false },
      { a: 1, b: 1 },
    ],
    [{ $ref: "https://example.com/schema" }, 1],
    [{ $ref: "#/$defs/none" }, 1],
    [{ $defs: { a: { $id: "x:a", $ref: "#/$defs/b" }, b: false }, $ref: "#/$defs/a" }, 1],
    [{ type: "no type" }, 1],
    [{ properties: 7, required: "a", enum: "b", anyOf: {}, items: "c", $ref: 1 }, { a: [1] }],
    [{ type: "string", nullable: true }, null],
    [{ multipleOf: 0.1 }, 0.3],
    [{ uniqueItems: true }, [{}, {}]],
  ])("%j", (schema, value) => {
    expect(find(schema, value)).toBeUndefined();
  });

  test.each<[Record<string, unknown>, unknown]>([
    [{ not: { pattern: "^a$" } }, "b"],
    [{ oneOf: [{ format: "date" }, { format: "time" }] }, "b"],
    [{ if: { pattern: "^a$" }, then: false }, "b"],
    [{ not: { items: { $ref: "x:y" } } }, [1]],
    [{ not: { uniqueItems: true } }, [{}, {}]],
  ])("also where another part of the schema turns on it: %j", (schema, value) => {
    expect(find(schema, value)).toBeUndefined();
  });
});

describe("SEC-7 a foreign schema takes no more than its budget", () => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, n) => [
        `a${n}`,
        { allOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] },
      ]),
    );
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = { a: value };
    return value;
  };
  const again = { properties: { a: { $ref: "#" } } };

  test.each<[string, Record<string, unknown>, unknown]>([
    ["references to itself", { $ref: "#" }, 1],
    ["twice as many references at each step", { $defs: chain(100), $ref: "#/$defs/a0" }, 1],
    ["alternatives that fail far inside", { anyOf: [again, again], type: "object" }, nested(150)],
    ["conditions that are asked twice at each level", { if: again, then: again }, nested(150)],
    ["values deeper than any", { properties: { a: { $ref: "#" } } }, nested(100_000)],
    [
      "texts against many long ones",
      { items: { enum: [...Array.from({ length: 2_000 }, () => "x".repeat(5_000)), `${"x".repeat(4_999)}y`] } },
      Array.from({ length: 2_000 }, () => `${"x".repeat(4_999)}y`),
    ],
    [
      "objects against many",
      { items: { enum: [...Array.from({ length: 2_000 }, () => nested(50)), nested(49)] } },
      Array.from({ length: 2_000 }, () => nested(49)),
    ],
    [
      "many alternatives for an object of many fields",
      { anyOf: Array.from({ length: 50_000 }, () => ({ minProperties: 1e9 })) },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [n, n])),
    ],
    [
      "many types for many items",
      { items: { type: [...Array.from({ length: 50_000 }, () => "string"), "number"] } },
      Array.from({ length: 50_000 }, () => 1),
    ],
    ["a pattern that tries every division of a text", { pattern: "^(a+)+$" }, `${"a".repeat(100_000)}!`],
  ])("%s", { timeout: 5_000 }, (_what, schema, value) => {
    expect(find(schema, value)).toBeUndefined();
  });

  test("and an ordinary one of five thousand rows is decided within it", () => {
    const row = { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } }, required: ["id"] };
    const rows = Array.from({ length: 5_000 }, (_, id): unknown => ({ id, name: "x" }));
    expect(find({ items: row }, [...rows, {}])).toBe('"5000.id" is required');
  });
});

test("alternatives inside each other are looked at once at each level", () => {
  const levels = 60;
  const $defs = Object.fromEntries([
    ...Array.from({ length: levels }, (_, n) => [`a${n}`, { oneOf: [{ $ref: `#/$defs/a${n + 1}` }, false] }]),
    [`a${levels}`, { type: "string" }],
  ]);
  const find60 = (value: unknown) => find({ $defs, allOf: [{ $ref: "#/$defs/a0" }, { minLength: 2 }] }, value);
  expect(find60("ab")).toBeUndefined();
  expect(find60("a")).toBe("the arguments must have at least 2 characters");
  expect(find60(1)).toBe("the arguments must be string");
});

test("of our own schemas everything is decided, however much there is", () => {
  const schema = { items: { required: ["id"] } };
  const rows = [...Array.from({ length: 200_000 }, () => ({ id: 1 })), {}];
  expect(findSchemaProblem(schema, rows, "the arguments", ofOurOwn)).toBe('"200000.id" is required');
  expect(find(schema, rows)).toBeUndefined();
});

/** Schemas of every keyword that is decided here, and values that may fit them. */
function renderArbitraries() {
  const name = fc.constantFrom("a", "b", "c");
  const scalar = fc.oneof(
    fc.constantFrom("", "a", "bb", "🙂🙂", null, true, false, -1, 0, 0.5, 1, 2, 3),
    fc.integer({ min: -4, max: 4 }),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(name, tie("any")),
    ),
  })).any;
  const count = fc.nat({ max: 3 });
  const type = fc.constantFrom("null", "boolean", "number", "integer", "string", "array", "object");
  const { schema } = fc.letrec((tie) => {
    const part = tie("schema");
    const parts = fc.array(part, { minLength: 1, maxLength: 2 });
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 2 })),
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      const: value,
      minimum: count,
      maximum: count,
      exclusiveMinimum: count,
      exclusiveMaximum: count,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      minLength: count,
      maxLength: count,
      minItems: count,
      maxItems: count,
      prefixItems: parts,
      items: part,
      required: fc.uniqueArray(name),
      properties: fc.dictionary(name, part),
      additionalProperties: part,
      propertyNames: part,
      minProperties: count,
      maxProperties: count,
      dependentRequired: fc.dictionary(name, fc.uniqueArray(name)),
      allOf: parts,
      anyOf: parts,
      oneOf: parts,
      not: part,
      if: part,
      then: part,
      else: part,
      $ref: fc.constantFrom("#/$defs/a", "#/$defs/b"),
    };
    const entry = fc.oneof(...Object.entries(keywords).map(([key, of]) => fc.tuple(fc.constant(key), of)));
    const object = fc.array(entry, { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
    return { schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.boolean(), object) };
  });
  const whole = fc.tuple(fc.dictionary(fc.constant("x"), schema), schema, schema).map(([parts, a, b]) => ({
    properties: parts,
    additionalProperties: a,
    $defs: { a: withoutReferences(a), b: withoutReferences(b) },
    allOf: [a, b],
  }));
  return { value, whole };
}

/** The validator takes objects without a prototype, which JSON has none of, for unequal. */
const asParsed = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** A definition that refers to one that refers back has no end. */
const withoutReferences = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === "$ref" ? undefined : value)));

test("verdicts are those of a full validator, wherever everything in the schema is decided here", () => {
  const { value, whole } = renderArbitraries();
  const seen = { fits: 0, problems: 0 };
  fc.assert(
    fc.property(fc.tuple(whole, fc.array(value, { minLength: 5, maxLength: 10 })).map(asParsed), ([schema, values]) => {
      const validate = ajv.compile(schema);
      for (const each of values) {
        const isFit = validate(each);
        seen[isFit ? "fits" : "problems"] += 1;
        expect(find(schema, each) === undefined, JSON.stringify([schema, each])).toBe(isFit);
      }
    }),
    { numRuns: 300 },
  );
  expect(Math.min(seen.fits, seen.problems)).toBeGreaterThan(50);
});
