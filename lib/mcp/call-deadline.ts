// The deadlines of one call: idle time, started anew by progress, and total time. It knows nothing of MCP.

export interface CallDeadline {
  /** Aborts when a deadline passes or the caller's signal does. */
  readonly signal: AbortSignal;
  /** Starts the idle time anew. */
  reset(): void;
  /** Stops the idle time, as while the other side waits for us, until what it returns is called. */
  hold(): () => void;
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
  let idle = setTimeout(() => end("idle"), idleTimeoutMs);
  let holds = 0;
  let stopped = false;
  const total = totalTimeoutMs === undefined ? undefined : setTimeout(() => end("total"), totalTimeoutMs);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    // A timer that was cleared would be started anew by it.
    reset: () => void (why === undefined && holds === 0 && idle.refresh()),
    hold() {
      holds += 1;
      clearTimeout(idle);
      return () => {
        holds -= 1;
        if (holds === 0 && why === undefined && !stopped) idle = setTimeout(() => end("idle"), idleTimeoutMs);
      };
    },
    expired: () => why,
    stop() {
      stopped = true;
      clearTimeout(idle);
      clearTimeout(total);
      signal.removeEventListener("abort", onAbort);
    },
  };
}
