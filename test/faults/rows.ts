// The table of the faults that the operator and its kernel must survive, and the test files that show each: the titles
// there say "fault N". test/fault-rows.test.ts keeps the table true.

export interface FaultRow {
  readonly fault: string;
  readonly shown: readonly string[];
}

const unit = (name: string): string => `lib/kube/${name}.test.ts`;
const real = (name: string): string => `test/integration/${name}.test.ts`;
const row = (fault: string, ...shown: readonly string[]): FaultRow => ({ fault, shown });

export const faultRows: Readonly<Record<number, FaultRow>> = {
  // Lists and watches
  1: row("LIST answers 500 five times", unit("reflector"), real("faults-watch"), real("faults-start")),
  2: row("a watch is refused with 429 and Retry-After", unit("reflector"), real("faults-watch")),
  3: row("a watch is refused with 503", unit("reflector"), real("faults-watch")),
  4: row("a connection is reset in the middle of a line", unit("reflector-stream"), real("faults-watch")),
  5: row("a character is split over two chunks", unit("reflector-stream"), real("faults-watch")),
  6: row("watches end cleanly, again and again", unit("reflector"), real("faults-watch")),
  7: row("410 in a stream", unit("reflector-stream"), real("faults-watch")),
  8: row("410 on connect", unit("reflector-stream"), real("faults-watch")),
  9: row("a watch stays open and says nothing", unit("reflector-stream"), real("faults-silence")),
  10: row("nothing but bookmarks, then a new watch", unit("reflector-stream"), real("faults-watch")),
  11: row("connections lead nowhere", unit("pools"), real("faults-silence")),
  12: row("the server asks to go away, or closes connections", real("faults-connections")),
  13: row("stopped while connecting", unit("reflector"), real("faults-start")),
  14: row("a handler of changes throws", unit("reflector"), unit("source")),
  15: row("a CRD is missing, then installed", real("faults-start")),
  16: row("rights are missing, then granted", real("faults-start")),
  17: row("deletions during an outage", unit("reflector-stream"), real("faults-watch"), real("faults-outage")),
  18: row("the same name with a new uid", unit("reflector-stream"), real("faults-watch")),
  19: row("listed anew under churn", real("faults-watch")),
  20: row("a line that is no JSON", unit("reflector-stream"), real("faults-watch")),
  // Who we are, and who the server is
  21: row("the token is rotated", unit("transport"), real("faults-credentials")),
  22: row("the certificate authority is rotated", unit("pools"), unit("transport"), real("faults-credentials")),
  // The queue
  23: row("10,000 adds of one key", unit("work-queue"), unit("controller-faults")),
  24: row("a key is added while it is worked on", unit("work-queue"), unit("controller-faults")),
  25: row("a key fails for ever", unit("work-queue"), unit("controller-faults")),
  26: row("a failure after a success", unit("work-queue"), unit("controller")),
  27: row("a reconcile hangs", unit("controller"), unit("controller-faults")),
  // Writes
  28: row("killed after each write", real("faults-crash")),
  29: row("stale lists after a restart", real("faults-stale")),
  30: row("each event in turn comes late", real("faults-stale")),
  31: row("writes meet 409", real("faults-writes")),
  32: row("kubectl scale and an autoscaler write too", real("faults-actors")),
  33: row("the answer to a write is lost", real("faults-writes")),
  34: row("children deleted or edited by hand", real("faults-writes")),
  35: row("a foreign object has our name", real("faults-writes")),
  36: row("the namespace is being deleted", real("faults-writes")),
  37: row("the owner is deleted meanwhile", real("faults-writes")),
  38: row("a clean-up fails again and again", real("faults-actors")),
  // Leadership
  39: row("the leader is cut off", real("faults-election")),
  40: row("clocks differ by an hour", real("faults-clocks")),
  41: row("the event loop stands still for 20 s", real("faults-clocks")),
  42: row("SIGTERM drains and gives the lease back", real("faults-election")),
  // Resources and releases
  43: row("every field is set and unset", real("faults-fields")),
  44: row("an upgrade from the release before", real("operator-upgrade")),
};

/** Rows that no test file can show. */
export const measuredRows: Readonly<Record<number, string>> = {
  45: "2,000 agents: `npm run bench` (test/bench/operator-scale.bench.ts, results in docs/benchmarks.md)",
  46: "72 hours at a steady size: not measured yet",
};
