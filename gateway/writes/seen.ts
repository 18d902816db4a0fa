// Waits until what was written is what the gateway knows, so that whoever writes next is judged by it and not turned away for
// a change of their own.
import type { PallasAgent } from "../../crds/agent.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { GatewayState } from "../state/state.ts";

/** A watch is behind by milliseconds; one that is broken must not hold up an answer. */
export const maxBehindMs = 2_000;

/** Resolves when the state has this agent, or a later form of it, and at the latest after `maxBehindMs`. */
export async function untilSeen(
  { metadata: { name, uid, generation = 0 } }: PallasAgent,
  state: Pick<GatewayState, "getAgent" | "onChange">,
  clock: Clock,
): Promise<void> {
  const isSeen = () => {
    const known = state.getAgent(name)?.metadata;
    return known?.uid === uid && (known?.generation ?? 0) >= generation;
  };
  if (isSeen()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = state.onChange(() => {
    if (isSeen()) resolve();
  });
  const timer = clock.schedule(maxBehindMs, resolve);
  await promise;
  timer.cancel();
  stop();
}
