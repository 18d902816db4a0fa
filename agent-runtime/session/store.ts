// Where histories are kept: an interface that a file-backed store can take over, and the store in memory.
// In memory everything is lost with the process; idle histories go after their time, and the least recently used ones
// when all together grow too large.
import { CallFault } from "../call-fault.ts";
import type { Clock } from "../clock.ts";
import type { ModelMessage } from "../model/types.ts";
import { sizeOfMessage } from "./transcript.ts";

/** Append-only histories by key. Callers hold the key's lock (session/lock.ts) while they load and append. */
export interface SessionStore {
  has(key: string): Promise<boolean>;
  /** All messages in order; none for an unknown key. */
  load(key: string): Promise<readonly ModelMessage[]>;
  /** Resolves once the message is kept. Rejects with HistoryFull when it finds no room. */
  append(key: string, message: ModelMessage): Promise<void>;
  remove(key: string): Promise<void>;
}

/** One history alone would be larger than all may be together. */
class HistoryFull extends CallFault {
  override readonly name = "HistoryFull";
}

interface Kept {
  messages: ModelMessage[];
  bytes: number;
  usedAt: number;
}

/** Bookkeeping of one history, so that many empty ones count too. */
const historyOverheadBytes = 512;

/** Keeps histories in memory, within `maxBytes` all together (an estimate), each for `idleTtlMs` after its last use. */
export function createMemoryStore(options: { maxBytes: number; idleTtlMs: number; clock: Clock }): SessionStore {
  // A Map keeps the order of insertion: the least recently used history is the first.
  const histories = new Map<string, Kept>();
  let totalBytes = 0;

  const remove = (key: string) => {
    totalBytes -= histories.get(key)?.bytes ?? 0;
    histories.delete(key);
  };
  const use = (key: string): Kept | undefined => {
    const now = options.clock.now();
    for (const [oldest, { usedAt }] of histories) {
      if (now - usedAt <= options.idleTtlMs) break;
      remove(oldest);
    }
    const kept = histories.get(key);
    if (kept === undefined) return undefined;
    kept.usedAt = now;
    histories.delete(key);
    histories.set(key, kept);
    return kept;
  };
  const makeRoom = (key: string, bytes: number) => {
    for (const oldest of histories.keys()) {
      if (totalBytes + bytes <= options.maxBytes) return;
      if (oldest !== key) remove(oldest);
    }
    if (totalBytes + bytes > options.maxBytes) {
      throw new HistoryFull(
        `this conversation has outgrown the ${options.maxBytes} bytes for all histories: ` +
          "start a new one, or raise history.maxBytes of the agent",
      );
    }
  };
  return {
    has: async (key) => use(key) !== undefined,
    load: async (key) => [...(use(key)?.messages ?? [])],
    async append(key, message) {
      const kept = use(key) ?? { messages: [], bytes: 0, usedAt: options.clock.now() };
      const bytes = sizeOfMessage(message) + (kept.bytes === 0 ? historyOverheadBytes : 0);
      makeRoom(key, bytes);
      kept.messages.push(message);
      kept.bytes += bytes;
      totalBytes += bytes;
      histories.set(key, kept);
    },
    remove: async (key) => remove(key),
  };
}
