// One leader among several processes, by a Lease. Whether another's lease has run out is judged by how long its record
// has stood still before our own eyes, never by a remote clock; our own validity counts from before each renewal was
// sent. A leader that cannot renew writes nothing until it can and nobody has led since; if somebody has, its process
// ends: whoever lost the leadership starts anew.
import { ApiError, CallRefused, isConflict, isNotFound } from "./api-error.ts";
import { renderCanonical } from "./canonical.ts";
import { renderMicroTime } from "./micro-time.ts";
import { fenceTransport } from "./fence.ts";
import { LeaseClient, type Lease, type LeaseRecord } from "./lease.ts";
import type { KubeMetrics } from "./metrics.ts";
import type { Transport } from "./transport.ts";
import { sleep, systemClock, type Clock } from "../process/clock.ts";
import type { Logger } from "../process/log.ts";

export interface ElectionTiming {
  /** A lease that stood still for this long may be taken over. */
  readonly leaseMs: number;
  /** Without a renewal for this long no write starts: well before anyone may take over, so that writes can land. */
  readonly renewDeadlineMs: number;
  /** Between two renewals; also the longest time between two looks at another's lease. */
  readonly retryMs: number;
  /** The longest time between two looks is so much longer (as a share) than the shortest. */
  readonly jitter: number;
}

const defaultElectionTiming: ElectionTiming = {
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  retryMs: 2_000,
  jitter: 1.2,
};

export interface ElectionOptions {
  /** Best one of its own: a renewal must not wait behind other calls. */
  readonly transport: Transport;
  readonly namespace: string;
  readonly name: string;
  /** Different for each process, also for two starts of the same pod. */
  readonly identity: string;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly metrics?: KubeMetrics;
  readonly timing?: Partial<ElectionTiming>;
}

export interface Election {
  readonly isLeader: boolean;
  /**
   * Waits for the lease, then runs `lead` once. `leadership` is aborted on stop, and when another process has led; while
   * the lease cannot be renewed the fence holds back what `lead` writes. On stop the lease is renewed until `lead` has
   * ended and is then given back, unless a write may still be on its way. Rejects with `LeadershipLost`, or with what
   * `lead` threw. May be called once.
   */
  run(signal: AbortSignal, lead: (leadership: AbortSignal) => Promise<void>): Promise<void>;
  /** The transport for all that only a leader may write. */
  fence(transport: Transport): Transport;
}

/** Another process has led: this one should end. */
export class LeadershipLost extends Error {
  override readonly name = "LeadershipLost";
}

/** No call is given less than this, so that a slow server is not mistaken for a dead one. */
const shortestCallMs = 1_000;

export function createElection(options: ElectionOptions): Election {
  return new LeaseElection(options);
}

interface Observation {
  readonly lease: Lease;
  /** The record as text: another text is a sign of life, a change beside it is not. */
  readonly record: string;
  /** From when on it has stood still, without the time in which nothing could be seen. */
  readonly since: number;
  readonly lookedAt: number;
}

