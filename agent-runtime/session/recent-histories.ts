// What a model was last shown of the conversations that were used last, so that the next turn need not read their files:
// in a conversation of hundreds of turns that was most of a call's own time. Only plain entries are kept, within a bound;
// who writes to a history says so here, and what is not known here is read from the disk.
import type { HistoryEntry } from "./transcript.ts";

/** Of the text on disk, of all that are kept; the heap holds some four times as much. */
export const maxRecentBytes = 2 * 1024 * 1024;

interface Recent {
  readonly entries: HistoryEntry[];
  bytes: number;
}

export class RecentHistories {
  /** The longest unused first. */
  readonly #kept = new Map<string, Recent>();
  #bytes = 0;

  /** A list of the caller's own; undefined where it must be read. */
  get(name: string): HistoryEntry[] | undefined {
    const found = this.#kept.get(name);
    if (found === undefined) return undefined;
    this.#kept.delete(name);
    this.#kept.set(name, found);
    return [...found.entries];
  }

  /** Keeps what was read from a file of `bytes`, where there is room; others make room. */
  keep(name: string, entries: readonly HistoryEntry[], bytes: number): void {
    this.forget(name);
    this.#kept.set(name, { entries: [...entries], bytes });
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** What was added to the end of a history's file, in so many bytes. */
  add(name: string, entry: HistoryEntry, bytes: number): void {
    const found = this.#kept.get(name);
    if (found === undefined) return;
    found.entries.push(entry);
    found.bytes += bytes;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  forget(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }

  #makeRoom(): void {
    for (const name of this.#kept.keys()) {
      if (this.#bytes <= maxRecentBytes) return;
      this.forget(name);
    }
  }
}
