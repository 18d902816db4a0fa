// How long a request may take from its first byte in the handler to the last of its answer. The server has a default; a route
// that streams says that it has none, or one of its own. At the deadline an answer that has not begun becomes 504, and one that
// has is cut off, since its reader must not take the half for the whole.
import type { ServerResponse } from "node:http";
import type { MiddlewareHandler } from "hono";
import type { Clock, Timer } from "./clock.ts";

export interface Deadline {
  /** Aborts at the deadline, whose handler should stop its work; the request's own signal tells only that the client has gone. */
  readonly signal: AbortSignal;
  /** From now on the request has this long; undefined: as long as it takes. */
  restart(deadlineMs: number | undefined): void;
}

export interface RunningDeadline extends Deadline {
  /** Resolves at the deadline, with what is answered then. */
  readonly late: Promise<Response>;
}

/** Runs until the answer is sent, or its client has gone. */
export function startDeadline(outgoing: ServerResponse, deadlineMs: number, clock: Clock): RunningDeadline {
  const controller = new AbortController();
  const late = Promise.withResolvers<Response>();
  let timer: Timer | undefined;
  const expire = (afterMs: number) => {
    const message = `no answer within ${afterMs} ms`;
    controller.abort(new Error(message));
    if (outgoing.headersSent) outgoing.destroy();
    const headers = { Connection: "close" };
    late.resolve(Response.json({ error: "deadline_exceeded", message }, { status: 504, headers }));
  };
  const restart = (ms: number | undefined) => {
    timer?.cancel();
    timer = ms === undefined || outgoing.closed ? undefined : clock.schedule(ms, () => expire(ms));
  };
  outgoing.once("close", () => timer?.cancel());
  restart(deadlineMs);
  return { signal: controller.signal, late: late.promise, restart };
}

/** What the server puts into hono's `env` where it has a default. */
interface DeadlineBindings {
  deadline?: Deadline;
}

/** For routes that need more or less time than the server's default; "none" for those that stream. Does nothing without a default. */
export function withDeadline(deadlineMs: number | "none"): MiddlewareHandler<{ Bindings: DeadlineBindings }> {
  return async function deadline(c, next) {
    c.env.deadline?.restart(deadlineMs === "none" ? undefined : deadlineMs);
    await next();
  };
}
