// Ends a call that says nothing any more, or that outlives its deadline. Any byte counts as a sign of life: models
// that think for minutes are kept alive by their servers' pings, and a chunk-based limit would cut them off.
import type { Clock, Timer } from "../../lib/process/clock.ts";

export interface SilenceWatch {
  /** Aborted by the caller's signal, by silence or by the deadline. */
  signal: AbortSignal;
  /** Why this watch itself ended the call; undefined while it did not. */
  expired(): "silence" | "deadline" | undefined;
  /** A byte came. */
  touch(): void;
  /** Ends the watch, and the call if it still runs. */
  stop(): void;
}

/** Watches one call from now on. `deadlineMs` is by the clock's `now`. */
export function watchSilence(options: {
  clock: Clock;
  silenceMs: number;
  deadlineMs: number | undefined;
  signal: AbortSignal;
}): SilenceWatch {
  const { clock, silenceMs, deadlineMs } = options;
  const controller = new AbortController();
  let expired: "silence" | "deadline" | undefined;
  let lastByteMs = clock.now();
  let timer: Timer | undefined;

  const arm = () => {
    const now = clock.now();
    const silentAtMs = lastByteMs + silenceMs;
    const endMs = Math.min(silentAtMs, deadlineMs ?? Infinity);
    if (now < endMs) {
      timer = clock.schedule(endMs - now, arm);
      return;
    }
    expired = now >= silentAtMs ? "silence" : "deadline";
    controller.abort();
  };
  arm();

  return {
    signal: AbortSignal.any([options.signal, controller.signal]),
    expired: () => expired,
    touch: () => {
      lastByteMs = clock.now();
    },
    stop: () => {
      timer?.cancel();
      controller.abort();
    },
  };
}
