// One count of calls by the hours of the wall clock, for as long as a day: how many, how many failed, and about how long they took. It
// holds 24 hours at most, whatever the clock does, and of times only how many fell between two bounds.
export const hourMs = 3_600_000;
export const shownHours = 24;

/** Two to each doubling, from 1 ms on: what falls into one differs by less than a half. What takes longer than the last is in that. */
const bucketsPerDoubling = 2;
const buckets = 38;

/** How many calls took about as long as each bucket says. */
export type Times = Uint32Array;

export const createTimes = (): Times => new Uint32Array(buckets);

export function addTimes(sum: Times, more: Times): void {
  for (let at = 0; at < buckets; at += 1) sum[at] = (sum[at] ?? 0) + (more[at] ?? 0);
}

function bucketOf(durationMs: number): number {
  const bucket = durationMs <= 1 ? 0 : Math.ceil(bucketsPerDoubling * Math.log2(durationMs));
  return Math.min(bucket, buckets - 1);
}

/** The middle of the bucket that the call in the middle fell into; null of no calls. */
export function findMedianMs(times: Times): number | null {
  const count = times.reduce((sum, each) => sum + each, 0);
  if (count === 0) return null;
  let seen = 0;
  const at = times.findIndex((each) => (seen += each) * 2 >= count);
  return at === 0 ? 1 : Math.round(2 ** ((at - 0.5) / bucketsPerDoubling));
}

export interface Slot {
  /** Hours since 1970. */
  readonly hour: number;
  calls: number;
  errors: number;
  readonly times: Times | undefined;
}

export class HourlySeries {
  readonly #keepsTimes: boolean;
  #slots: Slot[] = [];
  /** When the last call ended, in milliseconds since 1970. */
  lastMs = 0;

  constructor(options: { keepsTimes: boolean }) {
    this.#keepsTimes = options.keepsTimes;
  }

  count(nowMs: number, { success, durationMs }: { success: boolean; durationMs: number }): void {
    const hour = Math.floor(nowMs / hourMs);
    this.lastMs = nowMs;
    let slot = this.#slots.find((each) => each.hour === hour);
    if (slot === undefined) {
      slot = { hour, calls: 0, errors: 0, times: this.#keepsTimes ? createTimes() : undefined };
      this.#slots = [...this.last(hour), slot];
    }
    slot.calls += 1;
    slot.errors += success ? 0 : 1;
    const { times } = slot;
    if (times !== undefined) times[bucketOf(durationMs)] = (times[bucketOf(durationMs)] ?? 0) + 1;
  }

  /** Of the 24 hours up to that one. A clock that was set back leaves hours that are not yet: they are none of these. */
  last(hour: number): readonly Slot[] {
    return this.#slots.filter((each) => each.hour <= hour && each.hour > hour - shownHours);
  }
}
