/** The deadlines of one call: idle time, started anew by progress, and total time. It knows nothing of MCP. */

export interface CallDeadline {
  /** Aborts when a deadline passes or the caller's signal does. */
  readonly signal: AbortSignal;
  /** Starts the idle time anew. */
  reset(): void;
  /** What ended the call early; undefined while nothing did. */
  expired(): "idle" | "total" | "cancelled" | undefined;
  /** Stops the timers; call it when the call has ended. */
  stop(): void;
}

/** Deadlines of at most 2^31 - 1 ms; without `totalTimeoutMs` only silence ends the call. */
export function startDeadline(options: {
  signal: AbortSignal;
  idleTimeoutMs: number;
  totalTimeoutMs?: number | undefined;
}): CallDeadline {
  const { signal, idleTimeoutMs, totalTimeoutMs } = options;
  const controller = new AbortController();
  let why: "idle" | "total" | "cancelled" | undefined;
  const end = (reason: "idle" | "total" | "cancelled") => {
    why ??= reason;
    controller.abort(reason === "cancelled" ? signal.reason : new Error(`the call's ${reason} timeout passed`));
  };
  const onAbort = () => end("cancelled");
  const idle = setTimeout(() => end("idle"), idleTimeoutMs);
  const total = totalTimeoutMs === undefined ? undefined : setTimeout(() => end("total"), totalTimeoutMs);
  if (signal.aborted) {
    onAbort();
  }
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    reset: () => void (why === undefined && idle.refresh()),
    expired: () => why,
    stop() {
      clearTimeout(idle);
      clearTimeout(total);
      signal.removeEventListener("abort", onAbort);
    },
  };
}
