// One count of calls by the hours of the wall clock, for as long as a day: how many, how many failed, and about how long they took. It
// holds 24 hours, in one block of memory, whatever the clock does, and of times only how many fell between two bounds.
export const hourMs = 3_600_000;
export const shownHours = 24;

/** Two to each doubling, from 1 ms on: what falls into one differs by less than a half. What takes longer than the last is in that. */
const bucketsPerDoubling = 2;
const buckets = 38;

/** How many calls took about as long as each bucket says. */
export type Times = Uint32Array;

const createTimes = (): Times => new Uint32Array(buckets);

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

/** What counts of several series add up to: of each of 24 hours, the oldest first, and of all of them. */
export class HourlySum {
  readonly calls: number[] = Array.from({ length: shownHours }, () => 0);
  readonly errors: number[] = Array.from({ length: shownHours }, () => 0);
  /** None where nobody asks for them. */
  readonly times: readonly Times[];

  constructor(options: { keepsTimes: boolean }) {
    this.times = options.keepsTimes ? Array.from({ length: shownHours }, createTimes) : [];
  }
}

export class DaySum {
  calls = 0;
  errors = 0;
  readonly times: Times = createTimes();
}

/** Of an hour: which it is (in hours since 1970), calls, errors, and then the times. */
const [hourAt, callsAt, errorsAt, timesAt] = [0, 1, 2, 3];

export class HourlySeries {
  readonly #width: number;
  /** A row an hour, at the place that the hour has in its day. */
  readonly #rows: Uint32Array;
  /** When the last call ended, in milliseconds since 1970. */
  lastMs = 0;

  constructor(options: { keepsTimes: boolean }) {
    this.#width = timesAt + (options.keepsTimes ? buckets : 0);
    this.#rows = new Uint32Array(this.#width * shownHours);
  }

  count(nowMs: number, { success, durationMs }: { success: boolean; durationMs: number }): void {
    const hour = Math.floor(nowMs / hourMs);
    const from = (hour % shownHours) * this.#width;
    if (this.#rows[from + hourAt] !== hour) {
      this.#rows.fill(0, from, from + this.#width);
      this.#rows[from + hourAt] = hour;
    }
    this.lastMs = nowMs;
    this.#add(from + callsAt, 1);
    this.#add(from + errorsAt, success ? 0 : 1);
    if (this.#width > timesAt) this.#add(from + timesAt + bucketOf(durationMs), 1);
  }

  /** Adds the 24 hours up to that one. A clock that was set back leaves hours that are not yet: they are none of these. */
  addTo(last: number, { hours, day }: { hours?: HourlySum; day?: DaySum }): void {
    for (let from = 0; from < this.#rows.length; from += this.#width) {
      const at = this.#read(from + hourAt) - last + shownHours - 1;
      const [calls, errors] = [this.#read(from + callsAt), this.#read(from + errorsAt)];
      if (calls === 0 || at < 0 || at >= shownHours) continue;
      if (day !== undefined) {
        day.calls += calls;
        day.errors += errors;
        this.#addTimes(from, day.times);
      }
      if (hours !== undefined) {
        hours.calls[at] = (hours.calls[at] ?? 0) + calls;
        hours.errors[at] = (hours.errors[at] ?? 0) + errors;
        this.#addTimes(from, hours.times[at]);
      }
    }
  }

  #addTimes(from: number, sum: Times | undefined): void {
    if (sum === undefined) return;
    for (let at = 0; at < this.#width - timesAt; at += 1) {
      sum[at] = (sum[at] ?? 0) + this.#read(from + timesAt + at);
    }
  }

  #read(at: number): number {
    return this.#rows[at] ?? 0;
  }

  #add(at: number, more: number): void {
    this.#rows[at] = this.#read(at) + more;
  }
}
