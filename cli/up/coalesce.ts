// Runs a task for changes: one run at a time, and always once more after the last change.

export interface Coalesced {
  /** Something changed: run soon. */
  changed(): void;
  /** Resolves when a run has seen everything that changed so far. */
  settled(): Promise<void>;
}

/** A task that fails is told of, and runs again at the next change. */
export function coalesce(task: () => Promise<void>, onError: (error: unknown) => void): Coalesced {
  let isDirty = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    // Changes come in bursts; one run sees all that came in this turn of the event loop.
    await Promise.resolve();
    while (isDirty) {
      isDirty = false;
      try {
        await task();
      } catch (error) {
        onError(error);
      }
    }
    running = undefined;
  };
  return {
    changed() {
      isDirty = true;
      running ??= run();
    },
    settled: async () => running,
  };
}
