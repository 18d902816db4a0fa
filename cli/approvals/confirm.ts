// Asks a person at a terminal for a yes. Nothing but a yes is one.
import { createInterface } from "node:readline/promises";

interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** False also when the person leaves, or `signal` aborts. */
export async function confirm(question: string, streams: Streams, signal: AbortSignal): Promise<boolean> {
  const left = new AbortController();
  const lines = createInterface({ input: streams.stdin, output: streams.stderr });
  lines.once("close", () => left.abort());
  lines.once("SIGINT", () => left.abort());
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: AbortSignal.any([signal, left.signal]) });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (!left.signal.aborted && !signal.aborted) throw error;
    streams.stderr.write("\n");
    return false;
  } finally {
    lines.close();
  }
}
