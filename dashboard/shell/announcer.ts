// What screen readers are told: politely, at most one sentence in five seconds, the newest of those that waited; at once, what cannot
// wait. Tokens of a text, states of rows, progress, charts and ages are never told.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { PageTime } from "../time.ts";

export interface Announcer {
  readonly polite: ReadonlySignal<string>;
  readonly urgent: ReadonlySignal<string>;
  /** When there is room for it; a newer one takes its place. */
  say(sentence: string): void;
  sayNow(sentence: string): void;
}

const politeEveryMs = 5_000;

export function createAnnouncer(time: Pick<PageTime, "after" | "elapsed">): Announcer {
  const polite = signal("");
  const urgent = signal("");
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let waiting: string | undefined;
  const tell = () => {
    if (waiting === undefined) return;
    polite.value = waiting;
    waiting = undefined;
    lastAtMs = time.elapsed();
  };
  return {
    polite,
    urgent,
    say(sentence) {
      const isFirst = waiting === undefined;
      waiting = sentence;
      const leftMs = lastAtMs + politeEveryMs - time.elapsed();
      if (leftMs <= 0) tell();
      else if (isFirst) time.after(leftMs, tell);
    },
    sayNow(sentence) {
      // The same sentence twice is told twice.
      urgent.value = urgent.peek() === sentence ? `${sentence}\u00a0` : sentence;
    },
  };
}
