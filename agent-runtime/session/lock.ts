// One call at a time on one history: a first-come, first-served lock per key with a bounded queue, and with a bound for the
// keys that are held at a time. It knows nothing of what it protects.

import { CallError } from "../call-error.ts";

/** More calls wait for one history than limits.queuedCalls allows. */
class QueueFull extends CallError {
  override readonly name = "QueueFull";
}

/** More calls run than limits.concurrentCalls allows. */
class TooManyCalls extends CallError {
  override readonly name = "TooManyCalls";
}

interface LockLimits {
  maxQueued?: number;
  maxHeld?: number;
  signal?: AbortSignal;
}

export interface KeyedLock {
  /**
   * Waits for the key and returns its release, which may be called more than once. Rejects with TooManyCalls when the key is
   * free but `maxHeld` others are held, with QueueFull when `maxQueued` calls wait for it already, and with the signal's
   * reason when it aborts while waiting; without them it waits however long it takes. Who waited takes the place of who had
   * the key.
   */
  acquire(key: string, limits?: LockLimits): Promise<() => void>;
  isHeld(key: string): boolean;
}

/** Locks that exist only while held. `onRefused` hears why a call did not get one. */
export function createKeyedLock(onRefused: (reason: "concurrent" | "queued") => void = () => undefined): KeyedLock {
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
    isHeld: (key) => queues.has(key),
    async acquire(key, { maxQueued = Number.POSITIVE_INFINITY, maxHeld = Number.POSITIVE_INFINITY, signal } = {}) {
      signal?.throwIfAborted();
      const queue = queues.get(key);
      if (queue === undefined) {
        if (queues.size >= maxHeld) {
          onRefused("concurrent");
          throw new TooManyCalls(
            `${queues.size} calls are running, as many as this agent takes at a time: ` +
              "try again later, or raise limits.concurrentCalls of the agent",
          );
        }
        queues.set(key, []);
        return createRelease(key);
      }
      if (queue.length >= maxQueued) {
        onRefused("queued");
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
