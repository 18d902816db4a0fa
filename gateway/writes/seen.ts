// Waits until what was written is what the gateway knows, so that whoever writes next is judged by it and not turned away for
// a change of their own.
import type { Clock } from "../../lib/process/clock.ts";
import type { GatewayState } from "../state/state.ts";

/** A watch is behind by milliseconds; one that is broken must not hold up an answer. */
export const maxBehindMs = 2_000;

interface Form {
  readonly uid?: string;
  readonly generation?: number;
}

export interface Known extends Pick<GatewayState, "onChange"> {
  /** As it is known now. */
  find(): { readonly metadata: Form } | undefined;
}

/** Resolves when the state has what was written, or a later form of it, and at the latest after `maxBehindMs`. */
export async function untilSeen({ uid, generation = 0 }: Form, known: Known, clock: Clock): Promise<void> {
  const isSeen = () => {
    const found = known.find()?.metadata;
    return found?.uid === uid && (found?.generation ?? 0) >= generation;
  };
  if (isSeen()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = known.onChange(() => {
    if (isSeen()) resolve();
  });
  const timer = clock.schedule(maxBehindMs, resolve);
  await promise;
  timer.cancel();
  stop();
}
