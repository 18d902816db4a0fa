// REST's call of a tool (DSC-8): in the caller's own session where what the server asks is answered by hand, and by the policy of the gateway.
// Where people are asked it waits a while with its request; the same call later is answered by what they decided.
import { Hono } from "hono";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { ToolDescription } from "../../lib/mcp/connect.ts";
import { defined } from "../../lib/process/defined.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { requestWaitMs } from "../policy/asked-people.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import { visibleTools } from "../policy/visible-tools.ts";
import type { ServerEntry } from "../servers/entry.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import type { Tester } from "../tester/tester.ts";
import { needs, readObject, RestError, wrongField } from "./answers.ts";
import { suggestTools } from "./did-you-mean.ts";
import { serverOf } from "./server-of.ts";

/** Of the call itself, once it may be made; the same as a route's default. */
const callMs = 60_000;

export interface CallRouteParts {
  policy: Pick<GatewayPolicy, "judge" | "hides">;
  servers: Pick<ToolServers, "call" | "find">;
  /** Calls in the caller's own session. Default: over the gateway's links. */
  callTool?: Tester["callTool"] | undefined;
}

export function createCallRoute({ policy, servers, callTool }: CallRouteParts): Hono<GatewayRoutes> {
  const app = new Hono<GatewayRoutes>();
  app.post("/api/servers/:id/call", needs("caller"), async (c) => {
    const server = serverOf(c, servers);
    const { tool, args = {} } = await readObject(c.req.raw);
    if (typeof tool !== "string" || tool === "") throw wrongField("tool", "expected the name of a tool");
    if (!isJsonObject(args)) throw wrongField("args", "expected an object");
    if (!server.isActive) {
      throw new RestError(409, "not_active", `server "${server.name}" is not active: activate it first`);
    }
    const caller = c.get("caller");
    const offered = visibleTools(server, policy.hides(caller));
    const definition = findTool(server, tool, offered);
    if (definition === undefined || policy.hides(caller)(server.name, tool, () => undefined)) {
      const more = { did_you_mean: suggestTools(tool, offered) };
      throw new RestError(404, "unknown_tool", `server "${server.name}" offers no such tool`, more);
    }
    const { signal } = c.req.raw;
    const judged = await policy.judge({
      ...{ server: server.name, definition, args, identity: caller, signal, waitMs: requestWaitMs },
      current: () => findTool(server, tool, server.tools ?? []),
    });
    if (judged.answer !== undefined) return c.json(judged.answer);
    c.env.deadline?.restart(callMs);
    try {
      const asked = { permit: judged.permit, caller, signal };
      const authorization = c.req.header("authorization");
      const { content, isError, structuredContent, meta } = await servers.call({
        ...asked,
        server,
        run: callTool && ((idleTimeoutMs) => callTool({ ...asked, authorization, idleTimeoutMs })),
      });
      return c.json({ content, ...defined({ isError, structuredContent, _meta: meta }) });
    } catch (error) {
      if (!(error instanceof McpError)) throw error;
      const status = error.kind === "timeout" ? 504 : 502;
      throw new RestError(status, error.kind.replaceAll("-", "_"), error.tell(), {
        did_you_mean: suggestTools(tool, offered),
      });
    }
  });
  return app;
}

/** Before the first list nobody knows better than the server. */
function findTool(server: ServerEntry, name: string, offered: readonly ToolDescription[]): ToolDescription | undefined {
  if (server.tools === undefined) return { name, inputSchema: { type: "object" } };
  return offered.find((each) => each.name === name);
}
