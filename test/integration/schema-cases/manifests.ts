// Manifests with every field of the schema set, generated from it. Several of each kind, since some fields exclude each
// other; and a manifest cut down to one field and what that field needs.
import type { ResourceDefinition } from "../../../crds/definition.ts";
import { apiVersion } from "../../../crds/names.ts";
import { formatPath, isJson, valueAt, type Json, type Path } from "./manifest-path.ts";
import { nthText } from "./samples.ts";
import { placesBelow, type SchemaNode, type SchemaPlace } from "./schema-node.ts";

/** Fields left out of each full manifest, because a field that another one has excludes them. */
const access = (fields: string) => new RegExp(`\\.access\\[\\]\\.(${fields})$`);
/** What a tool server is made of: one of them. */
const onlySource = (kept: string) =>
  ["remote", "container", "package", "local"]
    .filter((source) => source !== kept)
    .map((source) => new RegExp(`^spec\\.${source}$`));
const elsewhere = [...onlySource("remote"), /^spec\.(env|sessions|egress)$/];
const first = [
  ...[/\.instructionFrom$/, /\.headers\[\]\.valueFrom$/, /\.externalUrl\.template$/, /\[\]\.auth$/],
  access("agent|claim|tokenFrom"),
];
const second = [
  ...[/\.instruction$/, /\.headers\[\]\.value$/, /\.externalUrl\.host$/],
  ...[/\.apiKey$/, /\.(servers|providers)\[\]\.forwardInboundAuth$/],
];
/** What a decision on a call has with one verdict only. */
const edited = /^spec\.decision\.arguments$/;
const answered = /^spec\.decision\.answer$/;
const plain = [edited, answered];
const leftOut = [
  [...first, ...elsewhere, ...plain],
  [
    ...second,
    access("role|serviceAccount|claim|agents|servers"),
    ...onlySource("container"),
    answered,
    /^spec\.env\[\]\.value$/,
  ],
  [...second, access("agent|serviceAccount|tokenFrom"), ...onlySource("package"), edited, /^spec\.env\[\]\.valueFrom$/],
  [...first, ...onlySource("local"), ...plain, /^spec\.env\[\]\.valueFrom$/],
  [...second, access("agent|serviceAccount|tokenFrom"), ...elsewhere, ...plain],
];

/** Values that rules over several fields ask for. */
const chosen: Record<string, string> = {
  "spec.providers[].kind": "bedrock",
  "spec.registry.metrics.mode": "podMonitor",
  "spec.gateway.embeddings.kind": "openai",
  "spec.gateway.approvals.timeout": "1m",
  "spec.package.kind": "pypi",
  "spec.package.name": "mcp-server",
};

function verdictOf(omit: readonly RegExp[]): string {
  if (!omit.includes(edited)) return "approveEdited";
  return omit.includes(answered) ? "approve" : "answer";
}

const entries = [0, 1];

function sampleOf(node: SchemaNode, schemaPath: string, n: number, omit: readonly RegExp[]): unknown {
  if (chosen[schemaPath] !== undefined) return chosen[schemaPath];
  if (schemaPath === "spec.decision.verdict") return verdictOf(omit);
  if (node["x-kubernetes-int-or-string"]) return nthText(node, n);
  switch (node.type) {
    case "string":
      return nthText(node, n);
    case "integer":
    case "number":
      return node.minimum ?? 0;
    case "boolean":
      return true;
    case "array": {
      const { items } = node;
      return items && entries.map((position) => sampleOf(items, `${schemaPath}[]`, position, omit));
    }
    case "object":
      return sampleObject(node, schemaPath, n, omit);
    case undefined:
      if (node["x-kubernetes-preserve-unknown-fields"]) return n;
      throw new Error(`expected a type at ${schemaPath}, found none`);
  }
}

function sampleObject(node: SchemaNode, schemaPath: string, n: number, omit: readonly RegExp[]): Json {
  const { additionalProperties } = node;
  if (node["x-kubernetes-preserve-unknown-fields"] && !node.properties) return { k0: "text", k1: { inner: [1] } };
  if (additionalProperties) {
    const values = entries.map((n) => [`k${n}`, sampleOf(additionalProperties, `${schemaPath}{}`, n, omit)]);
    return Object.fromEntries(values);
  }
  const kept = Object.entries(node.properties ?? {}).filter(
    ([name]) => !omit.some((pattern) => pattern.test(`${schemaPath}.${name}`)),
  );
  return Object.fromEntries(kept.map(([name, child]) => [name, sampleOf(child, `${schemaPath}.${name}`, n, omit)]));
}

/** The full manifests of a kind, of which every place of the schema is in at least one. */
export function fullManifests({ kind }: ResourceDefinition, schema: SchemaNode, namespace: string): Json[] {
  const { spec, status } = schema.properties ?? {};
  if (!spec || !status) throw new Error(`expected spec and status in the schema of ${kind}`);
  return leftOut.map((omit) => ({
    apiVersion,
    kind,
    metadata: { name: "sample", namespace, labels: { team: "blue" }, annotations: { "example.com/note": "any text" } },
    spec: sampleOf(spec, "spec", 0, omit),
    status: sampleOf(status, "status", 0, omit),
  }));
}

/** `spec.servers[].name` → ["spec", "servers", 0, "name"]: the first entry of each list and map. */
const pathOf = (schemaPath: string): Path =>
  schemaPath.split(/\.|(?=\[\]|\{\})/).map((part) => {
    if (part === "[]") return 0;
    return part === "{}" ? "k0" : part;
  });

export interface LocatedPlace extends SchemaPlace {
  path: Path;
  /** A full manifest that has this place. */
  base: Json;
}

/** Every place of spec and status, each with a manifest that has it. */
export function locatePlaces(schema: SchemaNode, manifests: readonly Json[]): LocatedPlace[] {
  return ["spec", "status"].flatMap((part) => {
    const node = schema.properties?.[part];
    if (!node) throw new Error(`expected ${part} in the schema`);
    return [...placesBelow(node, part, schema.required.includes(part))].map((place) => {
      const path = pathOf(place.schemaPath);
      const base = manifests.find((manifest) => valueAt(manifest, path) !== undefined);
      if (!base) throw new Error(`expected ${formatPath(path)} in a full manifest, found it in none`);
      return { ...place, path, base };
    });
  });
}

/**
 * A value with only what its schema requires and what lies on the way to a path. `around` also keeps what rules on the
 * way may speak of, and everything beside the end of the path.
 */
export function cutDown(node: SchemaNode, value: unknown, path: Path, keep: "bare" | "around" = "bare"): unknown {
  const [head, ...rest] = path;
  if (Array.isArray(value)) {
    const { items } = node;
    if (!items) return value;
    const kept: unknown[] = typeof head === "number" ? [value[head]] : value;
    return kept.map((item) => cutDown(items, item, rest, keep));
  }
  if (!isJson(value)) return value;
  const { additionalProperties, properties } = node;
  if (!properties && !additionalProperties) return value; // metadata, of which the schema says nothing
  const isRuled = node["x-kubernetes-validations"].length > 0;
  const keepsAll = additionalProperties !== undefined || (keep === "around" && (isRuled || path.length === 1));
  const kept = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
    const schema = properties?.[name] ?? additionalProperties;
    if (!schema || !(keepsAll || name === head || node.required.includes(name))) return [];
    return [[name, cutDown(schema, child, name === head ? rest : [], keep)]];
  });
  return Object.fromEntries(kept);
}
