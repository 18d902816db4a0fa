// Whatever a server calls the schema of a tool, what is sent keeps the rules of the vendor it goes to: rules as the vendors state
// them, checked on random schemas, on those that vendors have refused, and on hostile ones.
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { providerKinds } from "../../../crds/instance.ts";
import { fitToolSchema } from "./fit-schema.ts";
import { restoreKeys } from "./keys.ts";
import { isRecord } from "./schema.ts";

const seed = 20_261_122;
const runs = { numRuns: 500, seed };
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false });

/** Visits all schemas of a document, with the names of the keywords on the way. */
function visit(schema: unknown, see: (node: Record<string, unknown>, path: string[]) => void, path: string[] = []) {
  if (!isRecord(schema)) throw new Error(`${path.join("/")}: expected a schema, found ${JSON.stringify(schema)}`);
  see(schema, path);
  for (const group of ["properties", "$defs"]) {
    for (const [name, child] of Object.entries(isRecord(schema[group]) ? schema[group] : {})) {
      visit(child, see, [...path, group, name]);
    }
  }
  for (const name of ["anyOf", "oneOf", "allOf"]) {
    const variants = schema[name];
    if (Array.isArray(variants)) variants.forEach((child, index) => visit(child, see, [...path, name, String(index)]));
  }
  for (const name of ["items", "not", "if", "then", "else"]) {
    if (schema[name] !== undefined) visit(schema[name], see, [...path, name]);
  }
  if (isRecord(schema["additionalProperties"])) visit(schema["additionalProperties"], see, [...path, "additional"]);
}

const types = (node: Record<string, unknown>): unknown[] => [node["type"]].flat();

/** Problems in common to all vendors. */
function commonProblems(schema: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (schema["type"] !== "object") problems.push("the root is no object");
  for (const name of ["anyOf", "oneOf", "allOf", "enum", "not", "$ref"]) {
    if (name in schema) problems.push(`root ${name}`);
  }
  for (const name of Object.keys(isRecord(schema["properties"]) ? schema["properties"] : {})) {
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) problems.push(`key ${name}`);
  }
  visit(schema, (node, path) => {
    const place = path.join("/");
    if (types(node).includes("array") && !("items" in node)) problems.push(`${place}: an array without items`);
    for (const name of ["$schema", "$id", "id", "$anchor", "patternProperties", "prefixItems", "definitions"]) {
      if (name in node) problems.push(`${place}: ${name}`);
    }
    const { $ref } = node;
    if (typeof $ref === "string" && !(isRecord(schema["$defs"]) && $ref.slice(8) in schema["$defs"])) {
      problems.push(`${place}: ${$ref} names nothing`);
    }
    const names = node["required"];
    if (Array.isArray(names) && new Set(names).size !== names.length) problems.push(`${place}: required twice`);
  });
  const text = JSON.stringify(schema);
  if (!text.isWellFormed() || /\\ud[89a-f]/i.test(text)) problems.push("a lone surrogate");
  if (text.length > 1_000_000) problems.push(`${text.length} characters`);
  return problems;
}

