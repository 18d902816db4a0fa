// Keeps a store equal to one collection of the API server: list, then watch, for ever. No problem ends it, only `stop`
// or its signal; after each problem it resumes where it was, or lists anew when the server no longer knows that place.
import { defined } from "../process/defined.ts";
import { ApiError, isExpired, TransportError } from "./api-error.ts";
import { Backoff, type BackoffOptions } from "./backoff.ts";
import { parseListPage, parseWatchEvent, type WatchEvent } from "./decode.ts";
import { keyOf, type LiveObject, type RawObject } from "./object.ts";
import { collectionPath, type ResourceType } from "./resource.ts";
import { isOlder } from "./resource-version.ts";
import type { ReplaceOptions } from "./store.ts";
import type { Transport } from "./transport.ts";
import { sleep, systemClock, type Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";

export interface ReflectorState {
  /** starting: never listed yet. live: the last attempt to watch succeeded. degraded: the cache may be behind. */
  readonly phase: "starting" | "live" | "degraded";
  /** Milliseconds since 1970, to be shown. */
  readonly since: number;
  /** The same moment by the clock's `now`, to measure from. */
  readonly enteredAt: number;
  /** Why it is not live. */
  readonly message?: string;
}

export interface ReflectorTiming {
  readonly backoff: BackoffOptions;
  /** A watch that lasted this long was healthy: the back-off starts anew. */
  readonly healthyAfterMs: number;
  /**
   * Silence after which a watch is given up and opened again where it was: after the bookmark that the server sends every
   * 60 s (each is up to a second late), and before it forgets the history, which it keeps for 75 s or more.
   */
  readonly inactivityMs: number;
  /** The server is asked to end each watch after a random time between the two. */
  readonly watchSeconds: readonly [number, number];
  readonly listTimeoutMs: number;
}

/** The longest delay is 5 s so that a server which comes back is noticed, and its news are acted upon, within 10. */
export const defaultReflectorTiming: ReflectorTiming = {
  backoff: { initialMs: 800, maxMs: 5_000 },
  healthyAfterMs: 10_000,
  inactivityMs: 70_000,
  watchSeconds: [300, 600],
  listTimeoutMs: 30_000,
};

/** What a reflector writes to; a `Store` is one. */
export interface ReflectorTarget<T> {
  get(key: string): T | undefined;
  replace(objects: readonly T[], options: ReplaceOptions): void;
  upsert(object: T): void;
  remove(object: LiveObject): void;
}

export interface ReflectorOptions<T extends LiveObject> {
  readonly transport: Transport;
  readonly type: ResourceType;
  /** Absent: the whole cluster. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly target: ReflectorTarget<T>;
  /**
   * Gives a raw object its type, and may drop fields. One that throws leaves the object's earlier version in place.
   * `previous` is that version, perhaps of another object of the same name.
   */
  readonly parse: (raw: RawObject, previous: T | undefined) => T;
  /** Hears when `isRefused` changes. */
  readonly onRefused?: (refused: boolean) => void;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly timing?: Partial<ReflectorTiming>;
  readonly pageSize?: number;
}

const defaultPageSize = 500;
const maxPages = 10_000;
/** So many watches without one event, and the position itself is doubted: list anew. */
const maxFruitlessWatches = 5;
/** So many refusals in a row, and it is no authorizer that has yet to learn of a role: some seconds. */
const refusalsBelieved = 3;
/** So many lists older than what was seen already, and it is believed that the server's history went back. */
const maxStaleLists = 5;
/** Longest that a server's Retry-After is obeyed. */
const maxPauseMs = 60_000;

export class Reflector<T extends LiveObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #timing: ReflectorTiming;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  readonly #stopper = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #finished: Promise<void> | undefined;
  #state: ReflectorState;
  /** Where the next watch begins; undefined: list first. */
  #position: string | undefined;
  #newest: string | undefined;
  #fruitlessWatches = 0;
  #refusals = 0;
  #staleLists = 0;
  #everListed = false;
  #listedAt = Number.NEGATIVE_INFINITY;
  #watchOpenedAt: number | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#timing = { ...defaultReflectorTiming, ...options.timing };
    this.#clock = options.clock ?? systemClock;
    this.#backoff = new Backoff(this.#timing.backoff);
    this.#state = { phase: "starting", since: this.#clock.wallNow(), enteredAt: this.#clock.now() };
  }

  get state(): ReflectorState {
    return this.#state;
  }

  get hasSynced(): boolean {
    return this.#everListed;
  }

  /** The server says, time and again, that this may not be read (403) or does not exist (404). It is asked on. */
  get isRefused(): boolean {
    return this.#refusals >= refusalsBelieved;
  }

  /** Resolves after the first complete list is in the store. Never rejects; stays open when stopped before that. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Starting twice is the same as once. */
  start(): void {
    this.#finished ??= this.#run(this.#stopper.signal);
  }

  /** After it resolves the target is not written any more. */
  async stop(): Promise<void> {
    this.#stopper.abort(new Error("reflector stopped"));
    await this.#finished;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#watchOpenedAt = undefined;
      let failure: unknown;
      try {
        this.#position ??= await this.#list(signal);
        await this.#watch(this.#position, signal);
      } catch (error) {
        failure = error;
      }
      if (signal.aborted) return;
      const openedAt = this.#watchOpenedAt ?? Number.POSITIVE_INFINITY;
      const wasHealthy = this.#clock.now() - openedAt >= this.#timing.healthyAfterMs;
      if (wasHealthy) this.#backoff.reset();
      const isSilence = wasHealthy && failure instanceof TransportError && failure.timedOut;
      if (failure !== undefined) this.#doubtPosition(failure);
      // The server ends every watch after some minutes; only ends in quick succession are slowed down.
      if (wasHealthy && (failure === undefined || isSilence)) {
        if (isSilence) this.#tell("debug", "watch was silent, opening it again");
        continue;
      }
      const delayMs = failure === undefined ? this.#backoff.nextMs() : this.#recoverMs(failure);
      await sleep(this.#clock, delayMs, signal).catch(() => undefined); // Rejects only when stopped; the loop sees that.
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { transport, type, namespace, target } = this.#options;
    const objects: T[] = [];
    const retain = new Set<string>();
    let page: string | undefined;
    let resourceVersion = "";
    for (let pages = 0; pages === 0 || page !== undefined; pages += 1) {
      if (pages === maxPages) throw new Error(`the list of ${type.plural} did not end after ${maxPages} pages`);
      const answer = await transport.request({
        method: "GET",
        path: collectionPath(type, namespace),
        // Without a resourceVersion the list is consistent: a lagging server cannot show us the past.
        query: {
          limit: this.#options.pageSize ?? defaultPageSize,
          continue: page,
          labelSelector: this.#options.labelSelector,
        },
        timeoutMs: this.#timing.listTimeoutMs,
        signal,
      });
      const parsed = parseListPage(answer, type);
      for (const raw of parsed.items) {
        const object = this.#parse(raw);
        if (object === undefined) retain.add(keyOf(raw));
        else objects.push(object);
      }
      page = parsed.next;
      resourceVersion = parsed.resourceVersion;
    }
    signal.throwIfAborted();
    const reset = this.#acceptList(resourceVersion);
    target.replace(objects, { namespace, retain, reset, initial: !this.#everListed });
    this.#newest = resourceVersion;
    this.#everListed = true;
    this.#listedAt = this.#clock.now();
    this.#allow();
    this.#synced.resolve();
    return resourceVersion;
  }

  /** True when an older list has to be believed; throws as long as it may be a server that lags behind. */
  #acceptList(resourceVersion: string): boolean {
    if (this.#newest === undefined || !isOlder(resourceVersion, this.#newest)) {
      this.#staleLists = 0;
      return false;
    }
    this.#staleLists += 1;
    if (this.#staleLists <= maxStaleLists) {
      throw new Error(
        `a list at resourceVersion ${resourceVersion} is older than ${this.#newest}, seen before; asking again`,
      );
    }
    this.#staleLists = 0;
    return true;
  }

  async #watch(position: string, signal: AbortSignal): Promise<void> {
    const { transport, type, namespace, labelSelector } = this.#options;
    const [shortest, longest] = this.#timing.watchSeconds;
    const lines = await transport.watch({
      path: collectionPath(type, namespace),
      query: {
        resourceVersion: position,
        allowWatchBookmarks: true,
        timeoutSeconds: Math.round(shortest + Math.random() * (longest - shortest)),
        labelSelector,
      },
      signal,
      inactivityMs: this.#timing.inactivityMs,
    });
    this.#watchOpenedAt = this.#clock.now();
    this.#allow();
    this.#become("live");
    for await (const line of lines) {
      if (signal.aborted) return;
      this.#handle(parseWatchEvent(line, type));
      this.#fruitlessWatches = 0;
    }
  }

  #handle(event: WatchEvent): void {
    if (event.kind === "bookmark") {
      this.#advance(event.resourceVersion);
      return;
    }
    if (event.kind === "delete") {
      this.#options.target.remove(event.object);
    } else {
      const object = this.#parse(event.object);
      if (object !== undefined) this.#options.target.upsert(object);
    }
    this.#advance(event.object.metadata.resourceVersion);
  }

  #advance(resourceVersion: string): void {
    this.#position = resourceVersion;
    if (this.#newest === undefined || !isOlder(resourceVersion, this.#newest)) this.#newest = resourceVersion;
  }

  #parse(raw: RawObject): T | undefined {
    try {
      return this.#options.parse(raw, this.#options.target.get(keyOf(raw)));
    } catch (error) {
      this.#options.log.error(
        { kind: this.#options.type.kind, key: keyOf(raw), err: error },
        "object could not be read",
      );
      return undefined;
    }
  }

  /** A failed watch may mean that its position is no good. One that was not even answered says nothing about that. */
  #doubtPosition(failure: unknown): void {
    if (this.#position === undefined) return;
    const isUnanswered = failure instanceof TransportError && this.#watchOpenedAt === undefined;
    const isPutOff = failure instanceof ApiError && failure.status === 429;
    if (!isUnanswered && !isPutOff) this.#fruitlessWatches += 1;
    if (!isExpired(failure) && this.#fruitlessWatches < maxFruitlessWatches) return;
    this.#position = undefined;
    this.#fruitlessWatches = 0;
  }

  /** Tells of the failure, and how long to pause. */
  #recoverMs(error: unknown): number {
    // A server that was away has no history from before: it is well again, and what was missed is not to wait.
    if (isExpired(error) && this.#clock.now() - this.#listedAt >= this.#timing.healthyAfterMs) this.#backoff.reset();
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const delayMs = Math.max(this.#backoff.nextMs(), Math.min(asked, maxPauseMs));
    const isRefusal = error instanceof ApiError && (error.status === 403 || error.status === 404);
    if (isRefusal) this.#refusals += 1;
    if (isRefusal && this.#refusals === refusalsBelieved) {
      this.#tell("warn", "watch is refused, retrying until it is allowed", { err: error });
    } else if (isExpired(error)) {
      this.#tell("info", "watch position expired, listing again", { reason: "Expired" });
    } else if (this.#state.phase !== "degraded" && !this.isRefused) {
      this.#tell("warn", "watch interrupted", { delayMs: Math.round(delayMs), err: error });
    }
    this.#become(this.#everListed ? "degraded" : "starting", error instanceof Error ? error.message : String(error));
    if (isRefusal && this.#refusals === refusalsBelieved) this.#options.onRefused?.(true);
    return delayMs;
  }

  /** A list or watch was answered. */
  #allow(): void {
    const { isRefused } = this;
    this.#refusals = 0;
    if (!isRefused) return;
    this.#tell("info", "watch is allowed again");
    this.#options.onRefused?.(false);
  }

  #tell(level: "debug" | "info" | "warn", message: string, fields: object = {}): void {
    const { log, type, namespace } = this.#options;
    log[level]({ kind: type.kind, namespace, ...fields }, message);
  }

  #become(phase: ReflectorState["phase"], message?: string): void {
    if (phase === "live" && this.#state.phase === "degraded") this.#tell("info", "watch resumed");
    const { since, enteredAt } =
      phase === this.#state.phase ? this.#state : { since: this.#clock.wallNow(), enteredAt: this.#clock.now() };
    this.#state = { phase, since, enteredAt, ...defined({ message }) };
  }
}
