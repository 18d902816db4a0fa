// A history in the hands of one call: what is appended is kept before it counts, texts and images in it are bounded and well
// formed, and it is left valid whatever happens to the call.
import { CallError } from "../call-error.ts";
import type { ImageData } from "../model/types.ts";
import { boundImages, listImages, renderLeftOut, replaceImages } from "./entry-images.ts";
import type { SessionStore } from "./store.ts";
import { renderInterrupted, withdraw, type HistoryEntry, type WithdrawnEntry } from "./transcript.ts";
import { toWellFormed } from "./well-formed.ts";

export interface OpenHistory {
  /** What a model is shown any of. */
  readonly entries: readonly HistoryEntry[];
  append(entry: HistoryEntry): Promise<void>;
  /** Takes back the last `messages` messages, for a reason that is kept. */
  withdraw(messages: number, reason: string): Promise<void>;
  /** A text takes the place of each image that has a problem, for this call: what is stored stays. */
  leaveOutImages(findProblem: (image: ImageData) => string | undefined): void;
  /** Closes open tool calls as interrupted and lets the next call in. May be called more than once. */
  close(): Promise<void>;
}

type Keep = (entry: HistoryEntry | WithdrawnEntry) => Promise<void>;

/** A history that is dropped with the call. */
export const openUnkept = (unlock: () => void): OpenHistory => openHistory([], async () => {}, unlock);

/** Calls `unlock` when the history is closed, or cannot be opened. */
export async function openStored(
  store: SessionStore,
  { key, owner }: { key: string; owner: string },
  unlock: () => void,
): Promise<OpenHistory> {
  let release = unlock;
  try {
    const letGo = await store.hold(key);
    release = () => {
      letGo();
      unlock();
    };
    const history = openHistory(await store.load(key), (entry) => store.append(key, entry, owner), release);
    await closeOpenCalls(history);
    return history;
  } catch (error) {
    release();
    throw error;
  }
}

function openHistory(stored: readonly HistoryEntry[], keep: Keep, release: () => void): OpenHistory {
  // Earlier versions kept texts as they came.
  const entries = [...boundImages(stored.map((entry) => toWellFormed(entry)))];
  const replaceAll = (others: readonly HistoryEntry[]) => {
    if (others !== entries) entries.splice(0, entries.length, ...others);
  };
  const history: OpenHistory = {
    entries,
    async append(entry) {
      const formed = toWellFormed(entry);
      // Kept first: what the run acts on must be there after a restart.
      await keep(formed);
      entries.push(formed);
      if (formed.role !== "summary" && listImages(formed).length > 0) replaceAll(boundImages(entries));
    },
    async withdraw(messages, reason) {
      await keep({ role: "withdrawn", messages, reason: reason.toWellFormed() });
      withdraw(entries, messages);
    },
    leaveOutImages(findProblem) {
      const judge = (image: ImageData) => {
        const problem = findProblem(image);
        return problem === undefined ? image : renderLeftOut(`it ${problem}`);
      };
      replaceAll(entries.map((entry) => replaceImages(entry, judge)));
    },
    async close() {
      try {
        await closeOpenCalls(history);
      } catch (error) {
        // The call's own outcome counts for more, and whoever opens the history next closes it first.
        if (!(error instanceof CallError)) throw error;
      } finally {
        release();
      }
    },
  };
  return history;
}

async function closeOpenCalls(history: OpenHistory): Promise<void> {
  const interrupted = renderInterrupted(history.entries);
  if (interrupted !== undefined) await history.append(interrupted);
}
