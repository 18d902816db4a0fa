import { describe, expect, it } from "vitest";
import { freeName, moveItem, removeItem, renameField, setField, setItem } from "./edit-value.ts";
import { buildForm } from "./form-model.ts";
import { jsonNull, jsonString, parseDraft, renderJson, type Json } from "./json-text.ts";
import { emptyOf, findVariant, hasDefaults, startOf, startOfVariant, withDefaults } from "./start-value.ts";

const fieldsOf = (text: string) => {
  const value = parseDraft(text);
  return value.kind === "object" ? value.fields : new Map<string, Json>();
};
const itemsOf = (text: string) => {
  const value = parseDraft(text);
  return value.kind === "array" ? value.items : [];
};
const render = (value: Json | undefined) => value && renderJson(value);

describe("a form's change", () => {
  it("puts a field where the schema has it, in its place when it is there, and takes it out", () => {
    const fields = fieldsOf('{"c":1,"x":2,"a":3}');
    expect(render(setField(fields, "b", jsonNull, ["a", "b", "c"]))).toBe('{"a":3,"b":null,"c":1,"x":2}');
    expect(render(setField(fields, "c", jsonNull))).toBe('{"c":null,"x":2,"a":3}');
    expect(render(setField(fields, "y", jsonNull))).toBe('{"c":1,"x":2,"a":3,"y":null}');
    expect(render(setField(fields, "c", undefined))).toBe('{"x":2,"a":3}');
  });

  it("renames a field where it stands, unless the name is taken", () => {
    const fields = fieldsOf('{"a":1,"b":2}');
    expect(render(renameField(fields, "a", "c"))).toBe('{"c":1,"b":2}');
    expect(render(renameField(fields, "a", "a"))).toBe('{"a":1,"b":2}');
    expect(renameField(fields, "a", "b")).toBeUndefined();
    expect(freeName(fieldsOf('{"n1":1,"n2":1}'), (n) => `n${n}`)).toBe("n3");
  });

  it("moves, changes and removes items, and keeps the first and the last where they are", () => {
    const items = itemsOf("[1,2,3]");
    expect(render(moveItem(items, 1, -1))).toBe("[2,1,3]");
    expect(render(moveItem(items, 1, 1))).toBe("[1,3,2]");
    expect(render(moveItem(items, 0, -1))).toBe("[1,2,3]");
    expect(render(moveItem(items, 2, 1))).toBe("[1,2,3]");
    expect(render(removeItem(items, 1))).toBe("[1,3]");
    expect(render(setItem(items, 1, jsonString("x")))).toBe('[1,"x",3]');
  });
});

describe("a form's beginning", () => {
  const schema = {
    type: "object",
    properties: {
      kind: { const: "day" },
      name: { type: "string", default: "Ada" },
      size: { type: "number", default: 3 },
      to: { type: "object", properties: { land: { type: "string", default: "AT" } } },
      maybe: { type: "object", properties: { land: { default: "AT" } } },
      tags: { type: "array", items: { type: "object", properties: { on: { type: "boolean", default: true } } } },
    },
    required: ["kind", "to", "size"],
  };
  const form = buildForm(schema);

  it("sends nothing but what must be there and can be nothing else", () => {
    expect(render(startOf(form))).toBe('{"kind":"day","to":{}}');
    expect(render(startOf(buildForm({ enum: ["only"] })))).toBe('"only"');
    expect(startOf(buildForm({ enum: ["a", "b"] }))).toBeUndefined();
  });

  it("fills in defaults when it is asked to, and leaves what was written", () => {
    expect(hasDefaults(form)).toBe(true);
    expect(hasDefaults(buildForm({ type: "object", properties: { a: { type: "string" } } }))).toBe(false);
    const filled = withDefaults(schema, form, parseDraft('{"size":9,"to":{},"tags":[{}],"x":1}'));
    expect(render(filled)).toBe('{"name":"Ada","size":9,"to":{"land":"AT"},"tags":[{"on":true}],"x":1}');
  });

  it("begins an item with something that can be seen and corrected", () => {
    const of = (part: object) => render(emptyOf(buildForm(part)));
    expect([of({ type: "string" }), of({ type: "array" }), of({ enum: ["a", "b"] }), of({})]).toEqual([
      '""',
      "[]",
      '"a"',
      "",
    ]);
    expect(of({ oneOf: [{ type: "object", title: "x" }, { type: "number" }] })).toBe("{}");
  });

  it("of another variant keeps what both have, but no constant", () => {
    const variants = [
      { type: "object", properties: { kind: { const: "a" }, name: { type: "string" }, old: {} }, required: ["kind"] },
      { type: "object", properties: { kind: { const: "b" }, name: { type: "string" } }, required: ["kind"] },
    ];
    const node = buildForm({ oneOf: variants });
    const before = parseDraft('{"kind":"a","name":"Ada","old":1}');
    const known = node.kind === "variants" ? node.variants : [];
    expect(findVariant({}, known, before)).toBe(0);
    const after = known[1] && startOfVariant(known[1].node, before);
    expect(render(after)).toBe('{"kind":"b","name":"Ada"}');
    expect(findVariant({}, known, after)).toBe(1);
  });
});
