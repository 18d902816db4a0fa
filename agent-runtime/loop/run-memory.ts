// What the results of a run's tools hold of the memory that all calls share (SEC-6): one holder for each, all given back with
// the run, since the model is shown their images until then.
import type { Holder, MemoryBudget } from "../../lib/process/memory-budget.ts";

export interface RunMemory {
  /** For one result. Released with the run, or sooner by whoever opened it. */
  open(): Holder;
  /** The run is over. */
  release(): void;
}

export function createRunMemory(budget: MemoryBudget): RunMemory {
  const holders: Holder[] = [];
  return {
    open() {
      const holder = budget.open();
      holders.push(holder);
      return holder;
    },
    release: () => holders.forEach((holder) => holder.release()),
  };
}
