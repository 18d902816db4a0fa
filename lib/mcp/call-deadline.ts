// The deadlines of one call: idle time, started anew by progress, and total time. It knows nothing of MCP.
import { systemClock } from "../process/clock.ts";

/** Tells when somebody's time stands still: `rest` is called when it begins to, and what that returns when it goes on. */
export type Rests = (rest: () => () => void) => () => void;

export interface CallDeadline {
  /** Aborts when a deadline passes or the caller's signal does. */
  readonly signal: AbortSignal;
  /** Starts the idle time anew. */
  reset(): void;
  /** Stops both times, as while the other side waits for us, until what it returns is called. */
  hold(): () => void;
  /** What ended the call early; undefined while nothing did. */
  expired(): "idle" | "total" | "cancelled" | undefined;
  /** Stops the timers; call it when the call has ended. */
  stop(): void;
}

export interface DeadlineOptions {
  signal: AbortSignal;
  idleTimeoutMs: number;
  totalTimeoutMs?: number | undefined;
  /** When the total time stands still, as that of the work does that the call is part of. Default: never. */
  rests?: Rests | undefined;
}

/** Deadlines of at most 2^31 - 1 ms; without `totalTimeoutMs` only silence ends the call. */
export function startDeadline(options: DeadlineOptions): CallDeadline {
  const { signal, idleTimeoutMs, totalTimeoutMs, rests } = options;
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
  const total = totalTimeoutMs === undefined ? undefined : startTotal(totalTimeoutMs, () => end("total"));
  const unfollow = total && rests?.(total.hold);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    // A timer that was cleared would be started anew by it.
    reset: () => void (why === undefined && holds === 0 && idle.refresh()),
    hold() {
      holds += 1;
      clearTimeout(idle);
      const resume = total?.hold();
      return () => {
        holds -= 1;
        resume?.();
        if (holds === 0 && why === undefined && !stopped) idle = setTimeout(() => end("idle"), idleTimeoutMs);
      };
    },
    expired: () => why,
    stop() {
      stopped = true;
      clearTimeout(idle);
      unfollow?.();
      total?.stop();
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/** A timer that several may hold. */
function startTotal(totalTimeoutMs: number, onPassed: () => void) {
  let leftMs = totalTimeoutMs;
  let startedAt = systemClock.now();
  let timer: NodeJS.Timeout | undefined = setTimeout(onPassed, leftMs);
  let holds = 0;
  let stopped = false;
  return {
    hold() {
      holds += 1;
      if (holds === 1) {
        clearTimeout(timer);
        leftMs -= systemClock.now() - startedAt;
      }
      return () => {
        holds -= 1;
        if (holds > 0 || stopped) return;
        startedAt = systemClock.now();
        timer = setTimeout(onPassed, Math.max(0, leftMs));
      };
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
