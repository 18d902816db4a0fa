// The sessions of the 2025 era: who is in, how long they may idle, how many there may be (AGT-6).
// A session is idle when no call runs and no GET stream is open. At the cap the longest idle session without a running call
// makes room, because its client can resume it or start anew; only when every session has a call running is a new one refused.
import type { Clock, Timer } from "../process/clock.ts";

export interface SessionLimits {
  /** A session idle for this long ends. At most 2^31 - 1. */
  idleTtlMs: number;
  /** Sessions at the same time. */
  max: number;
}

export interface Session {
  readonly id: string;
  /** True while a call of the session runs. */
  isCalling(): boolean;
  /** True while the client holds the GET stream. */
  isListening(): boolean;
  /** Ends the session's streams and calls. Called once; must not throw. */
  end(): void;
}

/** All times by `clock`. */
export class SessionStore<T extends Session> {
  /** In the order of last use, longest idle first: `touch` re-inserts. */
  readonly #entries = new Map<string, { session: T; usedAt: number }>();
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  #reservedCount = 0;
  #timer: Timer | undefined;

  constructor(limits: SessionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keeps a place for one more session, making room if it must; false when none can be had. Then `add` or `release` it. */
  reserve(): boolean {
    if (this.#entries.size + this.#reservedCount >= this.#limits.max) {
      const idle = this.#sessions().filter((session) => !session.isCalling());
      const victim = idle.find((session) => !session.isListening()) ?? idle[0];
      if (victim === undefined) return false;
      this.end(victim);
    }
    this.#reservedCount += 1;
    return true;
  }

  /** Gives back a reserved place that was not needed. */
  release(): void {
    this.#reservedCount -= 1;
  }

  /** Takes the reserved place. */
  add(session: T): void {
    this.#reservedCount -= 1;
    this.#entries.set(session.id, { session, usedAt: this.#clock.now() });
    this.#armTimer(this.#limits.idleTtlMs);
  }

  /** The session with this id, its idle time started anew; undefined when it is unknown or has expired. */
  find(id: string): T | undefined {
    const session = this.#entries.get(id)?.session;
    if (session === undefined) return undefined;
    if (this.#remainingMs(session) <= 0) {
      this.end(session);
      return undefined;
    }
    this.touch(session);
    return session;
  }

  /** Starts the session's idle time anew. */
  touch(session: T): void {
    if (this.#entries.delete(session.id)) this.#entries.set(session.id, { session, usedAt: this.#clock.now() });
  }

  /** Forgets and ends the session; does nothing the second time. */
  end(session: T): void {
    if (this.#entries.delete(session.id)) session.end();
  }

  endAll(): void {
    for (const session of this.#sessions()) this.end(session);
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #sessions(): T[] {
    return [...this.#entries.values()].map(({ session }) => session);
  }

  /** How long the session may still idle; the whole time while it is busy. */
  #remainingMs(session: T): number {
    const usedAt = this.#entries.get(session.id)?.usedAt ?? 0;
    const isBusy = session.isCalling() || session.isListening();
    return isBusy ? this.#limits.idleTtlMs : usedAt + this.#limits.idleTtlMs - this.#clock.now();
  }

  #sweep(): void {
    let nextMs = this.#limits.idleTtlMs;
    for (const session of this.#sessions()) {
      const remainingMs = this.#remainingMs(session);
      if (remainingMs <= 0) {
        this.end(session);
      } else {
        nextMs = Math.min(nextMs, remainingMs);
      }
    }
    this.#armTimer(nextMs);
  }

  /** One timer for all sessions; use of a session only makes it fire for nothing. */
  #armTimer(delayMs: number): void {
    if (this.#timer === undefined && this.#entries.size > 0) {
      this.#timer = this.#clock.schedule(delayMs, () => {
        this.#timer = undefined;
        this.#sweep();
      });
    }
  }
}
