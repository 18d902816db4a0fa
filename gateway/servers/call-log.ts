// The last calls of tools, newest first (DSC-11), in the memory of this process: so many, and so many bytes of arguments and
// answers, which are kept only where the instance says so, and then without what looks secret.
import type { Progress } from "../../lib/mcp/table.ts";
import { shortenJson, redact } from "./redact.ts";

export const logKinds = ["call", "ping", "resource-read", "prompt-get", "notification", "progress"] as const;
export type LogKind = (typeof logKinds)[number];

export interface LogEntry {
  readonly id: number;
  readonly timestamp: string;
  readonly kind: LogKind;
  readonly server: string;
  readonly tool: string;
  /** Null where arguments are not kept. */
  readonly args: unknown;
  readonly response: string | null;
  readonly latency_ms: number;
  readonly success: boolean;
  /** Who asked. */
  readonly caller: string;
}

export type Logged = Omit<LogEntry, "id" | "args" | "response"> & { args?: unknown; response?: unknown };

/** What a server said while somebody used it: whoever follows the log live, and is that somebody, gets it as it was. */
export type Said =
  | { readonly method: string; readonly params: unknown }
  | { readonly token: string | number; readonly progress: Progress };

export type LogListener = (entry: LogEntry, said: Said | undefined) => void;

export interface CallLogOptions {
  /** Whether arguments and answers are kept. */
  arguments: "off" | "redacted";
  maxEntries?: number;
  maxBytes?: number;
}

const maxLogEntries = 10_000;
const maxLogBytes = 8 * 1024 * 1024;
/** Of one entry's arguments, and of its answer. */
const maxValueChars = 4_096;
/** What an entry takes without them. */
const entryBytes = 400;

export class CallLog {
  readonly #options: Required<CallLogOptions>;
  /** Oldest first; those before `#first` are gone already. */
  #entries: { entry: LogEntry; bytes: number }[] = [];
  #first = 0;
  #bytes = 0;
  #lastId = 0;
  readonly #listeners = new Set<LogListener>();

  constructor(options: CallLogOptions) {
    this.#options = { maxEntries: maxLogEntries, maxBytes: maxLogBytes, ...options };
  }

  add(logged: Logged): LogEntry {
    const { entry, bytes } = this.#make(logged);
    this.#entries.push({ entry, bytes });
    this.#bytes += bytes;
    while (this.size > this.#options.maxEntries || (this.#bytes > this.#options.maxBytes && this.size > 1)) {
      this.#bytes -= this.#entries[this.#first]?.bytes ?? 0;
      this.#first += 1;
    }
    // Moved together now and then, so that each addition costs the same.
    if (this.#first > 1_000 && this.#first > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    this.#tell(entry, undefined);
    return entry;
  }

  /** For those who follow the log live alone: a server may say a lot, which must not push out what was called. */
  pass(logged: Logged, said: Said): void {
    if (this.#listeners.size > 0) this.#tell(this.#make(logged).entry, said);
  }

  #tell(entry: LogEntry, said: Said | undefined): void {
    for (const listener of [...this.#listeners]) listener(entry, said);
  }

  #make({ args, response, ...facts }: Logged): { entry: LogEntry; bytes: number } {
    const isKept = this.#options.arguments === "redacted";
    const keptArgs = isKept && args !== undefined ? shortenJson(redact(args), maxValueChars) : null;
    const keptResponse = isKept && response !== undefined ? renderText(redact(response)) : null;
    const entry = { id: (this.#lastId += 1), ...facts, args: keptArgs, response: keptResponse };
    const bytes =
      entryBytes + 2 * ((keptResponse?.length ?? 0) + (keptArgs === null ? 0 : renderText(keptArgs).length));
    return { entry, bytes };
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** Newest first, of those that `isFor` lets through; `total` counts all of them. */
  page(limit: number, offset: number, isFor: (entry: LogEntry) => boolean): { entries: LogEntry[]; total: number } {
    const entries: LogEntry[] = [];
    let total = 0;
    for (let at = this.#entries.length - 1; at >= this.#first; at -= 1) {
      const entry = this.#entries[at]?.entry;
      if (entry === undefined || !isFor(entry)) continue;
      if (total >= offset && entries.length < limit) entries.push(entry);
      total += 1;
    }
    return { entries, total };
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#bytes = 0;
  }

  /** Hears of each new entry, until what it returns is called. */
  onEntry(listener: LogListener): () => void {
    const own: LogListener = (entry, said) => listener(entry, said);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

function renderText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= maxValueChars ? text : `${text.slice(0, maxValueChars)}…`;
}
