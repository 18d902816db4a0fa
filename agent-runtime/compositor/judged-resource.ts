// What is asked of a server's resource, as the tool that policies have for it. Pure.
import type { JudgedCall } from "../policy/types.ts";
import { resourcesRead } from "../tools/naming.ts";

/** The names by which rules have what is done with resources, besides those of tools. */
export const resourceTools = { read: resourcesRead, subscribe: "resources/subscribe" } as const;

export type ResourceTool = (typeof resourceTools)[keyof typeof resourceTools];

/** What is said of both. */
export const readsOnly = { readOnlyHint: true };

const inputSchema = {
  type: "object" as const,
  properties: { uri: { type: "string", description: "URI of the resource, as the server has it." } },
  required: ["uri"],
  additionalProperties: false,
};

const descriptions: Readonly<Record<ResourceTool, string>> = {
  "resources/read": "Reads a resource of the server.",
  "resources/subscribe": "Hears of changes of a resource of the server.",
};

/** @param uri the server's own */
export const judgedResource = (server: string, tool: ResourceTool, uri: string): JudgedCall => ({
  ...{ server, tool, args: { uri } },
  definition: { description: descriptions[tool], inputSchema, annotations: readsOnly },
});

/** Of arguments that fit the schema, so that there is one. */
export const readUri = ({ uri }: Readonly<Record<string, unknown>>): string => String(uri);
