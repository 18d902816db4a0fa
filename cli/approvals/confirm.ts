// Asks a person at a terminal for a yes. Nothing but a yes is one.
import { createInterface } from "node:readline/promises";

/** False also when the person leaves, or `signal` aborts. */
export async function confirm(question: string, process: NodeJS.Process, signal: AbortSignal): Promise<boolean> {
  const left = new AbortController();
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  lines.once("close", () => left.abort());
  lines.once("SIGINT", () => left.abort());
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: AbortSignal.any([signal, left.signal]) });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (!left.signal.aborted && !signal.aborted) throw error;
    process.stderr.write("\n");
    return false;
  } finally {
    lines.close();
  }
}
