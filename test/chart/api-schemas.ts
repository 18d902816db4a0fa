// JSON schemas for kubeconform out of what an API server publishes: one file for each kind, unknown fields refused.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callApi, type ApiAccess } from "../cluster/api-call.ts";

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
  [keyword: string]: unknown;
}

/** For kubeconform's --schema-location. */
export const schemaLocation = (dir: string): string =>
  join(dir, "{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json");

/** Writes the schemas of all kinds of the paths, for example `api/v1` or `apis/apps/v1`. */
export async function writeApiSchemas(access: ApiAccess, dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const get = async (path: string) => JSON.parse((await callApi(access, { path, timeoutMs: 30_000 })).body);
  const { paths }: { paths: Record<string, { serverRelativeURL: string }> } = await get("/openapi/v3");
  for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
    if (!/^apis?\/.*v\d+(alpha\d+|beta\d+)?$/.test(path)) continue;
    const { components }: { components?: { schemas?: Record<string, Schema> } } = await get(serverRelativeURL);
    const schemas = components?.schemas ?? {};
    Object.values(schemas).forEach(closeObjects);
    for (const [name, schema] of Object.entries(schemas)) {
      for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] ?? []) {
        // kubeconform takes "v1" for the group of the core.
        const file = `${kind.toLowerCase()}-${group === "" ? version : group}-${version}.json`;
        const text = JSON.stringify({ $ref: `#/components/schemas/${name}`, components: { schemas } });
        await writeFile(join(dir, file), text);
      }
    }
  }
}

/** Every object with named fields takes no others, as under strict field validation. */
function closeObjects(schema: Schema): void {
  const isOpen = schema.additionalProperties !== undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.properties !== undefined && !isOpen) schema.additionalProperties = false;
  for (const below of Object.values(schema.properties ?? {})) closeObjects(below);
  for (const below of [schema["items"], schema.additionalProperties]) if (isSchema(below)) closeObjects(below);
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
