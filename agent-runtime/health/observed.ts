// A value that is costly to observe: one observation serves everybody who asks meanwhile and for a while after.
import type { Clock } from "../../lib/process/clock.ts";

export interface Observed<Value> {
  /** The kept value, or a new observation. Rejects when that fails; nothing is kept then. */
  get(): Promise<Value>;
  /** The last value, however old. */
  last(): Value | undefined;
}

/** `keepMs` may depend on what was observed. */
export function createObserved<Value>(
  observe: () => Promise<Value>,
  options: { keepMs: (value: Value) => number; clock: Clock },
): Observed<Value> {
  let kept: { value: Value; at: number } | undefined;
  let running: Promise<Value> | undefined;
  const isFresh = ({ value, at }: { value: Value; at: number }) => options.clock.now() - at < options.keepMs(value);
  const run = async () => {
    try {
      const value = await observe();
      kept = { value, at: options.clock.now() };
      return value;
    } finally {
      running = undefined;
    }
  };
  return {
    async get() {
      if (kept !== undefined && isFresh(kept)) return kept.value;
      running ??= run();
      return running;
    },
    last: () => kept?.value,
  };
}
