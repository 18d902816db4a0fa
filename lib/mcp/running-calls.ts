// The calls that run on one connection of the 2025 era, by their request ids: which there are, how each is cancelled, and who
// hears of its end. It knows nothing of what they do.

type CallId = string | number;

export interface RunningCalls {
  count(): number;
  has(id: unknown): boolean;
  /** Runs `work` as the call with this id; its signal aborts when the call is cancelled. */
  run<T>(id: CallId, work: (cancelled: AbortSignal) => Promise<T>): Promise<T>;
  /** False when no such call is running. */
  cancel(id: CallId, reason: Error): boolean;
  /** Runs `onEnd` when the call with this id is over; at once when none is running. */
  afterCall(id: unknown, onEnd: () => void): void;
}

interface RunningCall {
  cancelled: AbortController;
  onEnd: (() => void)[];
}

/** None yet. `onCallEnd` hears of every end. */
export function createRunningCalls(onCallEnd: () => void): RunningCalls {
  const calls = new Map<unknown, RunningCall>();
  return {
    count: () => calls.size,
    has: (id) => calls.has(id),
    async run(id, work) {
      const call: RunningCall = { cancelled: new AbortController(), onEnd: [] };
      calls.set(id, call);
      try {
        return await work(call.cancelled.signal);
      } finally {
        calls.delete(id);
        for (const onEnd of call.onEnd) onEnd();
        onCallEnd();
      }
    },
    cancel(id, reason) {
      const call = calls.get(id);
      call?.cancelled.abort(reason);
      return call !== undefined;
    },
    afterCall(id, onEnd) {
      const call = calls.get(id);
      if (call === undefined) onEnd();
      else call.onEnd.push(onEnd);
    },
  };
}
