// The numbers under which postings and vectors know tools, and what is known of each tool by its number. A slot is given
// again only after every posting of the tool before it is swept away.
import { maxSlots } from "./postings.ts";

/** The tools of one server, as they were put at one time. */
export interface Segment {
  readonly server: string;
  readonly slots: readonly number[];
  /** Three-letter pieces of the server's name. */
  readonly pieces: ReadonlySet<string>;
  /** Of the vectors from outside that all its tools have. */
  readonly outsideWidth: number | undefined;
}

export const slotState = { unused: 0, live: 1, dead: 2, sweeping: 3 } as const;

/** Arrays by slot are of this length or that times a power of two. */
const firstLength = 1_024;

export class Slots {
  /** Of each slot, one of `slotState`. This and the other arrays are replaced by longer ones as slots are added. */
  states = new Uint8Array(firstLength);
  /** How many terms the tool's name has, up to 255. */
  nameTerms = new Uint8Array(firstLength);
  /** How many three-letter pieces the tool's name has. */
  namePieces = new Uint16Array(firstLength);
  /** Of live slots only. */
  readonly segments: (Segment | undefined)[] = [];
  readonly names: string[] = [];
  live = 0;
  /** Every slot is below this. */
  end = 0;
  #free: number[] = [];
  #dead: number[] = [];
  #sweeping: number[] = [];

  get dead(): number {
    return this.#dead.length;
  }

  /** A slot for a tool of that name, not live yet. Throws RangeError when there is none. */
  take(name: string): number {
    const slot = this.#free.pop() ?? this.#add();
    this.names[slot] = name;
    return slot;
  }

  #add(): number {
    if (this.end === maxSlots) {
      throw new RangeError(`expected at most ${maxSlots} tools in a search index; remove some`);
    }
    if (this.end === this.states.length) {
      const length = this.states.length * 2;
      const [states, nameTerms, namePieces] = [new Uint8Array(length), new Uint8Array(length), new Uint16Array(length)];
      states.set(this.states);
      nameTerms.set(this.nameTerms);
      namePieces.set(this.namePieces);
      this.states = states;
      this.nameTerms = nameTerms;
      this.namePieces = namePieces;
    }
    this.end += 1;
    return this.end - 1;
  }

  publish(segment: Segment): void {
    for (const slot of segment.slots) {
      this.states[slot] = slotState.live;
      this.segments[slot] = segment;
    }
    this.live += segment.slots.length;
  }

  /** For slots that were published, or taken and are not wanted after all. */
  retire(slots: readonly number[]): void {
    for (const slot of slots) {
      if (this.states[slot] === slotState.live) this.live -= 1;
      this.states[slot] = slotState.dead;
      this.segments[slot] = undefined;
      this.names[slot] = "";
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
