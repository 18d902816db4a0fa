// Every field of the specs that people write that holds a value, read from the schemas, and where a manifest has it.
import { kinds } from "../../crds/kinds.ts";
import { valueAt, type Path } from "../integration/schema-cases/manifest-path.ts";
import { placesBelow, readSchema, type SchemaNode } from "../integration/schema-cases/schema-node.ts";

/** Every path in a manifest that the schema path stands for, through all entries of lists and maps. */
export function pathsOf(manifest: unknown, schemaPath: string): Path[] {
  let paths: Path[] = [[]];
  for (const part of schemaPath.split(/\.|(?=\[\]|\{\})/)) {
    paths = paths.flatMap((path) => {
      const here = valueAt(manifest, path);
      if (part === "[]") return Array.isArray(here) ? here.map((_, position) => [...path, position]) : [];
      const keys = part === "{}" ? Object.keys(here ?? {}) : [part];
      return keys.map((key) => [...path, key]);
    });
  }
  return paths.filter((path) => valueAt(manifest, path) !== undefined);
}

export interface Leaf {
  readonly kind: "PallasInstance" | "PallasAgent" | "PallasServer";
  /** `spec.servers[].name` */
  readonly schemaPath: string;
  readonly required: boolean;
  /** Values of an enumeration. */
  readonly words: readonly string[];
}

const kindsTried = ["PallasInstance", "PallasAgent", "PallasServer"] as const;

export const specSchema = (kind: Leaf["kind"]): SchemaNode => {
  const { spec } = readSchema(kinds[kind].definition).properties ?? {};
  if (!spec) throw new Error(`expected a spec in the schema of ${kind}`);
  return spec;
};

export const leaves: readonly Leaf[] = kindsTried.flatMap((kind) =>
  [...placesBelow(specSchema(kind), "spec")]
    .filter(({ node }) => node.type !== "object" && node.type !== "array")
    .map(({ schemaPath, node, required }) => ({ kind, schemaPath, required, words: node.enum ?? [] })),
);
