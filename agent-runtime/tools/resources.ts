// The tool by which a model reads what its servers hold as resources (MCP resources/read), and learns what there is. One
// tool for all servers of a run; each call is that of one server, with its rules, deadline and name in progress and metrics.
import type { RunServer } from "../../crds/run-config.ts";
import type { ResourceLists } from "../../lib/mcp/client-resources.ts";
import type { CallOptions } from "../../lib/mcp/open-connection.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { Link } from "../../lib/mcp/link.ts";
import { defined } from "../../lib/process/defined.ts";
import type { JudgedCall } from "../policy/types.ts";
import { readResourceName, resourcesRead } from "./naming.ts";
import type { ToolRoute } from "./route.ts";

/** More are counted, and not shown. */
export const maxListed = 500;
const maxDescriptionChars = 200;
/** It goes into a header of the request too. */
const maxUriChars = 4_096;

const uri = {
  type: "string",
  maxLength: maxUriChars,
  description: "URI of the resource, exactly as it was listed or linked.",
} as const;

/** Of what is asked of one server. */
const readSchema = { type: "object" as const, properties: { uri }, additionalProperties: false };

/** A server that has resources, and whose rules let this agent read them. */
export interface ReadableServer {
  server: RunServer;
  link: Link;
}

export interface ResourceRoutes {
  /** The tool as the model is shown it. */
  shared: ToolRoute;
  /** The way to the server that the arguments name; undefined when they name none. */
  find(args: unknown): ToolRoute | undefined;
}

/** Undefined where no server has resources to read. */
export function createResourceRoutes(servers: readonly ReadableServer[]): ResourceRoutes | undefined {
  if (servers.length === 0) return undefined;
  const names = servers.map(({ server }) => server.name);
  const shared: ToolRoute = {
    name: readResourceName,
    label: { server: "servers", tool: resourcesRead },
    downstream: "servers",
    operation: "resource",
    linksReadable: false,
    description:
      `Reads a resource of one of these servers: ${names.join(", ")}. ` +
      "Leave uri out to list what resources the server has. Links in tool results can be read by their uri.",
    inputSchema: {
      type: "object",
      properties: {
        server: { type: "string", enum: names, description: "The server that has the resource." },
        uri,
      },
      required: ["server"],
      additionalProperties: false,
    },
    judged: (args) => ({ call: judgedRead("servers", args), withArgs: (sent) => sent }),
    renderProgress: () => undefined,
    // The schema lets no other server through.
    call: () => Promise.reject(new McpError("protocol", `name one of these servers: ${names.join(", ")}`)),
  };
  const routes = new Map(servers.map((each) => [each.server.name, renderRoute(shared, each)]));
  return {
    shared,
    find(args) {
      const server = isJsonObject(args) ? args["server"] : undefined;
      return typeof server === "string" ? routes.get(server) : undefined;
    },
  };
}

/** As a tool of the server, by the name that rules of allowed tools have for it. */
export const judgedRead = (server: string, args: Record<string, unknown>): JudgedCall => ({
  ...{ server, tool: resourcesRead, args },
  definition: { inputSchema: readSchema, annotations: { readOnlyHint: true } },
});

function renderRoute(shared: ToolRoute, { server, link }: ReadableServer): ToolRoute {
  return {
    ...shared,
    // Which server it is, is no argument of the call to it.
    judged: ({ uri: asked }) => ({
      call: judgedRead(server.name, defined({ uri: asked })),
      withArgs: (sent) => ({ ...sent, server: server.name }),
    }),
    label: { server: server.name, tool: resourcesRead },
    downstream: server.name,
    linksReadable: true,
    async call({ uri: asked }, options) {
      const callOptions: CallOptions = { ...options, idleTimeoutMs: server.timeoutMs };
      if (typeof asked === "string" && asked !== "") {
        return await link.use((connection) => connection.readResource(asked, callOptions));
      }
      const text = renderList(server.name, await link.use((connection) => connection.listResources(callOptions)));
      return { content: [{ type: "text", text }] };
    },
  };
}

function renderList(server: string, lists: ResourceLists): string {
  const resources = [...lists.resources, ...lists.templates.map((each) => ({ ...each, uri: each.uriTemplate }))];
  if (resources.length === 0) return `${server} lists no resources.`;
  const lines = resources.slice(0, maxListed).map(({ uri, name, mimeType, description = "" }) => {
    const type = mimeType === undefined ? "" : ` (${mimeType})`;
    const said = description === "" ? "" : `: ${description.slice(0, maxDescriptionChars).replaceAll(/\s+/g, " ")}`;
    return `${uri} - ${name}${type}${said}`;
  });
  const more = resources.length > maxListed ? [`… and ${resources.length - maxListed} more, which are not listed`] : [];
  return [`Resources of ${server}; in a URI fill in what is in {braces}:`, ...lines, ...more].join("\n");
}
