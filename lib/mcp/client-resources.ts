// Resources of a server over a connected client of either era: lists with their templates, and reading in a tool result's form.
import { type Client, ProtocolError, type RequestOptions, SdkHttpError } from "@modelcontextprotocol/client";
import { defined } from "../process/defined.ts";
import { rpcCodes } from "./json-rpc.ts";
import type { ResourceEntry, ResourceTemplate, ToolResult } from "./table.ts";
import type { TraceContext } from "./trace-context.ts";

export interface ResourceLists {
  resources: ResourceEntry[];
  templates: ResourceTemplate[];
}

/** All pages of both. */
export async function listResources(client: Client, sdkOptions: RequestOptions): Promise<ResourceLists> {
  const options = { ...sdkOptions, cacheMode: "bypass" as const };
  const { resources } = await client.listResources(undefined, options);
  const { resourceTemplates } = await client.listResourceTemplates(undefined, options).catch((error: unknown) => {
    // Not every server with resources has heard of templates. The 2026 era says so by HTTP 404 as well.
    const isUnknown =
      error instanceof ProtocolError
        ? error.code === rpcCodes.methodNotFound
        : error instanceof SdkHttpError && error.status === 404 && client.getProtocolEra() === "modern";
    if (isUnknown) return { resourceTemplates: [] };
    throw error;
  });
  return {
    resources: resources.map(({ uri, name, title, description, mimeType, size, annotations }) => ({
      uri,
      name,
      ...defined({ title, description, mimeType, size, annotations }),
    })),
    templates: resourceTemplates.map(({ uriTemplate, name, title, description, mimeType, annotations }) => ({
      uriTemplate,
      name,
      ...defined({ title, description, mimeType, annotations }),
    })),
  };
}

/** A resource's parts, in the form of a tool's result. */
export async function readResource(
  client: Client,
  { uri, trace }: { uri: string; trace: TraceContext | undefined },
  sdkOptions: RequestOptions,
): Promise<ToolResult> {
  const params = { uri, ...(trace !== undefined && { _meta: { ...trace } }) };
  const { contents } = await client.readResource(params, { ...sdkOptions, cacheMode: "bypass" });
  return { content: contents.map((resource) => ({ type: "resource" as const, resource })) };
}