class LeaseElection implements Election {
  readonly #options: ElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #clock: Clock;
  readonly #client: LeaseClient;
  readonly #setMaster: (isLeader: boolean) => void;
  #observed: Observation | undefined;
  /** No write starts from here on. 0: not leading. */
  #validUntil = 0;
  #failing = false;
  #writesUnderWay = 0;
  /** When the last write ended without an answer. */
  #givenUpAt = Number.NEGATIVE_INFINITY;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#timing = { ...defaultElectionTiming, ...options.timing };
    const { leaseMs, renewDeadlineMs, retryMs } = this.#timing;
    if (!(leaseMs > renewDeadlineMs && renewDeadlineMs > retryMs && retryMs > 0)) {
      throw new Error(
        `election timing needs leaseMs > renewDeadlineMs > retryMs > 0, found ${leaseMs}, ${renewDeadlineMs}, ${retryMs}`,
      );
    }
    this.#clock = options.clock ?? systemClock;
    this.#client = new LeaseClient({ ...options, clock: this.#clock });
    this.#setMaster = options.metrics?.master(options.name) ?? (() => undefined);
  }

  get isLeader(): boolean {
    return this.#remainingMs > 0;
  }

  fence(transport: Transport): Transport {
    const { identity, namespace, name } = this.#options;
    const describe = `${identity} does not hold the lease ${namespace}/${name}; only the leader may write`;
    const onWrite = (write: Promise<unknown>) => this.#follow(write);
    return fenceTransport({ transport, remainingMs: () => this.#remainingMs, describe, onWrite });
  }

  async run(signal: AbortSignal, lead: (leadership: AbortSignal) => Promise<void>): Promise<void> {
    if (!(await this.#acquire(signal))) return;
    if (signal.aborted) {
      await this.#release();
      return;
    }
    const { log, identity } = this.#options;
    log.info({ identity }, "became leader");
    this.#setMaster(true);
    const leadership = new AbortController();
    const over = new AbortController();
    const stop = () => leadership.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    // Inside of an async function also a `lead` that throws at once becomes a rejection.
    const work = (async () => lead(leadership.signal))().finally(() => over.abort());
    try {
      const lost = await this.#keep(over.signal);
      if (lost === undefined) {
        await work;
        return;
      }
      this.#resign();
      log.error({ identity, err: lost }, "leadership lost");
      leadership.abort(lost);
      await this.#settle(work);
      if (!signal.aborted) throw lost;
    } finally {
      signal.removeEventListener("abort", stop);
      if (this.isLeader) await this.#release();
    }
  }

  get #remainingMs(): number {
    return this.#validUntil - this.#clock.now();
  }

  /** False when stopped first. The claim in flight is waited for: a lease must not be ours without our knowledge. */
  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (await this.#try(() => this.#claim())) return true;
      await sleep(this.#clock, this.#pauseMs(), signal).catch(() => undefined); // Rejects only when stopped.
    }
    return false;
  }

  /** Renews until the work is over (undefined), or until the lease is lost. */
  async #keep(over: AbortSignal): Promise<LeadershipLost | undefined> {
    const { namespace, name } = this.#options;
    const lease = `the lease ${namespace}/${name}`;
    while (!over.aborted) {
      if (!this.isLeader) this.#lapse();
      const pauseMs = this.isLeader ? Math.min(this.#timing.retryMs, this.#remainingMs) : this.#pauseMs();
      await sleep(this.#clock, pauseMs, over).catch(() => undefined); // Rejects only when over.
      if (over.aborted) return undefined;
      // After a lapse, be it the server's problem or a standstill of ours, not even a renewal may be sent without a look.
      const lapsed = !this.isLeader;
      if (lapsed) this.#lapse();
      const held = await this.#try(() => (lapsed ? this.#resume() : this.#claim()));
      const holder = this.#observed?.lease.record.holder;
      if (held === false && (lapsed || holder !== this.#options.identity)) {
        return new LeadershipLost(
          `${lease} was taken by ${holder === undefined || holder === "" ? "another" : holder}`,
        );
      }
      if (lapsed && held === true) {
        this.#setMaster(true);
        this.#options.log.info({ identity: this.#options.identity }, "leadership resumed");
      }
    }
    return undefined;
  }

  #lapse(): void {
    if (this.#validUntil === 0) return;
    this.#options.log.warn(
      { identity: this.#options.identity },
      "lease lapsed, nothing is written until it is renewed",
    );
    this.#resign();
  }

  /**
   * Renews a lease that lapsed, provided that nobody has led since: then all that was decided before still holds. False
   * when somebody has. The write is tied to the version that was judged.
   */
  async #resume(): Promise<boolean> {
    const mine = this.#observed?.lease.record;
    const lease = await this.#client.read(this.#callMs);
    this.#observe(lease);
    const isUntouched =
      lease?.record.holder === this.#options.identity && lease.record.transitions === mine?.transitions;
    if (!isUntouched) return false;
    // Another standstill during this call is another lapse, and no loss.
    return (
      (await this.#write(lease)) || Promise.reject(new Error("the renewal took longer than the lease is good for"))
    );
  }

  /** Undefined when it could not be found out. */
  async #try(claim: () => Promise<boolean>): Promise<boolean | undefined> {
    const { log, namespace, name } = this.#options;
    try {
      const held = await claim();
      if (this.#failing) log.info({ namespace, lease: name }, "lease reachable again");
      this.#failing = false;
      return held;
    } catch (error) {
      if (!this.#failing) log.warn({ namespace, lease: name, err: error }, "lease not reachable");
      this.#failing = true;
      this.#discount();
      return undefined;
    }
  }

  /** Time without an answer is no time in which the record stood still: its holder could not be heard, either. */
  #discount(): void {
    if (this.#observed === undefined) return;
    const { since, lookedAt } = this.#observed;
    const now = this.#clock.now();
    this.#observed = { ...this.#observed, since: since + now - lookedAt, lookedAt: now };
  }

  /** Takes or renews the lease: at first the version seen last, and after a conflict the one that is there. */
  async #claim(): Promise<boolean> {
    if (this.#observed !== undefined && this.#isFree(this.#observed)) {
      try {
        return await this.#write(this.#observed.lease);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    this.#observe(await this.#client.read(this.#callMs));
    if (this.#observed !== undefined && !this.#isFree(this.#observed)) return false;
    return this.#write(this.#observed?.lease);
  }

  async #write(seen: Lease | undefined): Promise<boolean> {
    const { identity } = this.#options;
    const now = renderMicroTime(this.#clock);
    const before = seen?.record;
    const kept = before?.holder === identity;
    const startedAt = this.#clock.now();
    const lease = await this.#client.write(
      seen,
      {
        holder: identity,
        durationMs: this.#timing.leaseMs,
        transitions: (before?.transitions ?? 0) + (before === undefined || kept ? 0 : 1),
        acquiredAt: kept ? (before.acquiredAt ?? now) : now,
        renewedAt: now,
      },
      this.#callMs,
    );
    this.#observe(lease);
    this.#validUntil = startedAt + this.#timing.renewDeadlineMs;
    return this.isLeader;
  }

  /** Ours, given back, or stood still for as long as its holder asked to be believed. */
  #isFree({ lease: { record }, since }: Observation): boolean {
    if (record.holder === "" || record.holder === this.#options.identity) return true;
    return this.#clock.now() >= since + this.#beliefMs(record);
  }

  #beliefMs(record: LeaseRecord): number {
    return record.durationMs > 0 ? record.durationMs : this.#timing.leaseMs;
  }

  #observe(lease: Lease | undefined): void {
    if (lease === undefined) {
      this.#observed = undefined;
      return;
    }
    const record = renderCanonical(lease.record);
    const same = this.#observed?.record === record;
    const { holder } = lease.record;
    if (holder !== this.#observed?.lease.record.holder && holder !== "" && holder !== this.#options.identity) {
      this.#options.log.info({ holder }, "another process leads");
    }
    const now = this.#clock.now();
    this.#observed = { lease, record, since: same && this.#observed ? this.#observed.since : now, lookedAt: now };
  }

  /**
   * At most three quarters of `retryMs`, the rest is for the calls: what is seen of the leader is then never older, and
   * a takeover comes at most leaseMs + retryMs after its last sign of life. And not later than the moment at which the
   * lease runs out.
   */
  #pauseMs(): number {
    const { retryMs, jitter } = this.#timing;
    const pauseMs = (0.75 * retryMs * (1 + jitter * Math.random())) / (1 + jitter);
    if (this.#observed === undefined || this.#isFree(this.#observed)) return pauseMs;
    const { lease, since } = this.#observed;
    return Math.min(pauseMs, since + this.#beliefMs(lease.record) - this.#clock.now());
  }

  get #callMs(): number {
    const longestMs = Math.max(shortestCallMs, this.#timing.renewDeadlineMs / 2);
    return this.#validUntil === 0 ? longestMs : Math.max(1, Math.min(longestMs, this.#remainingMs));
  }

  #resign(): void {
    this.#validUntil = 0;
    this.#setMaster(false);
  }

  /** After a loss nothing can be written any more; the work gets as long to end as the others wait. */
  async #settle(work: Promise<void>): Promise<void> {
    const { leaseMs, renewDeadlineMs } = this.#timing;
    const ended = new AbortController();
    const failed = (error: unknown) => this.#options.log.warn({ err: error }, "work of the former leader failed");
    const late = sleep(this.#clock, leaseMs - renewDeadlineMs, ended.signal).catch(() => undefined);
    await Promise.race([work.catch(failed), late]);
    ended.abort();
  }

  #follow(write: Promise<unknown>): void {
    this.#writesUnderWay += 1;
    const ended = (error?: unknown) => {
      this.#writesUnderWay -= 1;
      const answered = error === undefined || error instanceof ApiError || error instanceof CallRefused;
      if (!answered) this.#givenUpAt = this.#clock.now();
    };
    write.then(() => ended(), ended);
  }

  /** What was given up gets as long to land as there is between the end of a lease and a takeover. */
  get #mayWriteLand(): boolean {
    const { leaseMs, renewDeadlineMs } = this.#timing;
    return this.#writesUnderWay > 0 || this.#clock.now() < this.#givenUpAt + leaseMs - renewDeadlineMs;
  }

  /** Gives the lease back, so that the next one need not wait for it to run out. */
  async #release(): Promise<void> {
    const { log, identity } = this.#options;
    const callMs = Math.min(this.#callMs, shortestCallMs * 2);
    this.#resign();
    if (this.#mayWriteLand) {
      log.warn({ identity }, "a write may still be on its way; the lease runs out by itself");
      return;
    }
    try {
      await this.#giveBack(callMs);
      log.info({ identity }, "lease given back");
    } catch (error) {
      log.warn({ identity, err: error }, "lease could not be given back; it runs out by itself");
    }
  }

  /** Also a lease that was touched since, or whose last renewal was not answered. */
  async #giveBack(callMs: number): Promise<void> {
    const write = async (lease: Lease | undefined) => {
      if (lease?.record.holder !== this.#options.identity) return;
      const now = renderMicroTime(this.#clock);
      const free = { ...lease.record, holder: "", durationMs: 1_000, acquiredAt: now, renewedAt: now };
      await this.#client.write(lease, free, callMs);
    };
    try {
      await write(this.#observed?.lease);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await write(await this.#client.read(callMs));
    }
  }
}
