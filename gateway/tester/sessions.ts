// The sessions of all callers with all servers they try: one for each pair, so many for one caller and in all, ended when nobody
// used them for a while. A full caller loses the session it used least recently; others never lose theirs to it.
import type { Root } from "../../lib/mcp/witness.ts";
import type { Timer } from "../../lib/process/clock.ts";
import { createStamp, type Entry, type Stamp } from "./entries.ts";
import { TesterProblem } from "./problem.ts";
import { createSession, type Session, type SessionParts, type Target } from "./session.ts";

export interface SessionBounds {
  maxPerCaller: number;
  max: number;
  idleTtlMs: number;
}

export const sessionBounds: SessionBounds = { maxPerCaller: 8, max: 128, idleTtlMs: 10 * 60_000 };
const sweepEveryMs = 15_000;
/** Callers whose roots are remembered; beyond them the earliest are forgotten. */
const maxRooted = 1_024;

/** An entry, and the caller whose session it is of. */
export interface HeardEntry {
  subject: string;
  /** Whether the server is that caller's alone. */
  isTransient: boolean;
  entry: Entry;
}

export interface SessionsParts extends Pick<SessionParts, "connect" | "clock"> {
  onEntry: (heard: HeardEntry) => void;
  bounds?: SessionBounds | undefined;
}

export class Sessions {
  readonly #parts: SessionsParts;
  readonly #bounds: SessionBounds;
  readonly #stamp: Stamp;
  /** By subject, then by key. */
  readonly #sessions = new Map<string, Map<string, Session>>();
  readonly #roots = new Map<string, readonly Root[]>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#bounds = parts.bounds ?? sessionBounds;
    this.#stamp = createStamp(parts.clock);
  }

  /** The caller's session with a server. Throws TesterProblem where there is no room for another. */
  open(subject: string, key: string, target: Target): Session {
    const known = this.find(subject, key);
    if (known !== undefined && isSame(known.target, target)) return known;
    if (known !== undefined) void this.end(subject, key);
    this.#makeRoom(subject);
    const { connect, clock, onEntry } = this.#parts;
    const session = createSession({
      target,
      connect,
      roots: () => this.rootsOf(subject),
      stamp: this.#stamp,
      onEntry: (entry) => onEntry({ subject, isTransient: target.isTransient ?? false, entry }),
      clock,
    });
    const own = this.#sessions.get(subject) ?? new Map<string, Session>();
    this.#sessions.set(subject, own.set(key, session));
    this.#timer ??= clock.schedule(sweepEveryMs, () => this.#sweep());
    return session;
  }

  find(subject: string, key: string): Session | undefined {
    return this.#sessions.get(subject)?.get(key);
  }

  of(subject: string): readonly Session[] {
    return [...(this.#sessions.get(subject)?.values() ?? [])];
  }

  rootsOf(subject: string): readonly Root[] {
    return this.#roots.get(subject) ?? [];
  }

  /** For all sessions of the caller. */
  setRoots(subject: string, roots: readonly Root[]): void {
    this.#roots.delete(subject);
    this.#roots.set(subject, roots);
    for (const oldest of [...this.#roots.keys()].slice(0, Math.max(0, this.#roots.size - maxRooted))) {
      this.#roots.delete(oldest);
    }
    for (const session of this.of(subject)) session.tellRoots();
  }

  async end(subject: string, key: string): Promise<void> {
    const own = this.#sessions.get(subject);
    const session = own?.get(key);
    own?.delete(key);
    if (own?.size === 0) this.#sessions.delete(subject);
    await session?.close();
  }

  count(): number {
    return [...this.#sessions.values()].reduce((sum, own) => sum + own.size, 0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    const all = [...this.#sessions].flatMap(([subject, own]) => [...own.keys()].map((key) => this.end(subject, key)));
    await Promise.all(all);
  }

  #makeRoom(subject: string): void {
    const { maxPerCaller, max } = this.#bounds;
    if (this.#closed) throw new TesterProblem(503, "the gateway is shutting down");
    const own = this.#sessions.get(subject);
    if (own !== undefined && own.size >= maxPerCaller) {
      const idle = [...own].flatMap(([key, session]) => {
        const since = session.idleSince();
        return since === undefined ? [] : [{ key, since }];
      });
      const oldest = idle.toSorted((a, b) => a.since - b.since)[0];
      if (oldest === undefined) {
        throw new TesterProblem(429, `you have requests running to ${maxPerCaller} servers already; let one end first`);
      }
      void this.end(subject, oldest.key);
    } else if (this.count() >= max) {
      throw new TesterProblem(503, `${max} sessions with servers are open already; try again later`);
    }
  }

  #sweep(): void {
    const { clock } = this.#parts;
    const before = clock.now() - this.#bounds.idleTtlMs;
    for (const [subject, own] of this.#sessions) {
      for (const [key, session] of own) {
        const since = session.idleSince();
        if (since !== undefined && since <= before) void this.end(subject, key);
      }
    }
    const goesOn = this.#sessions.size > 0 && !this.#closed;
    this.#timer = goesOn ? clock.schedule(sweepEveryMs, () => this.#sweep()) : undefined;
  }
}

const isSame = (a: Target, b: Target): boolean =>
  a.url === b.url && JSON.stringify(a.headers) === JSON.stringify(b.headers);
