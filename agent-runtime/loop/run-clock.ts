// The time that one call has (limits.wallClock): it runs while the agent works, and stands still while people are asked, who
// take as long as they take (MGM-6). How long that may be is bounded by whoever asks.
import type { Rests } from "../../lib/mcp/call-deadline.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";

export interface RunClock {
  /** When the time is up, by the clock's `now`; while it stands still, when it would be if it went on now. */
  readonly deadlineMs: number;
  /** Stands still until what it returns is called, by each who had it stand still. */
  pause(): () => void;
  /** How long it has stood still. */
  readonly pausedMs: number;
  /** Tells when it stands still. */
  readonly rests: Rests;
  /** Stops its timer: the call is over. */
  stop(): void;
}

/** Runs from now on. */
export function createRunClock(
  clock: Clock,
  { afterMs, onTimeUp }: { afterMs: number; onTimeUp: () => void },
): RunClock {
  const resting = new Map<() => () => void, (() => void) | undefined>();
  let endsAt = clock.now() + afterMs;
  let pausedAt: number | undefined;
  let pausedMs = 0;
  let pauses = 0;
  let isOver = false;
  let timer: Timer = clock.schedule(afterMs, onTimeUp);

  const goOn = () => {
    pauses -= 1;
    if (pauses > 0 || pausedAt === undefined) return;
    const forMs = clock.now() - pausedAt;
    endsAt += forMs;
    pausedMs += forMs;
    pausedAt = undefined;
    for (const [rest, end] of resting) {
      resting.set(rest, undefined);
      end?.();
    }
    if (!isOver) timer = clock.schedule(Math.max(0, endsAt - clock.now()), onTimeUp);
  };
  return {
    get deadlineMs() {
      return pausedAt === undefined ? endsAt : endsAt + clock.now() - pausedAt;
    },
    get pausedMs() {
      return pausedAt === undefined ? pausedMs : pausedMs + clock.now() - pausedAt;
    },
    pause() {
      pauses += 1;
      if (pausedAt === undefined) {
        timer.cancel();
        pausedAt = clock.now();
        for (const rest of resting.keys()) resting.set(rest, rest());
      }
      return once(goOn);
    },
    rests(begin) {
      const rest = () => begin();
      resting.set(rest, pausedAt === undefined ? undefined : rest());
      return once(() => {
        resting.get(rest)?.();
        resting.delete(rest);
      });
    },
    stop() {
      isOver = true;
      timer.cancel();
    },
  };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}
