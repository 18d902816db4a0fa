// How often something was done within a window that slides along, by key. The window is counted in sixty slots: what was
// done counts for a whole window and up to one slot more, so that no window of that length ever has more than was allowed.

const slotsPerWindow = 60;

export interface WindowCountsOptions {
  readonly windowMs: number;
  /** Keys of which anything counts. More are refused, for to forget one would be to allow it anew. */
  readonly maxKeys: number;
}

interface Slot {
  readonly number: number;
  count: number;
}

export class WindowCounts {
  readonly #slotMs: number;
  readonly #maxKeys: number;
  /** Those that were counted longest ago first, which is the order in which they are over. */
  readonly #keys = new Map<string, Slot[]>();

  constructor({ windowMs, maxKeys }: WindowCountsOptions) {
    this.#slotMs = windowMs / slotsPerWindow;
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Whether anything may count for the key. Of one that is not known `waitMs` is the time until there is room. */
  knows(key: string): boolean {
    return this.#keys.has(key);
  }

  /** In how many milliseconds the key may be counted once more without being over `max`; 0 is now. */
  waitMs(key: string, max: number, nowMs: number): number {
    this.#forget(nowMs);
    const slots = this.#keys.get(key);
    if (slots === undefined) {
      const [oldest] = this.#keys.values();
      return oldest !== undefined && this.#keys.size >= this.#maxKeys ? this.#overMs(oldest.at(-1), nowMs) : 0;
    }
    this.#dropOver(slots, nowMs);
    let left = slots.reduce((sum, { count }) => sum + count, 0);
    if (left < max) return 0;
    for (const slot of slots) {
      left -= slot.count;
      if (left < max) return this.#overMs(slot, nowMs);
    }
    return 0;
  }

  /** Counts the key, which `waitMs` has just let pass. */
  add(key: string, nowMs: number): void {
    const slots = this.#keys.get(key) ?? [];
    const number = Math.floor(nowMs / this.#slotMs);
    const last = slots.at(-1);
    if (last !== undefined && last.number >= number) last.count += 1;
    else slots.push({ number, count: 1 });
    this.#keys.delete(key);
    this.#keys.set(key, slots);
  }

  #overMs(slot: Slot | undefined, nowMs: number): number {
    return slot === undefined ? 0 : (slot.number + 1 + slotsPerWindow) * this.#slotMs - nowMs;
  }

  #dropOver(slots: Slot[], nowMs: number): void {
    const living = slots.findIndex((slot) => this.#overMs(slot, nowMs) > 0);
    slots.splice(0, living === -1 ? slots.length : living);
  }

  /** Each key is dropped once and none is looked at that stays, but for the one that is asked for. */
  #forget(nowMs: number): void {
    for (const [key, slots] of this.#keys) {
      if (this.#overMs(slots.at(-1), nowMs) > 0) break;
      this.#keys.delete(key);
    }
  }
}
