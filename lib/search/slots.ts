// The numbers under which postings know tools. A slot is given again only after every posting of the tool before it is
// swept away.
import { maxSlots } from "./postings.ts";

export const slotState = { unused: 0, live: 1, dead: 2, sweeping: 3 } as const;

export class Slots {
  /** Of each slot, one of `slotState`. Replaced by a longer one as slots are added. */
  states = new Uint8Array(1024);
  live = 0;
  #next = 0;
  #free: number[] = [];
  #dead: number[] = [];
  #sweeping: number[] = [];

  get dead(): number {
    return this.#dead.length;
  }

  /** A slot that is not live yet. Throws RangeError when there is none. */
  take(): number {
    const again = this.#free.pop();
    if (again !== undefined) return again;
    if (this.#next === maxSlots) {
      throw new RangeError(`expected at most ${maxSlots} tools in a search index; remove some`);
    }
    if (this.#next === this.states.length) {
      const longer = new Uint8Array(this.states.length * 2);
      longer.set(this.states);
      this.states = longer;
    }
    this.#next += 1;
    return this.#next - 1;
  }

  publish(slots: readonly number[]): void {
    for (const slot of slots) this.states[slot] = slotState.live;
    this.live += slots.length;
  }

  /** For slots that were published, or taken and are not wanted after all. */
  retire(slots: readonly number[]): void {
    for (const slot of slots) {
      if (this.states[slot] === slotState.live) this.live -= 1;
      this.states[slot] = slotState.dead;
      this.#dead.push(slot);
    }
  }

  /** Marks what is dead now as `sweeping`. */
  beginSweep(): void {
    this.#sweeping = this.#dead;
    this.#dead = [];
    for (const slot of this.#sweeping) this.states[slot] = slotState.sweeping;
  }

  /** Once no posting is left of what `beginSweep` marked. */
  endSweep(): void {
    for (const slot of this.#sweeping) {
      this.states[slot] = slotState.unused;
      this.#free.push(slot);
    }
    this.#sweeping = [];
  }
}
