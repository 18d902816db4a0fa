// So many at once and no more; who comes later waits in line, or gives up when their signal aborts.
export interface Slots {
  /** Resolves with how to give the slot back; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const line: (() => void)[] = [];
  // Handed on at once: whoever comes before the first in line has gone on would take a place that is not there.
  const release = () => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const once = () => {
    let isReleased = false;
    return () => {
      if (!isReleased) release();
      isReleased = true;
    };
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
      } else {
        await new Promise<void>((resolve, reject) => {
          const go = () => resolve();
          line.push(go);
          const leave = () => {
            const at = line.indexOf(go);
            if (at >= 0) line.splice(at, 1);
            reject(signal.reason);
          };
          signal.addEventListener("abort", leave, { once: true });
        });
      }
      return once();
    },
  };
}
