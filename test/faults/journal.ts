// What a client asked of the API server, in order, and how it was answered. Keeps no bodies and no headers.

import type { ApiRequest } from "./api-request.ts";

export interface ApiCallRecord extends ApiRequest {
  /** Milliseconds since 1970, when the request had arrived. */
  readonly at: number;
  /** The server's or the fault's; undefined while there is none, as for what is dropped. */
  readonly status: number | undefined;
  /** Whether the API server got it and answered: true for a lost answer, false for an answer made up by a fault. */
  readonly reached: boolean;
  /** The kind of the fault that befell the call itself (not one of its events). */
  readonly fault: string | undefined;
}

export type JournalEntry = { -readonly [Key in keyof ApiCallRecord]: ApiCallRecord[Key] };

const defaultMaxJournalEntries = 100_000;

/** Of more than `limit` calls the oldest are forgotten. */
export function createJournal(limit = defaultMaxJournalEntries): {
  records: readonly ApiCallRecord[];
  add(request: ApiRequest): JournalEntry;
} {
  const records: JournalEntry[] = [];
  return {
    records,
    add(request) {
      const query = new URLSearchParams(request.query); // a fault may change what is sent on
      const entry = { ...request, query, at: Date.now(), status: undefined, reached: false, fault: undefined };
      records.push(entry);
      if (records.length > limit) records.shift();
      return entry;
    },
  };
}
