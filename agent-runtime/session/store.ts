// What the agent needs of a place where histories are kept, and how such a place fails. session/jsonl-store.ts is one.
import { CallFault } from "../call-fault.ts";
import type { HistoryEntry } from "./transcript.ts";

/**
 * Append-only histories by key. One process holds the key's lock (session/lock.ts) while it loads and appends; where several
 * processes share a store, `hold` is their lock.
 */
export interface SessionStore {
  /** Rejects with StoreFault. */
  has(key: string): Promise<boolean>;
  /** All entries in order; none for an unknown key. Rejects with StoreFault or HistoryUnreadable. */
  load(key: string): Promise<readonly HistoryEntry[]>;
  /** Resolves once the entry is kept, even if the machine fails then. Rejects with StoreFault or HistoryFull. */
  append(key: string, entry: HistoryEntry): Promise<void>;
  /** Rejects with StoreFault; the history is then still there. */
  remove(key: string): Promise<void>;
  /** Neither age nor lack of room takes the history until the resolved function is called. Rejects with StoreFault. */
  hold(key: string): Promise<() => void>;
  /** Why no history can be kept now, as a sentence; tries to write. Never rejects. */
  observeFault(): Promise<string | undefined>;
  /** Lets another process have the histories; everything after it rejects with StoreFault. */
  close(): Promise<void>;
}

/** One history alone would be larger than all may be together, or all others are in use. */
export class HistoryFull extends CallFault {
  override readonly name = "HistoryFull";
}

/** The store as a whole cannot be used: it is full, out of reach, or somebody else's. Also an error of health (HLT-2). */
export class StoreFault extends CallFault {
  override readonly name = "StoreFault";
}

/** What is stored under a key is no history that this program can read. */
export class HistoryUnreadable extends CallFault {
  override readonly name = "HistoryUnreadable";
}
