// One bound for the memory that many hold at the same time, as the bodies of requests and of answers that are read, parsed
// or worked on (SEC-6). Who would go beyond it is refused at once rather than queued, but whoever is alone is never refused, and small
// holders have a share that large ones leave to them. It counts what it is told and knows nothing of what is held.
import { getHeapStatistics } from "node:v8";

export interface Holder {
  /** Holds so many bytes more; false when there is no room, and then nothing is added. */
  take(bytes: number): boolean;
  /** Gives back what is beyond so many bytes. */
  keep(bytes: number): void;
  /** Gives back everything. May be called more than once; nothing can be taken after it. */
  release(): void;
}

export interface MemoryBudget {
  /** Holds nothing yet. */
  open(): Holder;
  heldBytes(): number;
}

/** A holder of no more than this is small. */
export const smallHolderBytes = 64 * 1024;
/** Of the bound, what large holders may fill. */
const largeShare = 0.75;

/** A budget of `maxBytes`. */
export function createMemoryBudget(maxBytes: number): MemoryBudget {
  let totalBytes = 0;
  return {
    open() {
      let ownBytes = 0;
      let released = false;
      const keep = (bytes: number) => {
        const givenBytes = Math.max(0, ownBytes - bytes);
        ownBytes -= givenBytes;
        totalBytes -= givenBytes;
      };
      return {
        take(bytes) {
          if (released) return false;
          const ceilingBytes = ownBytes + bytes <= smallHolderBytes ? maxBytes : maxBytes * largeShare;
          const isAlone = totalBytes === ownBytes;
          if (!isAlone && totalBytes + bytes > ceilingBytes) return false;
          ownBytes += bytes;
          totalBytes += bytes;
          return true;
        },
        keep,
        release() {
          released = true;
          keep(0);
        },
      };
    },
    heldBytes: () => totalBytes,
  };
}

/** What is read takes several times its size while it is decoded, parsed and sent on. */
const heapShare = 1 / 4;
const memoryShare = 1 / 8;

/** The part of this process's memory that such a budget may have: of the heap that V8 allows itself, and of the container's limit. */
export function deriveBudgetBytes(): number {
  const { heap_size_limit: heapBytes } = getHeapStatistics();
  const constrainedBytes = process.constrainedMemory();
  const ofHeap = heapBytes * heapShare;
  return Math.floor(constrainedBytes > 0 ? Math.min(ofHeap, constrainedBytes * memoryShare) : ofHeap);
}
