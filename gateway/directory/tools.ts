// The directory as MCP tools, to read (DIR-3, DIR-4): for people with a role on the management server, and for agents, which find
// these two and no others. What a model reads is short: of many capabilities it is given the first, and how many there are.
import * as z from "zod";
import { defineTool, renderAnswer, ToolRefused, type ManagementTool } from "../management/tools/tool.ts";
import type { Catalogue } from "./catalogue.ts";
import { discover, maxPageSize, parseDiscoverQuery } from "./discover.ts";
import type { DirectoryEntry } from "./entry.ts";
import { findCard } from "./reads.ts";
import { DirectoryRefused } from "./refused.ts";
import { renderEndpoint } from "./render.ts";

const maxShownCapabilities = 20;
const maxShownChars = 500;

const shorten = (text: string): string =>
  text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars - 1)}…`;

function renderShort({ id, name, description, capabilities, endpoints }: DirectoryEntry, catalogue: Catalogue) {
  return {
    id,
    name,
    ...(description !== undefined && { description: shorten(description) }),
    capabilities: capabilities.slice(0, maxShownCapabilities).map(({ name: own, description: about, tags = [] }) => ({
      name: own,
      ...(about !== undefined && { description: shorten(about) }),
      tags,
    })),
    capability_count: capabilities.length,
    endpoints: endpoints.map((endpoint) => {
      const { transport, protocol, address, liveness } = renderEndpoint(endpoint, catalogue);
      return { protocol, transport, address, liveness };
    }),
  };
}

/** What the directory refuses, as tools do. */
function refuse(error: unknown): never {
  if (!(error instanceof DirectoryRefused)) throw error;
  throw new ToolRefused(error.status === 404 ? "not_found" : "invalid", error.message, { cause: error });
}

const parameterNames = new Map([
  ["live_only", "liveOnly"],
  ["page_size", "pageSize"],
]);

const discoverArguments = z.strictObject({
  capability: z.string().max(4_096).exactOptional().meta({ description: "Name of a capability that it must have." }),
  tags: z.array(z.string().max(64)).max(32).exactOptional().meta({
    description: "Tags that its capabilities must have, all of them. Tools of MCP servers have tool and mcp.",
  }),
  protocol: z.string().max(32).exactOptional().meta({ description: "MCP, A2A, ACP or Unknown." }),
  transport: z
    .string()
    .max(32)
    .exactOptional()
    .meta({ description: "Http, Amqp, AzureServiceBus, Grpc or WebSocket." }),
  live_only: z.boolean().exactOptional().meta({ description: "Whether only what is alive is listed. Default true." }),
  page: z.int().min(1).max(1_000_000).exactOptional().meta({ description: "From 1. Default 1." }),
  page_size: z
    .int()
    .min(1)
    .max(maxPageSize)
    .exactOptional()
    .meta({ description: `Up to ${maxPageSize}. Default 20.` }),
});

export function createDirectoryTools(catalogue: Catalogue): ManagementTool[] {
  return [
    defineTool({
      name: "discover_agents",
      title: "Discover agents",
      description:
        "Finds agents and MCP servers in the directory of this instance by capability, tags, protocol and whether they are alive. Says where each is reached.",
      role: "viewer",
      forAgents: true,
      annotations: { readOnlyHint: true },
      args: discoverArguments,
      async call(args, identity) {
        const given = Object.entries(args).map(([name, value]): [string, string] => [
          parameterNames.get(name) ?? name,
          String(value),
        ]);
        try {
          const { items, totalCount, page, totalPages } = discover(
            catalogue.list(identity),
            parseDiscoverQuery(new URLSearchParams(given)),
            catalogue.isLive,
          );
          const agents = items.map((entry) => renderShort(entry, catalogue));
          return renderAnswer({ agents, total_count: totalCount, page, total_pages: totalPages });
        } catch (error) {
          return refuse(error);
        }
      },
    }),
    defineTool({
      name: "get_mcp_server_card",
      title: "Get an MCP server's card",
      description:
        "Returns the server card of an MCP server in the directory, as it was submitted: its URL, capabilities, and its tools with their schemas. Ids are those of discover_agents.",
      role: "viewer",
      forAgents: true,
      annotations: { readOnlyHint: true },
      args: z.strictObject({
        id: z.string().min(1).max(64).meta({ description: "Id of the server in the directory." }),
      }),
      async call({ id }, identity) {
        try {
          return { content: [{ type: "text", text: findCard(catalogue, id, identity) }] };
        } catch (error) {
          return refuse(error);
        }
      },
    }),
  ];
}
