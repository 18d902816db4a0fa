import { describe, expect, it } from "vitest";
import { buildForm, maxFormNodes, maxGroupDepth, type FormNode } from "./form-model.ts";

/** The shape alone. */
function sketch(node: FormNode): unknown {
  const rest = node.isNullable ? " or null" : "";
  switch (node.kind) {
    case "choice":
      return `${node.choices.map(({ label }) => label).join("|")}${rest}`;
    case "constant":
      return `=${JSON.stringify(node.value)}`;
    case "list":
      return [sketch(node.item)];
    case "group":
      return Object.fromEntries([
        ...node.fields.map(({ name, isNeeded, node: field }) => [`${name}${isNeeded ? "*" : ""}`, sketch(field)]),
        ...(node.rest === undefined ? [] : [["…", sketch(node.rest)]]),
      ]);
    case "variants":
      return Object.fromEntries(node.variants.map((variant) => [`?${variant.label}`, sketch(variant.node)]));
    case "json":
      return `json: ${node.why}`;
    case "text":
    case "number":
      return `${node.kind}${rest}`;
  }
}
const formOf = (schema: unknown) => sketch(buildForm(schema));
const ofFields = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("a form from a schema", () => {
  it("has a control for each property, needed or not", () => {
    const schema = ofFields(
      {
        amount: { type: "number" },
        count: { type: "integer" },
        name: { type: "string" },
        on: { type: "boolean" },
        kind: { enum: ["a", "b", 3] },
        nothing: { type: "null" },
        tags: { type: "array", items: { type: "string" } },
        limits: { type: "object", additionalProperties: { type: "number" } },
        any: {},
      },
      { required: ["amount", "unnamed"] },
    );
    expect(formOf(schema)).toEqual({
      "amount*": "number",
      count: "number",
      name: "text",
      on: "true|false",
      kind: "a|b|3",
      nothing: '={"kind":"null"}',
      tags: ["text"],
      limits: { "…": "number" },
      any: "json: Any value: the schema says nothing about it.",
      "unnamed*": "json: Any value: the schema says nothing about it.",
    });
  });

  it("says type, bounds and description as the model reads them", () => {
    const schema = {
      type: "number",
      minimum: 0.01,
      maximum: 50_000,
      title: "Amount",
      description: "In euro",
      default: 5,
    };
    const node = buildForm(schema);
    expect(node).toMatchObject({ title: "Amount", description: "In euro", facts: ["number", "0.01 to 50,000"] });
    expect(node.fallback).toEqual({ kind: "number", text: "5" });
  });

  it("follows references and merges allOf, with the narrower of two bounds", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/base" }, ofFields({ size: { maximum: 10 } }, { required: ["size"] })],
      $defs: {
        base: ofFields({ size: { type: "number", maximum: 20 }, name: { $ref: "#/$defs/a~1b" } }),
        "a/b": { type: "string" },
      },
    };
    expect(formOf(schema)).toEqual({ "size*": "number", name: "text" });
  });

  it("refuses parts that contradict each other, references that lead nowhere, and what lets nothing stand", () => {
    expect(formOf({ allOf: [{ type: "string" }, { type: "number" }] })).toContain("contradict");
    expect(formOf({ $ref: "#/$defs/none" })).toContain("#/$defs/none, which is not part of it");
    expect(formOf({ $ref: "https://example.com/schema" })).toContain("not part of it");
    expect(formOf(false)).toBe("json: The schema lets nothing stand here.");
  });

  it("makes null a switch of a field, not a variant", () => {
    const schema = ofFields({
      a: { type: ["string", "null"] },
      b: { anyOf: [{ type: "integer" }, { type: "null" }] },
      c: { enum: ["x", null] },
      d: { type: "number", nullable: true },
    });
    expect(formOf(schema)).toEqual({ a: "text or null", b: "number or null", c: "x or null", d: "number or null" });
  });

  it("names variants by title, by what is constant in them, by their reference, or by number", () => {
    const schema = {
      oneOf: [
        { ...ofFields({ a: { type: "string" } }), title: "By name" },
        ofFields({ kind: { const: "day" }, day: { type: "string" } }),
        { $ref: "#/$defs/Range" },
        ofFields({ z: { type: "string" } }),
        { type: "number" },
      ],
      $defs: { Range: ofFields({ from: { type: "string" } }) },
    };
    expect(formOf(schema)).toEqual({
      "?By name": { a: "text" },
      "?kind day": { kind: '={"kind":"string","text":"day"}', day: "text" },
      "?Range": { from: "text" },
      "?Variant 4": { z: "text" },
      "?number": "number",
    });
  });

  it("has variants at the root that share its properties", () => {
    const schema = ofFields(
      { a: { type: "string" }, b: { type: "string" } },
      { anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    );
    expect(formOf(schema)).toEqual({
      "?Variant 1": { "a*": "text", b: "text" },
      "?Variant 2": { a: "text", "b*": "text" },
    });
  });

  it("makes constants that exclude each other one choice", () => {
    expect(formOf({ oneOf: [{ const: "a", title: "First" }, { const: "b" }, { type: "null" }] })).toBe(
      "First|b or null",
    );
  });

  it("asks for JSON where the schema leads back to itself", () => {
    const tree = ofFields({ name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } });
    const once = { name: "text", children: ["json: JSON only here: the schema leads back to itself (#)."] };
    expect(formOf(tree)).toEqual({ name: "text", children: [once] });
    expect(formOf({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } })).toContain(
      "leads back",
    );
  });

  it("has groups inside each other to the depth that is allowed, JSON below", () => {
    const nested = (levels: number): object =>
      levels === 0 ? { type: "string" } : ofFields({ in: nested(levels - 1) });
    const drawn = (levels: number): unknown => (levels === 0 ? "text" : { in: drawn(levels - 1) });
    expect(formOf(nested(maxGroupDepth + 1))).toEqual(drawn(maxGroupDepth + 1));
    expect(JSON.stringify(formOf(nested(maxGroupDepth + 2)))).toContain("deeper than 3 levels");
  });

  it("has as many parts as are allowed, and is JSON alone with one more", () => {
    const wide = (count: number) =>
      ofFields(Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, { type: "string" }])));
    expect(Object.keys(Object(formOf(wide(maxFormNodes - 1))))).toHaveLength(maxFormNodes - 1);
    expect(formOf(wide(maxFormNodes))).toBe(
      "json: JSON only: the schema is too large for a form (more than 500 parts).",
    );
  });

  it("is made in a moment from 10 MB, and from parts that double at each level", () => {
    const defs = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`d${index}`, { description: "x".repeat(90) }]),
    );
    const large = ofFields({ a: { type: "string" } }, { $defs: defs });
    const doubling: Record<string, object> = { d0: { type: "string" } };
    for (let level = 1; level <= 40; level += 1) {
      const ref = { $ref: `#/$defs/d${level - 1}` };
      doubling[`d${level}`] = { allOf: [ref, ref] };
    }
    const startedMs = performance.now();
    expect(formOf(large)).toEqual({ a: "text" });
    expect(formOf({ $ref: "#/$defs/d40", $defs: doubling })).toMatch(/^json:/);
    expect(formOf({ enum: Array.from({ length: 1_000_000 }, (_, index) => index) })).toMatch(/^json:/);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
