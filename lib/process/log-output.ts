// Where log lines go by default: standard output, gathered for a moment, because a write a line was a twentieth of what a call
// cost. Warnings and errors are written at once, with all that came before; the rest when the process exits at the latest.
import { pino } from "pino";
import type { DestinationStream } from "pino";

const flushMs = 100;
/** Characters; no more than that is ever held. */
const heldAtMost = 8_192;
/** pino's number for WARNING. */
const concurrency = 40;

/** pino writes the level of a line to `lastLevel` where it finds this. */
interface LeveledStream extends DestinationStream {
  [key: symbol]: boolean;
  lastLevel: number;
}

/** @param descriptor to write to; default: standard output */
export function createLogOutput(descriptor = 1): DestinationStream & { flush(): void } {
  const file = pino.destination({ dest: descriptor, sync: true, minLength: heldAtMost });
  let pending: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(pending);
    pending = undefined;
    file.flushSync();
  };
  const output: LeveledStream & { flush(): void } = {
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line: string) {
      file.write(line);
      if (output.lastLevel >= concurrency) flush();
      else pending ??= setTimeout(flush, flushMs).unref();
    },
    flush,
  };
  process.on("exit", flush);
  return output;
}
