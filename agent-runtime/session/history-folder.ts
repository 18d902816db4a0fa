// An opened folder of histories: this process has it to itself and knows what is in it. What happens to one history happens
// in order; different histories do not wait for each other. Errors of the disk are passed on as they are.
import type { DropReason } from "../../crds/metric-names.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { listImages, replaceImages } from "./entry-images.ts";
import { lockFolder } from "./folder-lock.ts";
import * as files from "./history-files.ts";
import { readIndex } from "./history-index.ts";
import { measureShown, readPage, readShown, type ReadParts } from "./history-reader.ts";
import { HistorySummaries, type LookBudget } from "./history-summaries.ts";
import { LineError, NewerHistory, renderHeader, renderLine, schemaVersion, type ImageRef } from "./history-text.ts";
import { ImageFiles, renderImage, type NewImage } from "./image-files.ts";
import { createLineReader } from "./line-reader.ts";
import { createKeyedLock, type KeyedLock } from "./lock.ts";
import { RecentHistories } from "./recent-histories.ts";
import { renewHistory, type RenewParts } from "./renew-history.ts";
import { createRetention, type Retention } from "./retention.ts";
import {
  HistoryFull,
  HistoryUnreadable,
  type HistoryPage,
  type PageRequest,
  type StoredSummary,
  type SummaryRequest,
} from "./store.ts";
import { listMessages, type HistoryEntry, type WithdrawnEntry } from "./transcript.ts";

export interface FolderOptions {
  /** Created when missing; one process at a time works on it. */
  folder: string;
  /** Of all histories together, in bytes on disk. */
  maxBytes: number;
  /** Of one history, without its images. */
  maxBytesPerConversation: number;
  /** How long a history is kept after its last message. */
  idleTtlMs: number;
  /** Why a history was dropped. */
  onDropped?: (reason: DropReason) => void;
  clock: Clock;
  log: Logger;
}

/** Images of one history may have this many times the bytes of its text; then its oldest images go. */
const imageShare = 4;
/** How long a history must have been unused before others may have its room. */
const protectedMs = 3_600_000;
/** Of one owner, the most recently used ones: those that are no conversations of their own count, too. */
const maxLooks = 512;
/** That a list reads; what is not counted by then is by the next. */
const maxLookBytes = 8 * 1024 * 1024;

export class HistoryFolder {
  readonly #options: FolderOptions;
  readonly #retention: Retention;
  readonly #images: ImageFiles;
  readonly #unlock: () => void;
  readonly #queues: KeyedLock = createKeyedLock();
  /** Histories whose file is known to be of this schema and to end after a whole line, with how many messages `load` skipped. */
  readonly #whole = new Map<string, number>();
  /** Where a failed append began: what it may have left behind is cut off before anything else happens to the file. */
  readonly #cuts = new Map<string, number>();
  readonly #recent = new RecentHistories();
  readonly #summaries: HistorySummaries;

  private constructor(options: FolderOptions, retention: Retention, images: ImageFiles, unlock: () => void) {
    this.#options = options;
    this.#retention = retention;
    this.#images = images;
    this.#unlock = unlock;
    this.#summaries = new HistorySummaries(options.log);
  }

