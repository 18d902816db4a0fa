// So many at once and no more; who comes later waits in line, or gives up when their signal aborts.
export interface Slots {
  /** Resolves with how to give the slot back; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const line: (() => void)[] = [];
  const release = () => {
    free += 1;
    line.shift()?.();
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
      if (free === 0) {
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
      free -= 1;
      return once();
    },
  };
}
