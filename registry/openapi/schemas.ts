// The shapes of everything the registry answers, as JSON Schema 2020-12 for /openapi.json, from the schemas that stand
// beside what renders each. Those of the generic registry API are as the registry project's OpenAPI has them, and as
// strict as what we answer; a test holds answers against them.
import * as z from "zod";
import {
  catalogueEntrySchema,
  modelCapabilitiesSchema,
  runtimeMetaSchema,
  serverSchema,
} from "../../crds/catalogue.ts";
import { catalogueSchema } from "../catalogue/document.ts";
import { aiCatalogSchema } from "../discovery/ai-catalog.ts";
import { registryHealthSchema } from "../health/report.ts";
import { serverListSchema } from "../servers/page.ts";
import { serverResponseSchema } from "../servers/record.ts";

const named = {
  ModelCapabilities: modelCapabilitiesSchema,
  Server: serverSchema,
  Runtime: runtimeMetaSchema,
  CatalogueEntry: catalogueEntrySchema,
  Catalogue: catalogueSchema,
  ServerResponse: serverResponseSchema,
  ServerList: serverListSchema,
  AiCatalog: aiCatalogSchema,
  Health: registryHealthSchema,
  Probe: z.object({ status: z.enum(["ok", "unavailable"]), reason: z.string().exactOptional() }),
  /** `error` is a word for programs where `message` is there, else a sentence. */
  Failure: z.object({ error: z.string(), message: z.string().exactOptional() }),
};
export type SchemaName = keyof typeof named;

export const refTo = (name: string): string => `#/components/schemas/${name}`;

/** What zod says beside a format, and of numbers beyond JavaScript's own. */
function leaveOutNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

export function renderSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: refTo, override: leaveOutNoise });
  // They are named by where they stand in the document.
  return Object.fromEntries(
    Object.entries(schemas).map(([id, identified]) => {
      const { $schema: _, $id: __, ...schema } = identified;
      return [id, schema];
    }),
  );
}

export interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  description: string;
  schema: object;
}

/** One for each property; a description stands beside its schema, not in it. */
export const renderParameters = (query: z.ZodObject): Parameter[] =>
  Object.entries(query.shape).map(([name, property]) => {
    const { $schema: _, description = "", ...schema } = z.toJSONSchema(property, { override: leaveOutNoise });
    return { name, in: "query", required: false, description, schema };
  });
