// What a server's answers take of the memory that all bodies share (SEC-6). The answer to a call counts until whoever made
// the call is done with the result; every other, of a stream too, as long as a message of it is being read.
import type { AnswerRoom } from "../outgoing/response-limit.ts";
import type { Holder, MemoryBudget } from "../process/memory-budget.ts";

/** For an answer to the call that `holder` belongs to. */
export function openCallRoom(holder: Holder): AnswerRoom {
  let mostBytes = 0;
  return {
    hold(bytes) {
      const moreBytes = bytes - mostBytes;
      if (moreBytes <= 0) return true;
      mostBytes = bytes;
      if (holder.take(moreBytes)) return true;
      // At once, so that of many which grow beside each other not all are refused.
      holder.release();
      return false;
    },
    end: () => undefined,
  };
}

/** For an answer that belongs to no call. */
export function openPassingRoom(budget: MemoryBudget): AnswerRoom {
  const holder = budget.open();
  let heldBytes = 0;
  return {
    hold(_bytes, unfinishedBytes) {
      const fits = unfinishedBytes <= heldBytes || holder.take(unfinishedBytes - heldBytes);
      if (!fits) return false;
      holder.keep(unfinishedBytes);
      heldBytes = unfinishedBytes;
      return true;
    },
    // Not for good: after a redirect another answer comes.
    end() {
      holder.keep(0);
      heldBytes = 0;
    },
  };
}
