// How long a request may take that speaks MCP, as all do here, in place of the server's default: a call as long as it takes, since whoever
// serves it has deadlines of its own; a stream of changes until what its caller came with ends, since nobody is asked again.
import type { MiddlewareHandler } from "hono";
import type { Clock } from "../lib/process/clock.ts";
import type { GatewayRoutes } from "./name-caller.ts";
import { isStreamOfChanges } from "../lib/mcp/stream-of-changes.ts";

/** Node's longest timer; a token that lasts longer is asked for again by then. */
const maxTimerMs = 2 ** 31 - 1;

/** Behind the middleware that names the caller. */
export const mcpDeadline = (clock: Clock): MiddlewareHandler<GatewayRoutes> =>
  async function deadline(c, next) {
    const { expiresAtMs } = c.get("caller");
    const endsWithToken = expiresAtMs !== undefined && isStreamOfChanges(c.req.raw);
    c.env.deadline?.restart(endsWithToken ? Math.min(expiresAtMs - clock.wallNow(), maxTimerMs) : undefined);
    await next();
  };
