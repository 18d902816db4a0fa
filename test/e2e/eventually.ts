// Waiting in end-to-end tests.
import { setTimeout as delay } from "node:timers/promises";

const pollMs = 250;

/** Looks until there is something; throws what the last look threw, or says what was expected. */
export async function eventually<T>(what: string, timeoutMs: number, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let failure: unknown;
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > deadline) throw new Error(`expected within ${timeoutMs} ms: ${what}`, { cause: failure });
    await delay(pollMs);
  }
}
