// What an agent does while a person waits: its last progress message and the seconds since it was asked, on one line
// that is replaced each second.
import { systemClock } from "../../lib/process/clock.ts";
import { plainLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";

export interface ProgressLine {
  note(message: string | undefined): void;
  /** Takes the line away. */
  end(): void;
}

export function startProgressLine({ status }: Pick<Terminal, "status">, first: string): ProgressLine {
  const startedAtMs = systemClock.now();
  let latest = first;
  const show = (): void => status(`${latest} · ${Math.round((systemClock.now() - startedAtMs) / 1_000)} s`);
  const ticking = setInterval(show, 1_000);
  show();
  return {
    note(message) {
      if (message === undefined) return;
      latest = plainLine(message);
      show();
    },
    end() {
      clearInterval(ticking);
      status(undefined);
    },
  };
}
