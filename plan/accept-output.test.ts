import { describe, expect, test } from "vitest";
import { acceptAgent } from "./accept.ts";
import { maxOutputBytes, maxOutputDepth, maxOutputPlaces } from "./accept-output.ts";
import { sampleAgent, sampleInstance } from "./testing/resources.ts";

const judge = (schema: object) =>
  acceptAgent(sampleAgent("clerk", { output: { schema } }), sampleInstance()).map(
    ({ reason, path, message }) => `${reason} ${path}: ${message}`,
  );
const described = (length: number) => ({ type: "object", description: "d".repeat(length) });
const bareBytes = Buffer.byteLength(JSON.stringify(described(0)));
const nested = (levels: number): object => {
  if (levels <= 2) return levels === 1 ? { type: "object" } : { type: "object", required: [] };
  return { type: "object", properties: { a: nested(levels - 2) } };
};

describe("CFG-5 the schema of an agent's answer", () => {
  test("is any object's in the part of JSON Schema that is understood", () => {
    const schema = {
      type: "object",
      title: "Order",
      properties: {
        total: { type: "number", minimum: 0, exclusiveMaximum: 1e6, multipleOf: 0.01 },
        lines: { type: "array", minItems: 1, maxItems: 9, items: { $ref: "#/$defs/line" } },
        note: { type: ["string", "null"], maxLength: 10, default: null, examples: ["none"] },
        state: { enum: ["open", 1, null] },
        kind: { const: "order" },
        either: { anyOf: [{ type: "string", format: "date" }, { oneOf: [{ $ref: "#/$defs/name" }] }] },
        more: { type: "object", additionalProperties: { allOf: [{ $ref: "#/$defs/name" }] }, maxProperties: 3 },
      },
      required: ["total"],
      additionalProperties: false,
      $defs: { line: { type: "object", properties: { name: { $ref: "#/$defs/name" } } }, name: { type: "string" } },
    };
    expect(judge(schema)).toEqual([]);
  });

  test("has at most its bytes, and one more is refused", () => {
    expect(judge(described(maxOutputBytes - bareBytes))).toEqual([]);
    expect(judge(described(maxOutputBytes - bareBytes + 1))).toEqual([
      "InvalidField spec.output.schema: expected at most 16384 bytes as JSON, found 16385; describe less of it",
    ]);
  });

  test("is at most so deep, and one level more is refused, as is any depth without looking at all of it", () => {
    expect(judge(nested(maxOutputDepth - 1))).toEqual([]);
    expect(judge(nested(maxOutputDepth))).toEqual([]);
    for (const levels of [maxOutputDepth + 1, 2_000]) {
      expect(judge(nested(levels))).toEqual([expect.stringContaining("expected at most 24 levels of nesting")]);
    }
  });

  test.each([
    [{}, "spec.output.schema.type: is required, found nothing; add it"],
    [{ type: "array", items: {} }, 'spec.output.schema.type: expected "object", found "array"'],
    [
      { type: "object", propertys: {} },
      'UnknownField spec.output.schema.propertys: unknown field "propertys" (did you mean "properties"?)',
    ],
    [{ type: "object", properties: { a: { type: "text" } } }, "spec.output.schema.properties.a.type"],
    [{ type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } }, 'unknown field "pattern"'],
    [{ type: "object", properties: { a: { type: "array", uniqueItems: true } } }, 'unknown field "uniqueItems"'],
    [{ type: "object", properties: { a: { $defs: {} } } }, 'unknown field "$defs"'],
    [{ type: "object", properties: { a: { minLength: -1 } } }, "spec.output.schema.properties.a.minLength"],
    [{ type: "object", properties: { a: { $ref: "https://example.com/a" } } }, "must be a reference such as"],
    [{ type: "object", properties: { a: { $ref: "#" } } }, "must be a reference such as"],
    [{ type: "object", properties: { a: { $ref: "#/$defs/b" } } }, "refers to #/$defs/b, which does not exist"],
    [
      { type: "object", $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } },
      "the cycle a → b → a in $defs has no end",
    ],
    [
      { type: "object", $defs: { a: { additionalProperties: { $ref: "#/$defs/a" } } } },
      "the cycle a → a in $defs has no end",
    ],
  ])("%j is refused: %s", (schema, said) => {
    expect(judge(schema).join()).toContain(said);
  });

  test("may use a definition often, and is refused where definitions of definitions multiply without end", () => {
    const uses = (count: number, name: string) => ({ allOf: Array.from({ length: count }, () => ({ $ref: name })) });
    // 1 for the root, 1 for `a`, 100 for each of its 99 references, 1 for each property beside it.
    const withProperties = (beside: number) => ({
      type: "object",
      properties: {
        ...Object.fromEntries(Array.from({ length: beside }, (_, n) => [`p${n}`, {}])),
        a: uses(99, "#/$defs/many"),
      },
      $defs: { many: uses(49, "#/$defs/one"), one: { type: "string" } },
    });
    expect(judge(withProperties(maxOutputPlaces - 9_902))).toEqual([]);
    expect(judge(withProperties(maxOutputPlaces - 9_901))).toEqual([expect.stringContaining("at most 10000 places")]);
    const names = Array.from({ length: 200 }, (_, n) => `#/$defs/d${n}`);
    const $defs = Object.fromEntries(names.map((_, n) => [`d${n}`, n === 199 ? {} : uses(2, names[n + 1] ?? "")]));
    expect(judge({ type: "object", properties: { a: uses(2, "#/$defs/d0") }, $defs }).join()).toContain("places");
  });
});
