// Changes that no watch tells of, told to whoever subscribes to what they change: many at once, or one upon the other, as one.
import type { Clock } from "../../../lib/process/clock.ts";
import { createSettled } from "../../discovery/settled.ts";

/** Calls `note` after each change, until what it returns is called. */
type Listen = (note: () => void) => () => void;

/** `onChange` is called a while after a change, once for all within that, until what this returns is called. */
export function followChanges(
  { clock, settleMs }: { clock: Clock; settleMs: number },
  sources: readonly Listen[],
  onChange: () => void,
): () => void {
  const settled = createSettled({ clock, settleMs, look: () => onChange() });
  const stops = sources.map((listen) => listen(() => settled.note("")));
  return () => {
    for (const stop of stops) stop();
    settled.close();
  };
}
