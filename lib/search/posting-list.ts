// The postings of one term, in the order in which tools were added.
import { slotOf } from "./postings.ts";
import { slotState, type Slots } from "./slots.ts";

/** The first `length` entries count. */
export class PostingList {
  entries = new Uint32Array(2);
  length = 0;
  #live = 0;
  #version = -1;

  add(posting: number): void {
    if (this.length === this.entries.length) {
      const larger = new Uint32Array(Math.ceil(this.length * 1.5) + 2);
      larger.set(this.entries);
      this.entries = larger;
    }
    this.entries[this.length] = posting;
    this.length += 1;
  }

  /** How many postings are of live slots; counted anew only when `version` has changed. */
  countLive({ states }: Slots, version: number): number {
    if (this.#version === version) return this.#live;
    let live = 0;
    for (let at = 0; at < this.length; at += 1) {
      if (states[slotOf(this.entries[at] ?? 0)] === slotState.live) live += 1;
    }
    this.#live = live;
    this.#version = version;
    return live;
  }

  /** Drops the postings of slots that are being swept. */
  sweep({ states }: Slots): void {
    let kept = 0;
    for (let at = 0; at < this.length; at += 1) {
      const posting = this.entries[at] ?? 0;
      if (states[slotOf(posting)] === slotState.sweeping) continue;
      this.entries[kept] = posting;
      kept += 1;
    }
    this.length = kept;
    if (kept * 2 < this.entries.length) this.entries = this.entries.slice(0, Math.max(2, kept));
  }
}
