// Ends what a test has started, the last one first, whatever became of the test.
import { afterEach } from "vitest";

interface Started {
  stop(): Promise<void>;
}

/** A list for what the tests of a file start. */
export function stopAfterEach(): Started[] {
  const started: Started[] = [];
  afterEach(async () => {
    for (const { stop } of started.splice(0).toReversed()) await stop();
  });
  return started;
}

/** Waits for a start and ends what it started after the test. */
export function keepUntilEnd(): <Value extends Started>(starting: Promise<Value>) => Promise<Value> {
  const started = stopAfterEach();
  return async (starting) => {
    const value = await starting;
    started.push(value);
    return value;
  };
}
