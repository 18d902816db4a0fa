// Long work over a list in short pieces, so that the event loop goes on in between.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../lib/process/clock.ts";

const sliceMs = 4;
/** Items between two looks at the clock. */
const stride = 16;

/** Runs `work` for each item in order; resolves when the last is done. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  clock: Pick<Clock, "now">,
  work: (item: Item) => void,
): Promise<void> {
  let startedAt = clock.now();
  let count = 0;
  for (const item of items) {
    work(item);
    count += 1;
    if (count % stride !== 0 || clock.now() - startedAt < sliceMs) continue;
    await setImmediate();
    startedAt = clock.now();
  }
}
