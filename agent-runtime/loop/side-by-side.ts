// Work on many things of which only so many may be in hand at once.

/**
 * Runs `work` on each item, begun in order and at most `concurrency` side by side. After a failure none is begun; it rejects with
 * the first one, and only when all that were begun have ended: nothing goes on behind the caller's back.
 */
export async function runSideBySide<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const failures: unknown[] = [];
  const workOn = async () => {
    for (const item of waiting) {
      if (failures.length > 0) return;
      await work(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, workOn));
  if (failures.length > 0) throw failures[0];
}
