// One call at a time on one history: a first-come, first-served lock per key with a bounded queue.
// It knows nothing of what it protects.

import { CallFault } from "../call-fault.ts";

/** More calls wait for one history than limits.queuedCalls allows. */
class QueueFull extends CallFault {
  override readonly name = "QueueFull";
}

export interface KeyedLock {
  /**
   * Waits for the key and returns its release, which may be called more than once.
   * Rejects with QueueFull when `maxQueued` calls wait already, and with the signal's reason when it aborts while waiting;
   * without them it waits however long it takes.
   */
  acquire(key: string, limits?: { maxQueued?: number; signal?: AbortSignal }): Promise<() => void>;
}

/** Locks that exist only while held. */
export function createKeyedLock(): KeyedLock {
  const queues = new Map<string, (() => void)[]>();

  const createRelease = (key: string) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = queues.get(key)?.shift();
      if (next === undefined) queues.delete(key);
      else next();
    };
  };
  return {
    async acquire(key, { maxQueued = Number.POSITIVE_INFINITY, signal } = {}) {
      signal?.throwIfAborted();
      const queue = queues.get(key);
      if (queue === undefined) {
        queues.set(key, []);
        return createRelease(key);
      }
      if (queue.length >= maxQueued) {
        throw new QueueFull(
          `${queue.length} calls already wait for this conversation: ` +
            "try again later, use another session, or raise limits.queuedCalls of the agent",
        );
      }
      const turn = Promise.withResolvers<void>();
      const begin = () => turn.resolve();
      const onAbort = () => {
        const at = queue.indexOf(begin);
        if (at === -1) return;
        queue.splice(at, 1);
        turn.reject(signal?.reason);
      };
      queue.push(begin);
      signal?.addEventListener("abort", onAbort, { once: true });
      await turn.promise.finally(() => signal?.removeEventListener("abort", onAbort));
      return createRelease(key);
    },
  };
}
