// Tells people how an endpoint of embeddings is doing, a line for each change and no more: one that fails and is well again in turns is
// said to fail, until it has been well for a while.
import type { Clock, Timer } from "../../../lib/process/clock.ts";
import type { Logger } from "../../../lib/process/log.ts";

/** From the line that says it fails to the one that says it is well. */
const steadyMs = 30_000;

export interface EmbeddingsState {
  /** Why search goes without it; undefined where nothing is wrong. */
  problem: string | undefined;
  isComplete: boolean;
  counts: { texts: number; embedded: number; refused: number };
}

export interface StateLog {
  /** To be told whenever the state may be another. */
  tell(state: EmbeddingsState): void;
  close(): void;
}

export function createStateLog({ log, clock }: { log: Logger; clock: Pick<Clock, "now" | "schedule"> }): StateLog {
  let latest: EmbeddingsState | undefined;
  let failedAt: number | undefined;
  let isToldWell = false;
  let timer: Timer | undefined;
  const look = () => {
    timer = undefined;
    if (latest === undefined) return;
    const { problem, isComplete, counts } = latest;
    if (problem !== undefined) {
      if (failedAt === undefined) {
        log.warn({ problem, ...counts }, "embeddings fail, tools are searched without them");
        failedAt = clock.now();
      }
      isToldWell = false;
    } else if (isComplete && counts.texts > 0 && !isToldWell) {
      const leftMs = failedAt === undefined ? 0 : failedAt + steadyMs - clock.now();
      if (leftMs > 0) {
        timer = clock.schedule(leftMs, look);
        return;
      }
      log.info(counts, "all tools have embeddings");
      failedAt = undefined;
      isToldWell = true;
    }
  };
  return {
    tell(state) {
      latest = state;
      timer?.cancel();
      look();
    },
    close: () => timer?.cancel(),
  };
}
