// Resources of a server over a connected client of either era: lists with their templates, and reading in a tool result's form.
import { type Client, ProtocolError, type RequestOptions, SdkHttpError } from "@modelcontextprotocol/client";
import { rpcCodes } from "./json-rpc.ts";
import type { ToolResult } from "./table.ts";
import type { TraceContext } from "./trace-context.ts";

export interface ResourceDescription {
  /** Of a template: with `{parts}` to be filled in. */
  uri: string;
  name: string;
  description?: string | undefined;
  mimeType?: string | undefined;
}

/** All pages of resources, then of templates. */
export async function listResources(client: Client, sdkOptions: RequestOptions): Promise<ResourceDescription[]> {
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
  return [...resources, ...resourceTemplates.map(({ uriTemplate: uri, ...template }) => ({ uri, ...template }))];
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
