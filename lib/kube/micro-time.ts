// Time as the API server's MicroTime fields want it, in Leases and Events.
import { renderTime, type Clock } from "../process/clock.ts";

/** The wall clock's time in the form of metav1.MicroTime: UTC, exactly six digits after the second. */
export function renderMicroTime(clock: Clock): string {
  return renderTime(clock).replace(/Z$/, "000Z");
}
