// Resources for a downstream server of the tests, in both eras, with the URIs that were read.
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { McpExtension } from "../../lib/mcp/extension.ts";
import { JsonRpcError, rpcCodes } from "../../lib/mcp/json-rpc.ts";
import { defined } from "../../lib/process/defined.ts";

interface TestResource {
  uri: string;
  name: string;
  description?: string;
  mimeType?: string;
  read: () => Promise<{ text: string } | { blob: string }> | { text: string } | { blob: string };
}

export interface TestResources extends McpExtension {
  /** What was asked for, lists as "list". */
  asked: string[];
}

/** A template too, unless the server is one that has never heard of them. */
export function createTestResources(resources: readonly TestResource[], { templates = true } = {}): TestResources {
  const asked: string[] = [];
  const list = () => {
    asked.push("list");
    return {
      resources: resources.map(({ uri, name, description, mimeType }) => ({ uri, name, description, mimeType })),
    };
  };
  const listTemplates = () => ({ resourceTemplates: [{ uriTemplate: "note://{id}", name: "notes" }] });
  const read = async (uri: string) => {
    asked.push(uri);
    const found = resources.find((resource) => resource.uri === uri);
    if (found === undefined) throw new JsonRpcError(rpcCodes.invalidParams, `There is no ${uri}`);
    const { mimeType } = found;
    return { contents: [{ uri, ...defined({ mimeType }), ...(await found.read()) }] };
  };
  return {
    asked,
    extend2025(server) {
      server.registerCapabilities({ resources: {} });
      server.setRequestHandler(ListResourcesRequestSchema, list);
      if (templates) server.setRequestHandler(ListResourceTemplatesRequestSchema, listTemplates);
      server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => read(uri));
    },
    extend2026(server) {
      server.registerCapabilities({ resources: {} });
      server.setRequestHandler("resources/list", list);
      if (templates) server.setRequestHandler("resources/templates/list", listTemplates);
      server.setRequestHandler("resources/read", ({ params: { uri } }) => read(uri));
    },
  };
}