function problemsOf(kind: (typeof providerKinds)[number], schema: Record<string, unknown>): string[] {
  const problems = commonProblems(schema);
  if (kind !== "google" && ajv.validateSchema(schema) !== true) problems.push(ajv.errorsText(ajv.errors));
  visit(schema, (node, path) => {
    const place = path.join("/");
    if (kind !== "google" && types(node).includes("object") && !isRecord(node["properties"])) {
      problems.push(`${place}: no properties`);
    }
    if (kind === "openai-compatible" || kind === "huggingface") {
      for (const name of ["pattern", "$ref", "oneOf", "allOf", "not", "if", "const"]) {
        if (name in node) problems.push(`${place}: ${name}`);
      }
    }
    if (kind === "google") problems.push(...googleProblems(node, path));
    if (kind === "bedrock" && "$ref" in node) problems.push(`${place}: $ref`);
  });
  return problems;
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const googleKeywords = ["type", "description", "properties", "required", "items", "anyOf", "enum", "format"];
const googleNumbers = ["minItems", "maxItems", "minimum", "maximum"];

function googleProblems(node: Record<string, unknown>, path: string[]): string[] {
  const problems: string[] = [];
  const place = path.join("/");
  for (const name of Object.keys(node)) {
    if (![...googleKeywords, ...googleNumbers].includes(name)) problems.push(`${place}: ${name}`);
  }
  if ("anyOf" in node ? Object.keys(node).length > 1 : typeof node["type"] !== "string") {
    problems.push(`${place}: type`);
  }
  if (Array.isArray(node["enum"])) {
    if (node["type"] !== "string" || node["enum"].some((value) => typeof value !== "string" || value === "")) {
      problems.push(`${place}: enum`);
    }
  }
  if (node["type"] === "string" && !["date-time", "enum", undefined].some((format) => format === node["format"])) {
    problems.push(`${place}: format`);
  }
  const properties = isRecord(node["properties"]) ? Object.keys(node["properties"]) : [];
  if (properties.some((name) => !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name))) problems.push(`${place}: key`);
  if (listed(node["required"]).some((name) => !properties.some((each) => each === name))) {
    problems.push(`${place}: required`);
  }
  if (path.filter((part) => ["properties", "items", "additional"].includes(part)).length > 12) {
    problems.push("too deep");
  }
  return problems;
}

const anything = fc.jsonValue({ maxDepth: 2 });
const keys = fc.oneof(
  fc.constantFrom("a", "b", "kind", "filter[id]", "$top", "1st", "__proto__", ""),
  fc.string({ unit: "binary" }),
);
const typeNames = fc.constantFrom("object", "array", "string", "number", "integer", "boolean", "null", "enum", "any");
const references = fc.constantFrom("#", "#/$defs/a", "#/definitions/b", "#/properties/a", "http://x/y", "#/$defs/none");

/** Half sense, half nonsense: keywords that exist, with values that mostly fit them. */
function arbitrarySchema(depth: number): fc.Arbitrary<unknown> {
  if (depth === 0) return fc.oneof(anything, fc.record({ type: typeNames }));
  const schema = arbitrarySchema(depth - 1);
  const schemas = fc.array(schema, { maxLength: 3 });
  const definitions = fc.dictionary(fc.constantFrom("a", "b"), schema);
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(typeNames, fc.array(typeNames)),
    description: fc.string({ unit: "binary" }),
    properties: fc.dictionary(keys, schema, { maxKeys: 4 }),
    required: fc.oneof(fc.boolean(), fc.array(keys)),
    items: fc.oneof(schema, schemas),
    prefixItems: schemas,
    anyOf: schemas,
    oneOf: schemas,
    allOf: schemas,
    not: schema,
    enum: fc.array(anything),
    const: anything,
    default: anything,
    pattern: fc.constantFrom("^a$", "\\S", "(?<=a)b", "([", "^(a+)+$"),
    format: fc.constantFrom("date-time", "uri", "int32"),
    exclusiveMinimum: fc.oneof(fc.boolean(), fc.integer()),
    minimum: fc.integer(),
    maxItems: fc.integer(),
    additionalProperties: fc.oneof(fc.boolean(), schema),
    patternProperties: fc.dictionary(keys, schema, { maxKeys: 2 }),
    else: schema,
    $ref: references,
    $defs: definitions,
    definitions,
    $schema: fc.constant("http://json-schema.org/draft-04/schema#"),
    id: anything,
  };
  const entries = Object.entries(keywords).map(([name, sense]) =>
    fc.tuple(fc.constant(name), fc.oneof({ weight: 9, arbitrary: sense }, { weight: 1, arbitrary: anything })),
  );
  return fc.array(fc.oneof(...entries), { maxLength: 8 }).map((chosen) => Object.fromEntries(chosen));
}
const rawSchemas = arbitrarySchema(3);

