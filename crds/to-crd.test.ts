import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { agentDefaults } from "./agent-settings.ts";
import { agentSpec, pallasAgent } from "./agent.ts";
import { list, map, object, text } from "./fields.ts";
import { pallasInstance } from "./instance.ts";
import { kinds } from "./kinds.ts";
import { renderCrd, renderCrdFiles, structuralSchema } from "./to-crd.ts";
import { quantity } from "./units.ts";

const described = (schema: z.ZodType) => schema.meta({ description: "A field." });
const inObject = (field: z.ZodType) => () => structuralSchema(object("An object.", { field }), "spec");

describe("CFG-5 a schema that the API server would refuse or price too high is refused here", () => {
  it.each<[string, z.ZodType, string]>([
    ["a string without a bound", described(z.string()), "spec.field: a string needs maxLength, enum or a format"],
    ["a list without a bound", described(z.array(text(9, "x"))), "spec.field: a list needs maxItems"],
    ["a map without a bound", described(z.record(z.string(), text(9, "x"))), "spec.field: a map needs maxProperties"],
    ["a field without a description", z.boolean(), "spec.field: a field needs a description"],
    ["a string in a list without a bound", list(z.string(), 3, "x"), "spec.field[]: a string needs maxLength"],
    ["a string in a map without a bound", map(z.string(), 3, "x"), "spec.field[]: a string needs maxLength"],
    ["a union", described(z.union([z.boolean(), z.int()])), "spec.field: anyOf is not structural"],
    ["a literal", described(z.literal(["a", "b"]).or(z.literal(1))), "spec.field: anyOf is not structural"],
    ["look-ahead", text(9, "x", { pattern: /^(?=a)/ }), "is not RE2"],
    ["look-behind", text(9, "x", { pattern: /(?<=a)b/ }), "is not RE2"],
    ["a back reference", text(9, "x", { pattern: /(a)\1/ }), "is not RE2"],
  ])("%s", (_, field, message) => {
    expect(inObject(field)).toThrow(message);
  });

  it("a plus inside a character class is no possessive quantifier", () => {
    expect(inObject(text(9, "x", { pattern: /^[*+?+]+$/ }))).not.toThrow();
  });
});

describe("CFG-5 a structural schema", () => {
  it("has an integer or text in the one form that the API server takes", () => {
    expect(structuralSchema(object("o", { size: quantity("A size.") }), "spec")).toMatchObject({
      properties: {
        size: {
          "x-kubernetes-int-or-string": true,
          anyOf: [{ type: "integer" }, { type: "string" }],
          minimum: 0,
          maximum: 999_999_999_999_999,
        },
      },
    });
  });

  it("has no bounds that come from JavaScript's numbers only", () => {
    const { properties } = structuralSchema(object("o", { n: described(z.int()) }), "spec");
    expect(properties).toEqual({ n: { type: "integer", description: "A field.", format: "int64" } });
  });
});

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

/** Every object of the document with its path. */
function* nodes(value: unknown, path = ""): Generator<[string, Node]> {
  if (!isNode(value)) return;
  yield [path, value];
  for (const [key, child] of Object.entries(value)) yield* nodes(child, `${path}.${key}`);
}

const fieldNames = (schema: z.ZodObject) => Object.keys(schema.shape);

describe.each([pallasAgent, pallasInstance])("CFG-5 the CRD of $kind", (definition) => {
  const all = [...nodes(renderCrd(definition))];

  it("refuses no unknown key by schema: pruning and strict validation do, and additionalProperties would forbid both", () => {
    expect(all.length).toBeGreaterThan(300);
    expect(all.filter(([, node]) => node["additionalProperties"] === false)).toEqual([]);
  });

  it("gives no default to what agentDefaults can set, else the instance's value would never be seen", () => {
    const withDefault = all.filter(([path, node]) => "default" in node && !path.endsWith(".properties"));
    const names = withDefault.map(([path]) => path.replace(/.*openAPIV3Schema\.properties\./, ""));
    const settable = fieldNames(agentDefaults);
    expect(names.filter((name) => settable.some((field) => name.includes(`properties.${field}`)))).toEqual([]);
    expect(names.toSorted()).toEqual(
      definition === pallasAgent
        ? [
            "spec.properties.emitLoopProgress",
            "spec.properties.replicas",
            "spec.properties.storage.properties.onDelete",
            "status",
          ]
        : ["spec.properties.version", "status"],
    );
  });

  it("OPR-3 gives every new resource the status of one that nobody has looked at", () => {
    expect(all.find(([path]) => path.endsWith("openAPIV3Schema.properties.status"))?.[1]["default"]).toEqual({
      observedGeneration: -1,
    });
  });

  it("has no empty list, which the server drops, so that nobody could apply it beside another", () => {
    for (const { definition } of Object.values(kinds)) {
      expect(JSON.stringify(renderCrd(definition)["spec"])).not.toContain("[]");
    }
  });

  it("says on every list how it is merged", () => {
    const lists = all.filter(([path, node]) => node["type"] === "array" && !path.endsWith(".properties"));
    expect(lists.length).toBeGreaterThan(10);
    for (const [path, node] of lists) {
      expect([path, node["x-kubernetes-list-type"]]).toEqual([path, expect.any(String)]);
    }
  });
});

describe("CFG-1 agentDefaults", () => {
  it("is made of the agent's own fields, each the same schema", () => {
    for (const [name, schema] of Object.entries(agentDefaults.shape)) {
      expect(fieldNames(agentSpec)).toContain(name);
      expect(structuralSchema(schema, name)).toEqual(structuralSchema(Reflect.get(agentSpec.shape, name), name));
    }
  });
});

describe("CFG-5 the committed CRDs", () => {
  it("are what the schemas give today", async () => {
    const files = renderCrdFiles();
    expect([...files.keys()]).toEqual([
      "pallasagents.yaml",
      "pallasinstances.yaml",
      "pallasservers.yaml",
      "pallasregistrations.yaml",
      "pallaspolicies.yaml",
      "pallasapprovals.yaml",
    ]);
    for (const [name, contents] of files) expect(await readFile(new URL(name, import.meta.url), "utf8")).toBe(contents);
  });

  it("--check passes while they are fresh", async () => {
    const script = new URL("to-crd.ts", import.meta.url).pathname;
    await expect(promisify(execFile)(process.execPath, [script, "--check"])).resolves.toMatchObject({ stderr: "" });
  });
});
