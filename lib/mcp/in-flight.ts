// The calls that a program works on: requests whose answers are not sent yet. Streams of changes are none, since they last
// for as long as their readers do, and nobody waits for them.
import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "../process/http-server.ts";
import { isStreamOfChanges } from "./stream-of-changes.ts";

export interface InFlight {
  /** Before the routes whose calls count. */
  middleware: MiddlewareHandler<{ Bindings: ServerEnv }>;
  count(): number;
  /** Resolves when none is in flight, at once if none is. */
  idle(): Promise<void>;
}

export function createInFlight(): InFlight {
  let count = 0;
  let idle = Promise.withResolvers<void>();
  idle.resolve();
  return {
    async middleware(c, next) {
      if (!isStreamOfChanges(c.req.raw)) {
        if (count === 0) idle = Promise.withResolvers<void>();
        count += 1;
        // Sent whole, or its reader has gone.
        c.env.outgoing.once("close", () => {
          count -= 1;
          if (count === 0) idle.resolve();
        });
      }
      await next();
    },
    count: () => count,
    idle: () => idle.promise,
  };
}