describe.each(providerKinds)("AGT-15 %s", (kind) => {
  test("whatever a schema is, what is sent keeps the vendor's rules", () => {
    fc.assert(
      fc.property(rawSchemas, (raw) => {
        expect(problemsOf(kind, fitToolSchema(kind, raw).schema)).toEqual([]);
      }),
      runs,
    );
  });

  test("what is sent already keeps the rules and stays as it is, when fitted again", () => {
    fc.assert(
      fc.property(rawSchemas, (raw) => {
        const { schema } = fitToolSchema(kind, raw);
        const again = fitToolSchema(kind, schema);
        expect(again.originalKeys.size).toBe(0);
        expect(problemsOf(kind, again.schema)).toEqual([]);
      }),
      { ...runs, numRuns: 100 },
    );
  });

  test("an ordinary schema keeps its meaning", () => {
    const { schema, originalKeys } = fitToolSchema(kind, {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        place: { type: "string", description: "Where." },
        days: { type: "integer", minimum: 1, maximum: 7 },
        unit: { type: "string", enum: ["C", "F"] },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["place"],
    });
    expect(originalKeys.size).toBe(0);
    expect(schema).toEqual({
      type: "object",
      properties: {
        place: { type: "string", description: "Where." },
        days: { type: "integer", minimum: 1, maximum: 7 },
        unit: { type: "string", enum: ["C", "F"] },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["place"],
    });
  });

  test("hostile schemas are cut to a bounded size", () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 5_000; depth += 1) deep = { type: "object", properties: { a: deep } };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, { type: "string" }]));
    // 2^40 copies, once written out.
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { type: "object", properties: { a: next, b: next }, anyOf: [next, next] }];
      }),
    );
    const hostile = [
      deep,
      { type: "object", properties: wide, required: Object.keys(wide) },
      { type: "object", $defs: doubling, properties: { a: { $ref: "#/$defs/d0" } } },
      { $defs: doubling, $ref: "#/$defs/d0" },
      { type: "object", description: "x".repeat(1e6), properties: { ["k".repeat(1e6)]: {} } },
      { type: "object", properties: { a: { enum: Array.from({ length: 100_000 }, (_, index) => index) } } },
      { anyOf: Array.from({ length: 100_000 }, (_, index) => ({ properties: { [`k${index}`]: { const: index } } })) },
    ];
    for (const raw of hostile) expect(problemsOf(kind, fitToolSchema(kind, raw).schema)).toEqual([]);
  });
});

const properties = (kind: (typeof providerKinds)[number], raw: unknown) =>
  fitToolSchema(kind, raw).schema["properties"];

