// The links to one server that knows its callers apart: one link, with its session and tool list, for each of them (BRR-2).
// A link is found by a keyed hash, so that no token is a key of anything; idle links are closed, and there are never more
// than a fixed number.
import { createHmac, randomBytes } from "node:crypto";
import type { Clock, Timer } from "../process/clock.ts";
import type { Link } from "./link.ts";
import type { ListFailure } from "./tool-list.ts";

export interface LinkPoolOptions<Who> {
  /** Opens the link whose requests say who it is, by a token or otherwise. */
  open: (who: Who) => Link;
  /** By what callers are told apart; those without share a link. */
  keyOf: (who: Who) => string | undefined;
  clock: Clock;
  /** Links kept, in use or not. Runs beyond it get links of their own. */
  maxLinks?: number;
  idleTtlMs?: number;
}

export interface Lease {
  link: Link;
  /** Gives the link back; the run must not use it any more. */
  release(): void;
}

export interface LinkPool<Who = string | undefined> {
  lease(who: Who): Lease;
  /** Why the server lends no tools, as of lately; undefined when that is not known. Never rejects. */
  observeProblem(): Promise<ListFailure | undefined>;
  /** Closes all links. Leases that still run fail. */
  close(): Promise<void>;
}

interface Entry {
  link: Link;
  leases: number;
  idle: boolean;
  timer: Timer | undefined;
}

/** A failure with one caller's token says something of the server for this long; nobody asks again in that caller's name. */
const problemTtlMs = 60_000;

/** No links yet. */
export function createLinkPool<Who>(options: LinkPoolOptions<Who>): LinkPool<Who> {
  const { open, keyOf, clock, maxLinks = 64, idleTtlMs = 300_000 } = options;
  // In the order of their last release, so that the first idle one is the one idle longest.
  const entries = new Map<string, Entry>();
  const hashKey = randomBytes(32);
  const hash = (text: string | undefined) =>
    text === undefined ? "" : createHmac("sha256", hashKey).update(text).digest("base64url");

  const drop = (key: string, entry: Entry) => {
    entry.timer?.cancel();
    entries.delete(key);
    return entry.link.close();
  };
  const makeRoom = () => {
    if (entries.size < maxLinks) return true;
    const idle = [...entries].find(([, entry]) => entry.idle);
    if (idle === undefined) return false;
    void drop(...idle);
    return true;
  };
  const release = (key: string, entry: Entry) => {
    entry.leases -= 1;
    if (entry.leases > 0 || entries.get(key) !== entry) return; // Still used, or closed with the pool.
    entries.delete(key);
    entries.set(key, entry);
    entry.idle = true;
    entry.timer = clock.schedule(idleTtlMs, () => void drop(key, entry));
  };
  return {
    lease(who) {
      const key = hash(keyOf(who));
      let entry = entries.get(key);
      if (entry === undefined) {
        const link = open(who);
        if (!makeRoom()) return { link, release: once(() => void link.close()) };
        entry = { link, leases: 0, idle: false, timer: undefined };
        entries.set(key, entry);
      }
      const held = entry;
      held.timer?.cancel();
      held.idle = false;
      held.leases += 1;
      return { link: held.link, release: once(() => release(key, held)) };
    },
    async observeProblem() {
      const since = clock.now() - problemTtlMs;
      const problems = [...entries.values()].map(({ link }) => link.problem());
      // A token that the server does not accept is its caller's matter.
      return problems.findLast(
        (problem) => problem !== undefined && problem.kind !== "unauthorized" && problem.at >= since,
      );
    },
    close: async () => void (await Promise.all([...entries].map(([key, entry]) => drop(key, entry)))),
  };
}

function once(task: () => void): () => void {
  let done = false;
  return () => {
    if (!done) task();
    done = true;
  };
}
