// What was asked of the mock, and how each exchange ended. Keeps the newest entries only.

export interface ServedRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** Parsed JSON; undefined without a body, the text itself when it is no JSON. */
  body: unknown;
}

export interface JournalEntry extends ServedRequest {
  /** A model call, or one of the lists of models. */
  kind: "call" | "list";
  /** Epoch milliseconds by the mock's clock; so are the others. */
  arrivedAtMs: number;
  /** The mock ended it, in good order or by a cut. */
  endedAtMs?: number;
  /** The vendor refused it, by which rule and in which words; no reply of the script was used. */
  refusal?: { vendor: string; rule: string; message: string };
  /** The client went away before that. */
  closedByClientAtMs?: number;
}

const maxJournalEntries = 50_000;

export interface Journal {
  entries: readonly JournalEntry[];
  add(entry: JournalEntry): JournalEntry;
}

/** An empty journal; above its limit the oldest entries go. */
export function createJournal(limit: number = maxJournalEntries): Journal {
  const entries: JournalEntry[] = [];
  return {
    entries,
    add(entry) {
      entries.push(entry);
      if (entries.length > limit) entries.shift();
      return entry;
    },
  };
}
