// What the agent needs of a place where histories are kept, and how such a place fails. session/jsonl-store.ts is one.
import { CallFault } from "../call-fault.ts";
import type { ModelMessage } from "../model/types.ts";

/** Append-only histories by key. Callers hold the key's lock (session/lock.ts) while they load and append. */
export interface SessionStore {
  /** Rejects with StoreFault. */
  has(key: string): Promise<boolean>;
  /** All messages in order; none for an unknown key. Rejects with StoreFault or HistoryUnreadable. */
  load(key: string): Promise<readonly ModelMessage[]>;
  /** Resolves once the message is kept, even if the machine fails then. Rejects with StoreFault or HistoryFull. */
  append(key: string, message: ModelMessage): Promise<void>;
  /** Rejects with StoreFault; the history is then still there. */
  remove(key: string): Promise<void>;
  /** Neither age nor lack of room takes the history until the resolved function is called. Rejects with StoreFault. */
  hold(key: string): Promise<() => void>;
}

/** One history alone would be larger than all may be together, or all others are in use. */
export class HistoryFull extends CallFault {
  override readonly name = "HistoryFull";
}

/** The store as a whole cannot be used: its disk is full, its folder belongs to somebody else. Also an error of health (HLT-2). */
export class StoreFault extends CallFault {
  override readonly name = "StoreFault";
}

/** What is stored under a key is no history that this program can read. */
export class HistoryUnreadable extends CallFault {
  override readonly name = "HistoryUnreadable";
}
