// The source of local mode: one file, replaced whole at each change (crds/local-state.ts). A file that is missing,
// half-written or garbage never takes away what is known; it is read again until it is sound.
import { watch, type FSWatcher } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { isOfKind, kinds } from "../../crds/kinds.ts";
import { localStateSchema, type LocalState } from "../../crds/local-state.ts";
import { systemClock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { Listeners, onePerPod, resourceKey, type ResourceSource, type SourceState } from "./source.ts";

/** What 1,000 agents with long instructions take, with room. */
const maxFileBytes = 256 * 1024 * 1024;

export interface FileSourceOptions {
  path: string;
  log: Logger;
  /** How often the file is looked at where no event tells of a change. */
  pollMs?: number;
  maxFileBytes?: number;
  now?: () => number;
}

/** Never rejects and never throws: what is wrong with the file is in `state`. */
export function createFileSource(options: FileSourceOptions): ResourceSource {
  return new FileSource(options);
}

class FileSource implements ResourceSource {
  readonly #options: Required<FileSourceOptions>;
  readonly #listeners = new Listeners();
  #known: Known = derive({ schema: 2, resources: [], endpoints: [] });
  #state: SourceState;
  /** Identity of the file as last read soundly; undefined: read it whatever it says. */
  #version: string | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #readAgain = false;

  constructor(options: FileSourceOptions) {
    this.#options = { pollMs: 1_000, maxFileBytes, now: systemClock.wallNow, ...options };
    this.#state = { phase: "starting", since: this.#options.now() };
  }

  state = (): SourceState => this.#state;
  endpointState = (): SourceState => this.#state;
  instances = () => this.#known.instances;
  agents = () => this.#known.agents;
  endpoints = () => this.#known.endpoints;
  /** Manifests are checked before they come into the file; a faulty one makes the whole file unsound. */
  unreadable = (): readonly string[] => [];
  onChange = (listener: () => void) => this.#listeners.add(listener);

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
    try {
      this.#watcher = watch(dirname(this.#options.path), () => this.#look());
      this.#watcher.on("error", () => this.#unwatch());
    } catch (error) {
      this.#options.log.debug({ err: error }, "folder of the local state cannot be watched, looking at it on a timer");
    }
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  async #read(): Promise<void> {
    const { path, log } = this.#options;
    try {
      const { ino, mtimeMs, size } = await stat(path);
      const version = `${ino} ${mtimeMs} ${size}`;
      if (version === this.#version) return;
      const limit = this.#options.maxFileBytes;
      if (size > limit) throw new Error(`local state: ${path} has ${size} bytes, more than the limit of ${limit}`);
      const next = parseLocalState(await readFile(path, "utf8"), path);
      this.#version = version;
      this.#accept(next);
    } catch (error) {
      this.#version = undefined;
      const message = error instanceof Error ? error.message : String(error);
      if (message === this.#state.message) return;
      log.warn({ err: error }, "local state cannot be read");
      this.#become(this.#state.phase === "starting" ? "starting" : "degraded", message);
    }
  }

  #accept(next: LocalState): void {
    this.#known = derive({
      ...next,
      resources: keepIdentity(this.#known.resources, next.resources),
      endpoints: onePerPod(next.endpoints),
    });
    this.#become("live");
  }

  #become(phase: SourceState["phase"], message?: string): void {
    const since = phase === this.#state.phase ? this.#state.since : this.#options.now();
    this.#state = message === undefined ? { phase, since } : { phase, since, message };
    this.#listeners.notify();
  }
}

function parseLocalState(text: string, path: string): LocalState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`local state: expected JSON in ${path}; it is read again when it changes`, { cause });
  }
  const result = localStateSchema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`local state: ${path} is not what this release understands: ${z.prettifyError(result.error)}`, {
    cause: result.error,
  });
}

/** The state, sorted by kind once. */
const derive = (state: LocalState) => ({
  ...state,
  instances: state.resources.filter(isOfKind(kinds.PallasInstance)),
  agents: state.resources.filter(isOfKind(kinds.PallasAgent)),
});
type Known = ReturnType<typeof derive>;
type Resources = LocalState["resources"];

const identityOf = (resource: Resources[number]): string => `${resource.kind} ${resourceKey(resource)}`;

/** The new list with the old object wherever nothing changed. */
function keepIdentity(before: Resources, after: Resources): Resources {
  const known = new Map(before.map((resource) => [identityOf(resource), resource]));
  return after.map((resource) => {
    const earlier = known.get(identityOf(resource));
    return earlier !== undefined && JSON.stringify(earlier) === JSON.stringify(resource) ? earlier : resource;
  });
}
