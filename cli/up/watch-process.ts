// Looks at a process while it is ready: whether it still answers, and how it says it is. One that does not answer three
// times in a row is given up, as a kubelet would; what becomes of it then is the runner's business.
import { sleep, type Clock } from "../../lib/process/clock.ts";

export const watchLimits = {
  intervalMs: 5_000,
  /** Looks without an answer, one after the other. */
  maxSilences: 3,
  /** An agent asks its servers and providers for its health, which is not done at every look. */
  looksPerHealth: 3,
  /** Of what will soon be another by itself. */
  passingIntervalMs: 500,
} as const;

export interface WatchOptions<Health> {
  clock: Clock;
  observeLiveness(signal: AbortSignal): Promise<boolean>;
  /** Undefined where nothing reports any, as of the registry. */
  observeHealth?(signal: AbortSignal): Promise<Health | "unreachable">;
  onHealth(health: Health | "unreachable"): void;
  /** Where asking costs nothing: whether what was found will soon be another. Its health is asked for at every look. */
  isPassing?(health: Health | "unreachable"): boolean;
}

/** Until the signal: undefined. Else why the process must be started anew. */
export async function watchProcess<Health>(
  options: WatchOptions<Health>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { clock, observeLiveness, observeHealth, onHealth, isPassing } = options;
  const looksPerHealth = isPassing === undefined ? watchLimits.looksPerHealth : 1;
  let silences = 0;
  let intervalMs: number = watchLimits.intervalMs;
  for (let looks = 0; !signal.aborted; looks += 1) {
    const wasSilent = silences > 0;
    silences = (await observeLiveness(signal)) ? 0 : silences + 1;
    if (signal.aborted) return undefined;
    if (silences === watchLimits.maxSilences) return `does not answer any more (${silences} times in a row)`;
    if (silences > 0) {
      onHealth("unreachable");
      intervalMs = watchLimits.intervalMs;
    } else if (observeHealth !== undefined && (wasSilent || looks % looksPerHealth === 0)) {
      const health = await observeHealth(signal);
      if (!signal.aborted) onHealth(health);
      intervalMs = isPassing?.(health) === true ? watchLimits.passingIntervalMs : watchLimits.intervalMs;
    }
    await sleep(clock, intervalMs, signal).catch(() => undefined);
  }
  return undefined;
}
