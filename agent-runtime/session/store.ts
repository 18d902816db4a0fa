// What the agent needs of a place where histories are kept, and how such a place fails. session/jsonl-store.ts is one.
import { CallError } from "../call-error.ts";
import type { ModelMessage } from "../model/types.ts";
import type { HistoryEntry, WithdrawnEntry } from "./transcript.ts";

/** Which messages of a conversation are wanted: the last ones before a place, at most so many, and at most so large. */
export interface PageRequest {
  /** Counted from the first message; default: the end. */
  before?: number | undefined;
  messages: number;
  /** A message that is larger by itself is a page by itself. */
  bytes: number;
}

export interface HistoryPage {
  /** In order, without those of tools. */
  messages: ModelMessage[];
  /** How many messages there are before them: what to ask for next. */
  first: number;
}

/** Which histories a list is about: one by its key, or those that take an owner's room. */
export type SummaryRequest = { key: string } | { owner: string; isWanted: (key: string) => boolean; max: number };

/** What a list says of a history in which something was said. */
export interface StoredSummary {
  key: string;
  /** The first words of its first message; "" where that has no text. */
  title: string;
  createdAtMs: number;
  /** When it was written last. */
  usedAtMs: number;
  /** Messages of callers; undefined while a long one is not counted yet. */
  turns: number | undefined;
}

/**
 * Append-only histories by key. One process holds the key's lock (session/lock.ts) while it loads and appends; where several
 * processes share a store, `hold` is their lock.
 */
export interface SessionStore {
  /** Rejects with StoreError. */
  has(key: string): Promise<boolean>;
  /**
   * The entries that a model is shown any of, in order; none for an unknown key. What a summary covers, here and in what is
   * appended after it, counts from the first of them. Rejects with StoreError, HistoryUnreadable or HistoryFull.
   */
  load(key: string): Promise<readonly HistoryEntry[]>;
  /** Rejects with StoreError or HistoryUnreadable. */
  readPage(key: string, request: PageRequest): Promise<HistoryPage>;
  /** The most recently used first; reads none of them whole, and waits for no call. Rejects with StoreError. */
  listSummaries(request: SummaryRequest): Promise<StoredSummary[]>;
  /**
   * Resolves once the entry is kept, even if the machine fails then. `owner` is whose room it takes, "" for nobody's in
   * particular. Rejects with StoreError or HistoryFull.
   */
  append(key: string, entry: HistoryEntry | WithdrawnEntry, owner: string): Promise<void>;
  /** Forgets what was said and keeps the key; returns how many messages that were. Rejects with StoreError. */
  clear(key: string): Promise<number>;
  /** Rejects with StoreError; the history is then still there. */
  remove(key: string): Promise<void>;
  /** Neither age nor lack of room takes the history until the resolved function is called. Rejects with StoreError. */
  hold(key: string): Promise<() => void>;
  /** Why no history can be kept now, as a sentence; tries to write. Never rejects. */
  observeProblem(): Promise<string | undefined>;
  /** Lets another process have the histories; everything after it rejects with StoreError. */
  close(): Promise<void>;
}

/** A history has reached its bound, or there is no room for it beside the others. */
export class HistoryFull extends CallError {
  override readonly name = "HistoryFull";
}

/** The store as a whole cannot be used: it is full, out of reach, or somebody else's. Also an error of health (HLT-2). */
export class StoreError extends CallError {
  override readonly name = "StoreError";
}

/** What is stored under a key is no history that this program can read. */
export class HistoryUnreadable extends CallError {
  override readonly name = "HistoryUnreadable";
}
