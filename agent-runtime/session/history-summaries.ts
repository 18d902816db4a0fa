// What was last looked at of the histories that lists name, so that asking again costs nothing but what came since. Who rewrites
// or removes a file says so here. One that is no history is left out, and said so in the log once.
import type { Logger } from "../../lib/process/log.ts";
import { openHistory } from "./history-files.ts";
import { HistoryScan, lineHeadBytes, type HistorySummary } from "./history-summary.ts";

/** Far above the conversations that are listed to all callers of a while; the one looked at longest ago gives way. */
const maxScans = 1_024;

/** How much one list may still read, beside the beginning of each file. */
export interface LookBudget {
  leftBytes: number;
}

interface LookedAt {
  folder: string;
  file: string;
  /** Of what is known to be whole. */
  bytes: number;
}

export class HistorySummaries {
  readonly #scans = new Map<string, HistoryScan | "unreadable">();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  forget(name: string): void {
    this.#scans.delete(name);
  }

  /** Undefined where there is nothing to list. Rejects with errors of the disk. */
  async look(name: string, { folder, file, bytes }: LookedAt, budget: LookBudget): Promise<HistorySummary | undefined> {
    const known = this.#scans.get(name) ?? new HistoryScan();
    this.#scans.delete(name);
    this.#scans.set(name, known);
    const [oldest] = this.#scans.keys();
    if (this.#scans.size > maxScans && oldest !== undefined) this.#scans.delete(oldest);
    if (known === "unreadable") return undefined;
    const before = known.atBytes;
    const mayReadBytes = before === 0 ? Math.max(lineHeadBytes, budget.leftBytes) : budget.leftBytes;
    if (before >= bytes || mayReadBytes <= 0) return known.render(bytes);
    try {
      await using handle = await openHistory(folder, file);
      await known.advance(handle, bytes, mayReadBytes);
    } catch (error) {
      if (error instanceof Error && "code" in error) throw error;
      this.#scans.set(name, "unreadable");
      this.#log.warn({ file, reason: error instanceof Error ? error.name : "error" }, "history left out of a list");
      return undefined;
    }
    budget.leftBytes -= known.atBytes - before;
    return known.render(bytes);
  }
}
