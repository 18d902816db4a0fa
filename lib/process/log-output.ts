// Where log lines go by default: standard output, gathered for a moment, because a write a line was a twentieth of what a call
// cost. Warnings and errors are written at once, with all that came before; the rest when the process exits at the latest. What
// cannot be written is lost, and never holds a process up for long: one whose reader has gone goes on, and can be ended.
import { writeSync } from "node:fs";
import type { DestinationStream } from "pino";

const flushMs = 100;
/** Characters; no more than that is ever held. */
const heldAtMost = 8_192;
/** pino's number for WARNING. */
const atOnce = 40;
/** A reader that does not keep up is waited for up to 5 s, where the system does not wait itself. */
const full = { pauseMs: 20, attempts: 250 };

/** pino writes the level of a line to `lastLevel` where it finds this. */
interface LeveledStream extends DestinationStream {
  [key: symbol]: boolean;
  lastLevel: number;
}

/** @param descriptor to write to; default: standard output */
export function createLogOutput(descriptor = 1): DestinationStream & { flush(): void } {
  let held = "";
  let pending: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(pending);
    pending = undefined;
    const text = held;
    held = "";
    writeAll(descriptor, text);
  };
  const output: LeveledStream & { flush(): void } = {
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line: string) {
      held += line;
      if (output.lastLevel >= atOnce || held.length >= heldAtMost) flush();
      else pending ??= setTimeout(flush, flushMs).unref();
    },
    flush,
  };
  process.on("exit", flush);
  return output;
}

function writeAll(descriptor: number, text: string): void {
  let bytes = Buffer.from(text);
  let attempts = full.attempts;
  while (bytes.length > 0 && attempts > 0) {
    try {
      bytes = bytes.subarray(writeSync(descriptor, bytes));
      attempts = full.attempts;
    } catch (error) {
      // Nobody reads it any more, or nothing has room for it.
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
      pause();
      attempts -= 1;
    }
  }
}

const nobody = new Int32Array(new SharedArrayBuffer(4));
/** What is logged before an exit must be written before it. */
const pause = (): void => void Atomics.wait(nobody, 0, 0, full.pauseMs);
