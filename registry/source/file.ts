// The source of local mode: one file, replaced whole at each change (crds/local-state.ts). A file that is missing,
// half-written or garbage never takes away what is known; it is read again until it is sound.
import { isOfKind, kinds } from "../../crds/kinds.ts";
import { maxLocalStateBytes, parseLocalState, type LocalState } from "../../crds/local-state.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { FollowedFile } from "../../lib/process/followed-file.ts";
import type { Logger } from "../../lib/process/log.ts";
import { Listeners, onePerPod, resourceKey, type ResourceSource, type SourceState } from "./source.ts";

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
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #listeners = new Listeners();
  readonly #file: FollowedFile<LocalState>;
  #known: Known = derive({ schema: 2, resources: [], endpoints: [], bridges: [] });
  #state: SourceState;

  constructor({ path, log, pollMs = 1_000, maxFileBytes = maxLocalStateBytes, now }: FileSourceOptions) {
    this.#log = log;
    this.#now = now ?? systemClock.wallNow;
    this.#state = { phase: "starting", since: this.#now() };
    this.#file = new FollowedFile({
      path,
      name: "local state",
      parse: (text) => parseLocalState(text, path),
      onRead: (next) => this.#accept(next),
      onTrouble: (error) => this.#refuse(error),
      maxFileBytes,
      pollMs,
      log,
    });
  }

  state = (): SourceState => this.#state;
  endpointState = (): SourceState => this.#state;
  instances = () => this.#known.instances;
  agents = () => this.#known.agents;
  servers = () => this.#known.servers;
  endpoints = () => this.#known.endpoints;
  /** Manifests are checked before they come into the file; a faulty one makes the whole file unsound. */
  unreadable = (): readonly string[] => [];
  onChange = (listener: () => void) => this.#listeners.add(listener);
  start = (): void => this.#file.start();
  stop = (): Promise<void> => this.#file.stop();

  #accept(next: LocalState): void {
    this.#known = derive({
      ...next,
      resources: keepIdentity(this.#known.resources, next.resources),
      endpoints: onePerPod(next.endpoints),
    });
    this.#become("live");
  }

  #refuse(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#state.message) return;
    this.#log.warn({ err: error }, "local state cannot be read");
    this.#become(this.#state.phase === "starting" ? "starting" : "degraded", message);
  }

  #become(phase: SourceState["phase"], message?: string): void {
    const since = phase === this.#state.phase ? this.#state.since : this.#now();
    this.#state = message === undefined ? { phase, since } : { phase, since, message };
    this.#listeners.notify();
  }
}

/** The state, sorted by kind once. */
const derive = (state: LocalState) => ({
  ...state,
  instances: state.resources.filter(isOfKind(kinds.PallasInstance)),
  agents: state.resources.filter(isOfKind(kinds.PallasAgent)),
  servers: state.resources.filter(isOfKind(kinds.PallasServer)),
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
