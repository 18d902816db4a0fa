// How many calls a process that stops still works on, told as often as the number changes.
import type { HealthReport } from "../../crds/health.ts";
import { sleep, type Clock } from "../../lib/process/clock.ts";

const intervalMs = 500;

/** Until the signal. A process that cannot be asked has none that anybody knows of. */
export async function followCalls(
  observe: () => Promise<HealthReport | "unreachable">,
  onCalls: (calls: number) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let told = 0;
  while (!signal.aborted) {
    const health = await observe();
    const { callsInFlight = 0 } = health === "unreachable" ? {} : health;
    if (!signal.aborted && callsInFlight !== told) onCalls((told = callsInFlight));
    await sleep(clock, intervalMs, signal).catch(() => undefined);
  }
}