describe("AGT-15 what vendors have refused", () => {
  test("a tool without arguments has properties", () => {
    for (const kind of providerKinds) expect(properties(kind, { type: "object" })).toEqual({});
  });

  test("alternatives at the root become one object, which says what goes together", () => {
    const raw = {
      type: "object",
      properties: { id: { type: "string" } },
      oneOf: [
        { properties: { kind: { const: "page" }, title: { type: "string" } }, required: ["kind", "title"] },
        { properties: { kind: { const: "block" }, text: { type: "string" } }, required: ["kind", "text"] },
      ],
    };
    expect(fitToolSchema("anthropic", raw).schema).toEqual({
      type: "object",
      description: "(give one of: title; text)",
      properties: {
        id: { type: "string" },
        kind: { enum: ["page", "block"] },
        title: { type: "string" },
        text: { type: "string" },
      },
      required: ["kind"],
    });
  });

  test("allOf at the root requires what all of its parts require, through references", () => {
    const raw = {
      $defs: { a: { type: "object", properties: { a: {} }, required: ["a"] } },
      allOf: [{ $ref: "#/$defs/a" }, { properties: { b: {} }, required: ["b"] }],
    };
    expect(fitToolSchema("openai", raw).schema).toMatchObject({ properties: { a: {}, b: {} }, required: ["a", "b"] });
  });

  test("draft-04 and tuples are said as today", () => {
    const raw = {
      type: "object",
      properties: {
        n: { type: "number", minimum: 1, exclusiveMinimum: true, required: true },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
        list: { type: ["array", "null"] },
      },
    };
    const { schema } = fitToolSchema("anthropic", raw);
    expect(schema).toEqual({
      type: "object",
      properties: {
        n: { type: "number", exclusiveMinimum: 1 },
        pair: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
        list: { type: ["array", "null"], items: {} },
      },
      required: ["n"],
    });
  });

  test("recursion stays where the vendor reads references, and ends where it does not", () => {
    const raw = {
      type: "object",
      properties: { tree: { $ref: "#/definitions/node" } },
      definitions: {
        node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/definitions/node" } } } },
      },
    };
    expect(fitToolSchema("openai", raw).schema).toMatchObject({
      properties: { tree: { $ref: "#/$defs/node" } },
      $defs: { node: { properties: { children: { items: { $ref: "#/$defs/node" } } } } },
    });
    const { schema } = fitToolSchema("google", raw);
    expect(JSON.stringify(schema)).not.toContain("$ref");
    // Once round, and no deeper.
    expect(JSON.stringify(schema).split('"children"')).toHaveLength(2);
    expect(schema).toMatchObject({ properties: { tree: { properties: { children: { type: "array" } } } } });
  });

  test("google: mixed values, null, constants and formats are said in its words", () => {
    const raw = {
      type: "object",
      properties: {
        mixed: { enum: ["a", 1, null] },
        level: { type: "integer", enum: [1, 2] },
        mode: { const: "on" },
        link: { type: ["string", "null"], format: "uri", description: "Where." },
        any: true,
        never: false,
      },
    };
    expect(properties("google", raw)).toEqual({
      mixed: {
        anyOf: [{ type: "string", enum: ["a"] }, { type: "number", description: "(one of: 1)" }, { type: "null" }],
      },
      level: { type: "integer", description: "(one of: 1, 2)" },
      mode: { type: "string", enum: ["on"] },
      link: { anyOf: [{ type: "string", description: "Where. (format: uri)" }, { type: "null" }] },
      any: {
        anyOf: [
          { type: "string" },
          { type: "number" },
          { type: "boolean" },
          { type: "object" },
          { type: "array", items: { type: "string" } },
        ],
      },
    });
  });

  test("servers that make a grammar of it get no pattern, but are told of it", () => {
    const raw = { type: "object", properties: { a: { type: "string", pattern: "\\S+", maxLength: 100_000 } } };
    expect(properties("openai-compatible", raw)).toEqual({ a: { type: "string", description: "(pattern: \\S+)" } });
    expect(properties("openai", raw)).toEqual({ a: { type: "string", pattern: "\\S+", maxLength: 100_000 } });
  });

  test("names that a vendor refuses are replaced, and put back into the arguments", () => {
    const raw = {
      type: "object",
      properties: {
        "filter[id]": {},
        filter_id_: {},
        $top: {},
        ["k".repeat(65)]: {},
        ["k".repeat(64)]: {},
        "a.b-c": {},
      },
      required: ["$top"],
    };
    const { schema, originalKeys } = fitToolSchema("anthropic", raw);
    const names = Object.keys(schema["properties"] ?? {});
    expect(names).toEqual(["filter_id__2", "filter_id_", "_top", "k".repeat(56), "k".repeat(64), "a.b-c"]);
    expect(schema["required"]).toEqual(["_top"]);
    const args = Object.fromEntries(names.map((name) => [name, { $keep: [name] }]));
    const restored = restoreKeys(args, originalKeys);
    expect(Object.keys(isRecord(restored) ? restored : {})).toEqual(Object.keys(raw.properties));
  });

  test("names inside are replaced for google alone", () => {
    const raw = { type: "object", properties: { a: { type: "object", properties: { "x-y": { type: "string" } } } } };
    expect(properties("anthropic", raw)).toMatchObject({ a: { properties: { "x-y": {} } } });
    const { schema, originalKeys } = fitToolSchema("google", raw);
    expect(schema).toMatchObject({ properties: { a: { properties: { x_y: {} } } } });
    expect(restoreKeys({ a: { x_y: 1 } }, originalKeys)).toEqual({ a: { "x-y": 1 } });
  });
});
