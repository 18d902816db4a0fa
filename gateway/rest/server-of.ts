// The server that a route's path names, where its caller sees it.
import type { Context } from "hono";
import type { GatewayRoutes } from "../name-caller.ts";
import type { ServerEntry } from "../servers/entry.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import { notFound } from "./answers.ts";

/** Throws a RestError where there is none, or it is not for this caller. */
export function serverOf(c: Context<GatewayRoutes>, servers: Pick<ToolServers, "find">): ServerEntry {
  const id = c.req.param("id") ?? "";
  const found = servers.find(id, c.get("caller"));
  if (found === undefined) throw notFound(id);
  return found;
}
