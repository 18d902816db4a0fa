// For whom a gateway sends a request on to an agent (MGM-1): a hash of who it is, so that sessions and conversations of one
// person are nobody else's, also after a restart of either. It proves nothing, and opens nothing that is closed to those who
// reach the agent by themselves: what it protects is found by ids that only their owners know.
import { createHash } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { McpVariables } from "../mcp/serve.ts";

export const callerHeader = "pallas-caller";

export const renderCaller = (subject: string): string => createHash("sha256").update(subject).digest("hex");

/** Names the caller of requests that come through a gateway; others stay without a name. */
export const nameGatewayCaller: MiddlewareHandler<McpVariables> = async (context, next) => {
  const said = context.req.header(callerHeader);
  if (said !== undefined && /^[0-9a-f]{64}$/.test(said)) context.set("caller", { subject: `gateway ${said}` });
  await next();
};
