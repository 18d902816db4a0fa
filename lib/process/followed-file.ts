// A file that somebody else replaces whole, read again at each change. One that is missing, half-written or garbage takes
// nothing away: it is read until it is sound. What is in it is the caller's to parse.
import { watch, type FSWatcher } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "./log.ts";

export interface FollowedFileOptions<T> {
  path: string;
  /** In messages. */
  name: string;
  /** Throws where the text is not sound. */
  parse: (text: string) => T;
  onRead: (value: T) => void;
  /** What is wrong, at each attempt. */
  onTrouble: (error: unknown) => void;
  maxFileBytes: number;
  /** How often the file is looked at where no event tells of a change. */
  pollMs: number;
  log: Logger;
}

export class FollowedFile<T> {
  readonly #options: FollowedFileOptions<T>;
  /** Identity of the file as last read soundly; undefined: read it whatever it says. */
  #version: string | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #readAgain = false;

  constructor(options: FollowedFileOptions<T>) {
    this.#options = options;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#look(), this.#options.pollMs);
    this.#look();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#unwatch();
    this.#readAgain = false;
    await this.#reading;
  }

  /** Starts a read, or has the running one repeated: an event during a read may be of a later content. */
  #look(): void {
    this.#watchFolder();
    if (this.#reading !== undefined) {
      this.#readAgain = true;
      return;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
      if (this.#readAgain) {
        this.#readAgain = false;
        this.#look();
      }
    });
  }

  /** The folder, not the file: a watch of a file ends when the file is replaced. The timer does its work meanwhile. */
  #watchFolder(): void {
    if (this.#watcher !== undefined) return;
    const { path, name, log } = this.#options;
    try {
      this.#watcher = watch(dirname(path), () => this.#look());
      this.#watcher.on("error", () => this.#unwatch());
    } catch (error) {
      log.debug({ file: name, err: error }, "folder of a file cannot be watched, looking at it on a timer");
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  async #read(): Promise<void> {
    const { path, name, maxFileBytes, parse, onRead, onTrouble } = this.#options;
    try {
      const { ino, mtimeMs, size } = await stat(path);
      const version = `${ino} ${mtimeMs} ${size}`;
      if (version === this.#version) return;
      if (size > maxFileBytes) {
        throw new Error(`${name}: ${path} has ${size} bytes, more than the limit of ${maxFileBytes}`);
      }
      const value = parse(await readFile(path, "utf8"));
      this.#version = version;
      onRead(value);
    } catch (error) {
      this.#version = undefined;
      onTrouble(error);
    }
  }
}
