// What a server answers, in the form that a table of lib/mcp has it. What is no such thing is left out of lists, and an error
// where it is the whole answer; nothing else is judged here.
import { isJsonObject, JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import type {
  Content,
  ContentAnnotations,
  Icon,
  JsonObjectSchema,
  ResourceContents,
  ResourceEntry,
  ResourceTemplate,
  ToolEntry,
  ToolResult,
} from "../../lib/mcp/table.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Result, SharedClient } from "./shared-client.ts";

/** Pages of one list. */
const maxPages = 100;

/** All pages of a list. */
export async function listAll(client: SharedClient, method: string, key: string): Promise<unknown[]> {
  const entries: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page += 1) {
    const result = await client.request(method, cursor === undefined ? {} : { cursor });
    const listed = result[key];
    if (Array.isArray(listed)) entries.push(...listed);
    cursor = result["nextCursor"];
    if (typeof cursor !== "string") return entries;
  }
  throw new JsonRpcError(rpcCodes.serverError, `the server's ${key} have more than ${maxPages} pages`);
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const record = (value: unknown): Record<string, unknown> | undefined => (isJsonObject(value) ? value : undefined);
const isSchema = (value: unknown): value is JsonObjectSchema => isJsonObject(value) && value["type"] === "object";
const isList = <T>(value: unknown): value is T[] => Array.isArray(value);

export function parseTool(entry: unknown): Omit<ToolEntry, "call"> | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = entry;
  if (typeof name !== "string" || !isSchema(inputSchema)) return undefined;
  return {
    name,
    description: text(description) ?? "",
    inputSchema,
    ...defined({
      title: text(title),
      outputSchema: isSchema(outputSchema) ? outputSchema : undefined,
      annotations: record(annotations),
      icons: isList<Icon>(icons) ? icons : undefined,
      meta: record(_meta),
    }),
  };
}

export function parseToolResult({ content, isError, structuredContent, _meta }: Result): ToolResult {
  if (!isList<Content>(content) && !isJsonObject(structuredContent)) {
    throw new JsonRpcError(rpcCodes.internalError, "expected content in the server's result of a tool, found none");
  }
  return {
    content: isList<Content>(content) ? content : [],
    ...(isError === true && { isError }),
    ...defined({ structuredContent: record(structuredContent), meta: record(_meta) }),
  };
}

export function parseResources(entries: readonly unknown[]): ResourceEntry[] {
  return unique(entries, "uri").flatMap(({ uri, name, size, ...rest }) =>
    typeof uri === "string" && typeof name === "string"
      ? [{ uri, name, ...readDescription(rest), ...(typeof size === "number" && { size }) }]
      : [],
  );
}

export function parseTemplates(entries: readonly unknown[]): ResourceTemplate[] {
  return unique(entries, "uriTemplate").flatMap(({ uriTemplate, name, ...rest }) =>
    typeof uriTemplate === "string" && typeof name === "string"
      ? [{ uriTemplate, name, ...readDescription(rest) }]
      : [],
  );
}

export function parseContents({ contents }: Result): ResourceContents[] {
  if (isList<ResourceContents>(contents)) return contents;
  throw new JsonRpcError(rpcCodes.internalError, "expected contents in the server's result of a resource, found none");
}

/** Lists are sent in pages that go on after a name. */
function unique(entries: readonly unknown[], key: string): Record<string, unknown>[] {
  const objects = entries.filter(isJsonObject);
  return [...new Map(objects.map((each) => [each[key], each])).values()];
}

function readDescription({ title, description, mimeType, annotations }: Record<string, unknown>) {
  const given: ContentAnnotations | undefined = record(annotations);
  return defined({
    title: text(title),
    description: text(description),
    mimeType: text(mimeType),
    annotations: given,
  });
}
