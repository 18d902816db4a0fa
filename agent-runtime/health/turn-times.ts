// How long the latest model turns took, to tell when answers have become slow (HLT-2). Old turns do not count, so that the
// verdict recovers without traffic.
import type { Clock } from "../../lib/process/clock.ts";

const keptTurns = 5;
const keptMs = 300_000;

export interface TurnTimes {
  add(durationMs: number): void;
  /** The average of the latest five turns when it is over the threshold; undefined with fewer turns. */
  observeSlow(): number | undefined;
}

/** Counts as slow above `slowAnswerMs`. */
export function createTurnTimes(options: { slowAnswerMs: number; clock: Clock }): TurnTimes {
  let turns: { endedAt: number; durationMs: number }[] = [];
  return {
    add(durationMs) {
      turns = [...turns, { endedAt: options.clock.now(), durationMs }].slice(-keptTurns);
    },
    observeSlow() {
      const recent = turns.filter(({ endedAt }) => options.clock.now() - endedAt <= keptMs);
      if (recent.length < keptTurns) return undefined;
      const averageMs = recent.reduce((sum, { durationMs }) => sum + durationMs, 0) / recent.length;
      return averageMs > options.slowAnswerMs ? averageMs : undefined;
    },
  };
}