  /** Looks at names, sizes and times only. Rejects with FolderInUse, or the error of the disk. */
  static async open(options: FolderOptions): Promise<HistoryFolder> {
    const { folder, maxBytesPerConversation } = options;
    await files.prepareFolder(folder);
    const unlock = lockFolder(folder);
    try {
      const found = await files.listHistories(folder);
      const names = new Set(found.map(({ name }) => name));
      const images = await ImageFiles.open(folder, maxBytesPerConversation * imageShare, names);
      const uses = found.map(({ name, owner, bytes, usedAtMs }) => {
        return [name, { owner, textBytes: bytes, imageBytes: images.bytesOf(name), usedAtMs }] as const;
      });
      const retention = createRetention(new Map(uses), { ...options, protectedMs });
      const opened = new HistoryFolder(options, retention, images, unlock);
      for (const name of retention.listSurplus()) opened.#drop(name, "room");
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
    return this.#use(key, async (name) => this.#retention.find(name) !== undefined);
  }

  /** Rejects with HistoryUnreadable or HistoryFull. */
  load(key: string): Promise<readonly HistoryEntry[]> {
    return this.#use(key, async (name) => {
      const recent = this.#recent.get(name);
      if (recent !== undefined) return recent;
      const shown = await this.#read(key, name, async (parts) => {
        const { maxBytesPerConversation } = this.#options;
        if (parts.index.wholeBytes > maxBytesPerConversation && measureShown(parts.index) > maxBytesPerConversation) {
          throw renderFull(maxBytesPerConversation);
        }
        return readShown(parts);
      });
      if (shown === undefined) return [];
      this.#whole.set(name, shown.skipped);
      const { textBytes, imageBytes } = this.#retention.find(name) ?? { textBytes: 0, imageBytes: 1 };
      if (imageBytes === 0) this.#recent.keep(name, shown.entries, textBytes);
      return shown.entries;
    });
  }

  /** Rejects with HistoryUnreadable. */
  readPage(key: string, request: PageRequest): Promise<HistoryPage> {
    return this.#use(key, async (name) => {
      const page = await this.#read(key, name, (parts) => readPage(parts, request));
      return page ?? { messages: [], first: 0 };
    });
  }

  /** See SessionStore. */
  async listSummaries(request: SummaryRequest): Promise<StoredSummary[]> {
    this.dropExpired();
    const isOne = "key" in request;
    const names = isOne ? [files.renderName(request.key)] : this.#retention.listOwned(files.renderOwner(request.owner));
    const budget = { leftBytes: maxLookBytes };
    const found: StoredSummary[] = [];
    for (const name of names.slice(0, maxLooks)) {
      if (!isOne && found.length >= request.max) break;
      const summary = await this.#inOrder(name, () => this.#summarize(name, budget));
      if (summary !== undefined && (isOne || request.isWanted(summary.key))) found.push(summary);
    }
    return found.toSorted((a, b) => b.usedAtMs - a.usedAtMs);
  }

  async #summarize(name: string, budget: LookBudget): Promise<StoredSummary | undefined> {
    const use = this.#retention.find(name);
    if (use === undefined) return undefined;
    const place = {
      folder: this.#options.folder,
      file: files.renderFile(name, use.owner),
      bytes: use.textBytes,
    };
    const summary = await this.#summaries.look(name, place, budget);
    // No key of another file: what is listed is judged by it.
    if (summary === undefined || files.renderName(summary.key) !== name) return undefined;
    const { key, title, turns, createdAt } = summary;
    return { key, title, turns, createdAtMs: Date.parse(createdAt), usedAtMs: use.usedAtMs };
  }

  /** Rejects with HistoryFull. */
  append(key: string, entry: HistoryEntry | WithdrawnEntry, owner: string): Promise<void> {
    return this.#use(key, (name) => this.#write(key, name, { entry, owner: files.renderOwner(owner) }));
  }

  clear(key: string): Promise<number> {
    return this.#use(key, async (name) => {
      const use = this.#retention.find(name);
      if (use === undefined) return 0;
      const messages = await this.#read(key, name, async ({ index }) => listMessages(index.entries).length).catch(
        (error: unknown) => {
          // What cannot be read can be forgotten all the same; a history that was put aside is gone already.
          if (error instanceof HistoryUnreadable) return 0;
          throw error;
        },
      );
      const { folder, clock } = this.#options;
      const header = Buffer.from(renderHeader(key, clock.wallNow()));
      await files.createHistory(folder, files.renderFile(name, use.owner), header);
      await this.#images.remove(name);
      this.#forget(name);
      const { owner } = use;
      this.#retention.put(name, { owner, textBytes: header.length, imageBytes: 0, usedAtMs: clock.wallNow() });
      this.#whole.set(name, 0);
      return messages ?? 0;
    });
  }

  remove(key: string): Promise<void> {
    return this.#use(key, async (name) => {
      await this.#removeFiles(name, this.#retention.find(name)?.owner ?? "");
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

  /** Runs `work` on a history's whole lines; undefined where there is no such history. Mends a torn end, and what is of an earlier schema. */
  async #read<Result>(
    key: string,
    name: string,
    work: (parts: ReadParts) => Promise<Result>,
  ): Promise<Result | undefined> {
    const { folder, clock, log } = this.#options;
    const use = this.#retention.find(name);
    if (use === undefined) return undefined;
    await this.#cutOff(name);
    const file = files.renderFile(name, use.owner);
    await using handle = await files.openHistory(folder, file);
    try {
      const index = await readIndex(handle, key);
      const { size } = await handle.stat();
      if (index.wholeBytes < size) {
        log.warn({ file, bytes: size - index.wholeBytes }, "incomplete last entry of a history removed");
        await files.cutHistory(folder, file, index.wholeBytes);
        this.#summaries.forget(name);
      }
      if (index.wholeBytes !== use.textBytes) {
        this.#retention.put(name, { ...use, textBytes: index.wholeBytes, usedAtMs: clock.wallNow() });
      }
      if (index.header !== undefined && index.header.schema < schemaVersion) {
        await this.#renew(name, { handle, header: index.header, entries: index.entries });
        return await this.#read(key, name, work);
      }
      this.#whole.set(name, this.#whole.get(name) ?? 0);
      return await work({
        lines: createLineReader(handle),
        index,
        readImage: (image) => this.#images.read(name, image),
      });
    } catch (error) {
      throw await this.#putAside(name, file, error);
    }
  }

  /** What to say of a history that cannot be read; one that is broken is put aside. Other errors stay as they are. */
  async #putAside(name: string, file: string, error: unknown): Promise<unknown> {
    if (error instanceof NewerHistory) {
      const text = `this conversation cannot be read: ${file}: ${error.message}; run the version that wrote it, or start a new one`;
      return new HistoryUnreadable(text, { cause: error });
    }
    if (!(error instanceof LineError)) return error;
    const { folder, log } = this.#options;
    const reason = error.message;
    const keptAs = await files.quarantineHistory(folder, file);
    await this.#images.putAside(name, keptAs);
    this.#forget(name);
    log.error({ file, keptAs, reason }, "history cannot be read");
    const text = `this conversation cannot be read: ${file}: ${reason}; it is kept as ${keptAs}: start a new one`;
    return new HistoryUnreadable(text, { cause: error });
  }

  async #renew(name: string, read: Pick<RenewParts, "handle" | "header" | "entries">): Promise<void> {
    const { folder, clock } = this.#options;
    const owner = this.#retention.find(name)?.owner ?? "";
    const file = files.renderFile(name, owner);
    this.#summaries.forget(name);
    const textBytes = await renewHistory({ ...read, folder, file, keep: (images) => this.#images.write(name, images) });
    this.#retention.put(name, { owner, textBytes, imageBytes: this.#images.bytesOf(name), usedAtMs: clock.wallNow() });
  }

  async #write(
    key: string,
    name: string,
    { entry, owner: writer }: { entry: HistoryEntry | WithdrawnEntry; owner: string },
  ): Promise<void> {
    const { folder, clock } = this.#options;
    if (this.#retention.find(name) !== undefined && !this.#whole.has(name)) await this.#read(key, name, async () => {});
    await this.#cutOff(name);
    const use = this.#retention.find(name) ?? { owner: writer, textBytes: 0, imageBytes: 0 };
    const { text, images } = renderStored(entry, this.#whole.get(name) ?? 0);
    const isPlain = entry.role !== "withdrawn" && entry.role !== "summary" && images.length === 0;
    if (!isPlain) this.#recent.forget(name);
    const header = use.textBytes === 0 ? renderHeader(key, clock.wallNow()) : "";
    const bytes = Buffer.from(header + text);
    this.#makeRoom(use.textBytes + bytes.length, bytes.length + this.#images.countNew(name, images), use.owner);
    await this.#images.write(name, images);
    const file = files.renderFile(name, use.owner);
    try {
      await (use.textBytes === 0 ? files.createHistory : files.appendHistory)(folder, file, bytes);
    } catch (error) {
      if (use.textBytes > 0) this.#cuts.set(name, use.textBytes);
      this.#recent.forget(name);
      throw error;
    }
    const textBytes = use.textBytes + bytes.length;
    const imageBytes = this.#images.bytesOf(name);
    this.#retention.put(name, { owner: use.owner, textBytes, imageBytes, usedAtMs: clock.wallNow() });
    this.#whole.set(name, this.#whole.get(name) ?? 0);
    if (isPlain) this.#recent.add(name, entry, bytes.length);
  }

  /** Throws HistoryFull. */
  #makeRoom(textBytes: number, neededBytes: number, owner: string): void {
    const { clock, maxBytes, maxBytesPerConversation } = this.#options;
    if (textBytes > maxBytesPerConversation) throw renderFull(maxBytesPerConversation);
    const victims = this.#retention.listVictims(neededBytes, { owner, nowMs: clock.wallNow() });
    if (victims === undefined) {
      const text = `this conversation does not fit in the ${maxBytes} bytes for all histories: `;
      throw new HistoryFull(
        `${text}clear it with clear_history, try again later, or raise history.maxBytes of the agent`,
      );
    }
    for (const victim of victims) this.#drop(victim, "room");
  }

  async #cutOff(name: string): Promise<void> {
    const bytes = this.#cuts.get(name);
    const use = this.#retention.find(name);
    if (bytes === undefined || use === undefined) return;
    await files.cutHistory(this.#options.folder, files.renderFile(name, use.owner), bytes);
    this.#cuts.delete(name);
  }

  #forget(name: string): void {
    this.#retention.delete(name);
    this.#whole.delete(name);
    this.#cuts.delete(name);
    this.#recent.forget(name);
    this.#summaries.forget(name);
  }

  /** The history first: an image without one is found at the next start. */
  async #removeFiles(name: string, owner: string): Promise<void> {
    await files.removeHistory(this.#options.folder, files.renderFile(name, owner));
    await this.#images.remove(name);
  }

  /** The bookkeeping at once, the files when their turn has come: whoever asks for the key meanwhile waits behind it. */
  #drop(name: string, reason: DropReason): void {
    const { log, onDropped } = this.#options;
    const owner = this.#retention.find(name)?.owner ?? "";
    const file = files.renderFile(name, owner);
    this.#forget(name);
    onDropped?.(reason);
    this.#inOrder(name, () => this.#removeFiles(name, owner)).then(
      () => log.info({ file, reason }, "history dropped"),
      (error: unknown) => log.warn({ file, err: error }, "history cannot be dropped"),
    );
  }
}

function renderFull(maxBytes: number): HistoryFull {
  const text = `this conversation has reached the ${maxBytes} bytes that one may have (history.maxBytesPerConversation): `;
  return new HistoryFull(`${text}clear it with clear_history, or start a new one`);
}

/** A line and the images that it names. What a summary covers counts from the first message. */
function renderStored(entry: HistoryEntry | WithdrawnEntry, skipped: number): { text: string; images: NewImage[] } {
  if (entry.role === "withdrawn") return { text: renderLine(entry), images: [] };
  if (entry.role === "summary") return { text: renderLine({ ...entry, covers: entry.covers + skipped }), images: [] };
  const images = new Map(listImages(entry).map((image) => [image, renderImage(image)]));
  const text = renderLine(
    replaceImages(entry, (image): ImageRef => {
      const { sha256, bytes, mimeType } = images.get(image) ?? renderImage(image);
      return { sha256, bytes, mimeType };
    }),
  );
  return { text, images: [...images.values()] };
}
