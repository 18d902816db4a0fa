// zod → structural schema → CustomResourceDefinition manifests. Run it to write crds/*.yaml; with --check it fails
// when the committed files are stale. It refuses what the API server would refuse or price too high: unbounded
// strings, lists and maps, patterns that are not RE2, keywords inside anyOf.
import { readFile, writeFile } from "node:fs/promises";
import { dump } from "js-yaml";
import * as z from "zod";
import { neverObserved, type ResourceDefinition } from "./definition.ts";
import { kinds } from "./kinds.ts";
import { group, version } from "./names.ts";

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Constructs that Go's RE2 lacks: look-around, back references, possessive and atomic groups. */
const lackingInRe2 = /\(\?[=!<>]|\\[1-9k]|[*+?}]\+/;
/** One that nothing ends is a pattern that no engine takes; here it ends with the text, so that each character is read once. */
const characterClass = /\[(\\.|[^\]\\])*(\]|\\?$)/g;
const isRe2 = (pattern: string): boolean => !lackingInRe2.test(pattern.replaceAll(characterClass, "x"));

function requireBounds(node: Json, path: string): void {
  const bounded = node["maxLength"] !== undefined || node["enum"] !== undefined || node["format"] === "date-time";
  if (node["type"] === "string" && !bounded) throw new Error(`${path}: a string needs maxLength, enum or a format`);
  if (node["type"] === "array" && node["maxItems"] === undefined) throw new Error(`${path}: a list needs maxItems`);
  if (isObject(node["additionalProperties"]) && node["maxProperties"] === undefined) {
    throw new Error(`${path}: a map needs maxProperties`);
  }
  if (typeof node["pattern"] === "string" && !isRe2(node["pattern"])) {
    throw new Error(`${path}: the pattern ${node["pattern"]} is not RE2`);
  }
  for (const keyword of ["anyOf", "oneOf", "allOf", "not", "const"]) {
    if (node[keyword] !== undefined) throw new Error(`${path}: ${keyword} is not structural`);
  }
  const described = typeof node["description"] === "string" && node["description"] !== "";
  if (!described && !path.endsWith("[]")) throw new Error(`${path}: a field needs a description`);
}

const structuralProperties = (properties: Json, path: string): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, child]) => {
      if (!isObject(child)) throw new Error(`${path}.${name}: expected a schema`);
      return [name, structural(child, `${path}.${name}`)];
    }),
  );

/** One node of zod's output as the API server wants it; children first. */
function structural(node: Json, path: string): Json {
  const { additionalProperties, properties, items, anyOf, ...rest } = node;
  const result: Json = { ...rest };
  if (node["x-kubernetes-int-or-string"] === true) {
    // The one anyOf that a structural schema may have, in exactly this form.
    result["anyOf"] = [{ type: "integer" }, { type: "string" }];
    return result;
  }
  if (node["x-kubernetes-preserve-unknown-fields"] === true) {
    delete result["propertyNames"];
    if (isObject(properties)) result["properties"] = structuralProperties(properties, path);
    requireBounds(result, path);
    return result;
  }
  if (anyOf !== undefined) result["anyOf"] = anyOf;
  if (isObject(properties)) {
    result["properties"] = structuralProperties(properties, path);
  }
  if (isObject(items)) result["items"] = structural(items, `${path}[]`);
  if (isObject(additionalProperties)) result["additionalProperties"] = structural(additionalProperties, `${path}[]`);
  if (result["maximum"] === Number.MAX_SAFE_INTEGER) delete result["maximum"];
  if (result["minimum"] === Number.MIN_SAFE_INTEGER) delete result["minimum"];
  if (result["type"] === "integer") result["format"] = "int64";
  if (result["format"] === "date-time") delete result["pattern"];
  requireBounds(result, path);
  return result;
}

export function structuralSchema(schema: z.ZodType, path: string): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: "openapi-3.0", io: "input", reused: "inline" });
  return structural(json, path);
}

/** The CustomResourceDefinition of one kind, as an object. */
export function renderCrd(definition: ResourceDefinition): Json {
  const { kind, plural, singular, shortNames, description, columns, nameRules, objectRules = [], scale } = definition;
  const rules = [...nameRules, ...objectRules].map(({ cel, message }) => ({ rule: cel, message }));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames, categories: ["pallas"] },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {}, ...(scale ? { scale } : {}) },
          additionalPrinterColumns: columns.map((column) => ({ ...column })),
          schema: {
            openAPIV3Schema: {
              description,
              type: "object",
              required: ["spec"],
              // The server drops an empty list, and would call it a conflict with whoever applied it.
              ...(rules.length > 0 ? { "x-kubernetes-validations": rules } : {}),
              properties: {
                apiVersion: { type: "string", description: "Version of this schema." },
                kind: { type: "string", description: "Kind of this resource." },
                metadata: { type: "object" },
                spec: structuralSchema(definition.spec, "spec"),
                // Before anybody has looked at it, kstatus must not take a resource for current (OPR-3).
                status: {
                  ...structuralSchema(definition.status, "status"),
                  default: { observedGeneration: neverObserved },
                },
              },
            },
          },
        },
      ],
    },
  };
}

const header = "# Generated from crds/*.ts by `make crds`; do not edit.\n";

/** File name → contents of everything that is generated into crds/. */
export const renderCrdFiles = (): Map<string, string> =>
  new Map(
    Object.values(kinds).map(({ definition }) => [
      `${definition.plural}.yaml`,
      header + dump(renderCrd(definition), { lineWidth: 120, noRefs: true }),
    ]),
  );

async function main(check: boolean): Promise<void> {
  for (const [name, contents] of renderCrdFiles()) {
    const file = new URL(name, import.meta.url);
    if (!check) {
      await writeFile(file, contents);
    } else if ((await readFile(file, "utf8").catch(() => "")) !== contents) {
      throw new Error(`crds/${name} is stale: run "make crds" and commit the result`);
    }
  }
}

if (import.meta.main) await main(process.argv.includes("--check"));
