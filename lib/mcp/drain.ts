// How a program that serves MCP stops (AGT-12): not ready at once; served on while endpoints lag; then new calls are refused;
// those in flight may end. It decides when, the caller does the rest.
import { setImmediate } from "node:timers/promises";
import type { MiddlewareHandler } from "hono";
import { settledWithin, type Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";
import { isJsonObject, renderRpcFailure, rpcCodes } from "./json-rpc.ts";

/** Larger than any notification. */
const maxNotificationBytes = 16_384;
const retryAfterSeconds = 5;
/** For calls that were aborted to send their result. */
const abortGraceMs = 2_000;

export interface CallsInFlight {
  count(): number;
  /** Resolves when there is none any more, at once if there is none. */
  idle(): Promise<void>;
  /** Ends them as soon as can be. */
  abortAll(): void;
}

export interface Drain {
  /** True from the first moment of stopping. */
  isDraining(): boolean;
  /** Ends connections while draining, and refuses new calls with 503 once serving on is over; cancellations still pass. */
  refuseCalls: MiddlewareHandler;
  /** Resolves when no call is in flight any more; calls over `timeoutMs` are aborted, and all of them when `signal` aborts. */
  run(options: { delayMs: number; timeoutMs: number; signal: AbortSignal }): Promise<void>;
}

export interface DrainParts {
  /** In a sentence, with its article. */
  program: string;
  calls: CallsInFlight;
  /** Runs at the first moment. */
  onBegin: () => void;
  log: Logger;
  clock: Clock;
}

/** Draining of the calls in `calls`. */
export function createDrain(parts: DrainParts): Drain {
  const { program, calls, log, clock } = parts;
  let state: "serving" | "lagging" | "refusing" = "serving";
  return {
    isDraining: () => state !== "serving",
    async refuseCalls(c, next) {
      if (state !== "refusing" || c.req.method !== "POST" || (await isNotification(c.req.raw))) {
        await next();
        // The MCP transport asks for keep-alive on its streams, which would outweigh the server's own wish.
        if (state !== "serving") c.header("Connection", "close");
        return undefined;
      }
      return renderRpcFailure({
        status: 503,
        code: rpcCodes.serverError,
        message: `${program} is shutting down: try again, another replica or its successor will answer`,
        headers: { "Retry-After": String(retryAfterSeconds) },
      });
    },
    async run({ delayMs, timeoutMs, signal }) {
      state = "lagging";
      parts.onBegin();
      log.info({ calls: calls.count(), delayMs }, "draining");
      const hurried = untilAborted(signal);
      await settledWithin(hurried, delayMs, clock);
      state = "refusing";
      await settledWithin(Promise.race([calls.idle(), hurried]), timeoutMs, clock);
      if (calls.count() > 0) {
        log.warn({ calls: calls.count(), timeoutMs }, "calls in flight are aborted");
        calls.abortAll();
        await settledWithin(calls.idle(), abortGraceMs, clock);
      }
      // The last call has ended, but its result is still on its way to the transport, which whoever is next closes.
      await setImmediate();
    },
  };
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

async function isNotification(request: Request): Promise<boolean> {
  const length = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (length > maxNotificationBytes) return false;
  try {
    const body: unknown = await request.clone().json();
    return isJsonObject(body) && body["id"] === undefined;
  } catch {
    return false; // Not JSON: refused like any other call.
  }
}
