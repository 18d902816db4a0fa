// The answer as it is written, for callers that ask for it (PRG-1): pieces of the model's text in the `_meta` of progress
// notifications. Best effort: pieces are gathered, one is on its way at a time, and what a slow caller cannot take or what is
// past the whole call's share is left out and marked. The result holds every text, so that nothing here need be complete.
import type { TextDelta } from "../crds/text-delta.ts";
import type { Clock, Timer } from "../lib/process/clock.ts";

/** A faster eye there is not, and each notification has its price. */
const gatherMs = 100;
/** Characters that wait for a caller. */
export const maxWaitingChars = 32_768;
/** Of one call, on its way to a caller that may never read it: characters, and what a notification takes beside them. */
export const maxCallChars = 1_048_576;
const notificationCost = 300;

export interface TextDeltas {
  /** A piece that the model wrote in this step, after `offset` characters of it; at 0 the step's text begins, or begins anew. */
  add(step: number, piece: string, offset: number): void;
  /** Sends what waits, if anything may still be sent. */
  flush(): void;
  close(): void;
}

export interface TextDeltasOptions {
  /** Resolves when the next one may be sent. Never rejects. */
  send: (delta: TextDelta) => Promise<void>;
  clock: Clock;
}

/** The pieces of one call. */
export function createTextDeltas({ send, clock }: TextDeltasOptions): TextDeltas {
  let waiting: TextDelta | undefined;
  let isLost = false;
  let isSending = false;
  let left = maxCallChars;
  let timer: Timer | undefined;

  const arm = () => {
    if (!isSending && waiting?.text) timer ??= clock.schedule(gatherMs, flush);
  };
  const flush = () => {
    timer?.cancel();
    timer = undefined;
    if (isSending || !waiting?.text) return;
    const delta = waiting;
    // Half a character would be no text; its other half is to come.
    const half = /[\ud800-\udbff]$/.exec(delta.text)?.[0] ?? "";
    const text = delta.text.slice(0, delta.text.length - half.length);
    if (text === "") return;
    waiting = half === "" ? undefined : { step: delta.step, text: half };
    left -= text.length + notificationCost;
    isSending = true;
    void send({ ...delta, text }).then(() => {
      isSending = false;
      arm();
    });
  };
  return {
    add(step, piece, offset) {
      if (left <= 0) return;
      if (offset === 0) {
        if (waiting !== undefined && waiting.step !== step) flush();
        waiting = { step, text: "", start: true };
        isLost = false;
      }
      if ((waiting?.text.length ?? 0) + piece.length > maxWaitingChars) isLost = true;
      // Behind a gap nothing joins what waits before it.
      if (isLost && (waiting?.text || piece.length > maxWaitingChars)) return;
      waiting ??= { step, text: "" };
      if (isLost) waiting.gap = true;
      isLost = false;
      waiting.text += piece;
      arm();
    },
    flush,
    close() {
      left = 0;
      waiting = undefined;
      timer?.cancel();
    },
  };
}
