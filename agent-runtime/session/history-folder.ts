// An opened folder of histories: this process has it to itself and knows what is in it. What happens to one history happens
// in order; different histories do not wait for each other. Errors of the disk are passed on as they are.
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { lockFolder } from "./folder-lock.ts";
import * as files from "./history-files.ts";
import { NewerHistory, parseHistory, renderEntry, renderHeader, type ParsedHistory } from "./history-text.ts";
import { createKeyedLock, type KeyedLock } from "./lock.ts";
import { createRetention, type Retention } from "./retention.ts";
import { HistoryFull, HistoryUnreadable } from "./store.ts";
import type { HistoryEntry } from "./transcript.ts";

export interface FolderOptions {
  /** Created when missing; one process at a time works on it. */
  folder: string;
  /** Of all histories together, in bytes on disk. */
  maxBytes: number;
  /** How long a history is kept after its last message. */
  idleTtlMs: number;
  clock: Clock;
  log: Logger;
}

export class HistoryFolder {
  readonly #options: FolderOptions;
  readonly #retention: Retention;
  readonly #unlock: () => void;
  readonly #queues: KeyedLock = createKeyedLock();
  /** Histories whose file is known to end after a whole line. */
  readonly #whole = new Set<string>();
  /** Where a failed append began: what it may have left behind is cut off before anything else happens to the file. */
  readonly #cuts = new Map<string, number>();

  private constructor(options: FolderOptions, retention: Retention, unlock: () => void) {
    this.#options = options;
    this.#retention = retention;
    this.#unlock = unlock;
  }

  /** Looks at names, sizes and times only. Rejects with FolderInUse, or the error of the disk. */
  static async open(options: FolderOptions): Promise<HistoryFolder> {
    const { folder } = options;
    await files.prepareFolder(folder);
    const unlock = lockFolder(folder);
    try {
      const retention = createRetention(await files.listHistories(folder), options);
      const opened = new HistoryFolder(options, retention, unlock);
      for (const name of retention.listVictims(0) ?? []) opened.#drop(name, "room");
      return opened;
    } catch (error) {
      unlock();
      throw error;
    }
  }

  close(): void {
    this.#unlock();
  }

  /** See SessionStore. */
  hold(key: string): () => void {
    return this.#retention.hold(files.renderName(key));
  }

  has(key: string): Promise<boolean> {
    return this.#use(key, async (name) => this.#retention.sizeOf(name) !== undefined);
  }

  /** Rejects with HistoryUnreadable. */
  load(key: string): Promise<readonly HistoryEntry[]> {
    return this.#use(key, (name) => this.#read(key, name));
  }

  /** Rejects with HistoryFull. */
  append(key: string, entry: HistoryEntry): Promise<void> {
    return this.#use(key, (name) => this.#write(key, name, entry));
  }

  remove(key: string): Promise<void> {
    return this.#use(key, async (name) => {
      await files.removeHistory(this.#options.folder, name);
      this.#forget(name);
    });
  }

  /** Drops what has been idle for too long. */
  dropExpired(): void {
    for (const name of this.#retention.listExpired(this.#options.clock.wallNow())) this.#drop(name, "idle");
  }

  /** Runs `work` on a history that nothing takes away meanwhile. */
  async #use<Result>(key: string, work: (name: string) => Promise<Result>): Promise<Result> {
    this.dropExpired();
    const name = files.renderName(key);
    const letGo = this.#retention.hold(name);
    try {
      return await this.#inOrder(name, () => work(name));
    } finally {
      letGo();
    }
  }

  async #inOrder<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const release = await this.#queues.acquire(name);
    try {
      return await work();
    } finally {
      release();
    }
  }

  async #read(key: string, name: string): Promise<readonly HistoryEntry[]> {
    const { folder, clock, log } = this.#options;
    const knownBytes = this.#retention.sizeOf(name);
    if (knownBytes === undefined) return [];
    await this.#cutOff(name);
    const content = await files.readHistory(folder, name);
    const { entries, wholeBytes } = await this.#parse(key, name, content);
    if (wholeBytes < content.length) {
      log.warn({ file: files.renderFile(name), bytes: content.length - wholeBytes }, "torn end of a history cut off");
      await files.cutHistory(folder, name, wholeBytes);
    }
    if (wholeBytes !== knownBytes) this.#retention.put(name, wholeBytes, clock.wallNow());
    this.#whole.add(name);
    return entries;
  }

  async #parse(key: string, name: string, content: Uint8Array): Promise<ParsedHistory> {
    const { folder, log } = this.#options;
    const file = files.renderFile(name);
    try {
      return parseHistory(content, key);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof NewerHistory) {
        const text = `this conversation cannot be read: ${file}: ${reason}; run the version that wrote it, or start a new one`;
        throw new HistoryUnreadable(text, { cause: error });
      }
      const keptAs = await files.quarantineHistory(folder, name);
      this.#forget(name);
      log.error({ file, keptAs, reason }, "history cannot be read");
      const text = `this conversation cannot be read: ${file}: ${reason}; it is kept as ${keptAs}: start a new one`;
      throw new HistoryUnreadable(text, { cause: error });
    }
  }

  async #write(key: string, name: string, entry: HistoryEntry): Promise<void> {
    const { folder, clock, maxBytes } = this.#options;
    if (this.#retention.sizeOf(name) !== undefined && !this.#whole.has(name)) await this.#read(key, name);
    await this.#cutOff(name);
    const startBytes = this.#retention.sizeOf(name) ?? 0;
    const header = startBytes === 0 ? renderHeader(key, clock.wallNow()) : "";
    const bytes = Buffer.from(header + renderEntry(entry));
    const victims = this.#retention.listVictims(bytes.length);
    if (victims === undefined) {
      const text = `there is no room for this conversation in the ${maxBytes} bytes for all histories: `;
      throw new HistoryFull(`${text}start a new one, or raise history.maxBytes of the agent`);
    }
    for (const victim of victims) this.#drop(victim, "room");
    try {
      await (startBytes === 0 ? files.createHistory : files.appendHistory)(folder, name, bytes);
    } catch (error) {
      if (startBytes > 0) this.#cuts.set(name, startBytes);
      throw error;
    }
    this.#retention.put(name, startBytes + bytes.length, clock.wallNow());
    this.#whole.add(name);
  }

  async #cutOff(name: string): Promise<void> {
    const bytes = this.#cuts.get(name);
    if (bytes === undefined) return;
    await files.cutHistory(this.#options.folder, name, bytes);
    this.#cuts.delete(name);
  }

  #forget(name: string): void {
    this.#retention.delete(name);
    this.#whole.delete(name);
    this.#cuts.delete(name);
  }

  /** The bookkeeping at once, the file when its turn has come: whoever asks for the key meanwhile waits behind it. */
  #drop(name: string, reason: "idle" | "room"): void {
    const { folder, log } = this.#options;
    const file = files.renderFile(name);
    this.#forget(name);
    this.#inOrder(name, () => files.removeHistory(folder, name)).then(
      () => log.info({ file, reason }, "history dropped"),
      (error: unknown) => log.warn({ file, err: error }, "history cannot be dropped"),
    );
  }
}
