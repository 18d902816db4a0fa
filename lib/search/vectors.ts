// Vectors of length 1 in one byte a number, a row for each slot, and their cosines with a query's. Rows lie in blocks,
// so that a catalogue that grows is never copied.
import { slotState } from "./slots.ts";

/** Rows of a block. */
const blockRows = 1_024;
/** What the largest number of a row becomes. */
const largestByte = 127;

interface Block {
  readonly numbers: Int8Array;
  /** What one step of a row's numbers stands for; 0 for a row without a vector. */
  readonly scales: Float32Array;
}

/** By slot: which are live, and where their cosines go. */
interface Rows {
  readonly states: Uint8Array;
  readonly cosines: Float32Array;
}

/** Brings a vector to length 1; undefined for one of other than finite numbers, or of zeros. */
function quantise(vector: Float32Array, numbers: Int8Array): number | undefined {
  let squares = 0;
  let largest = 0;
  for (const number of vector) {
    squares += number * number;
    largest = Math.max(largest, Math.abs(number));
  }
  if (!(squares > 0) || !Number.isFinite(squares)) return undefined;
  const perStep = largestByte / largest;
  for (let at = 0; at < vector.length; at += 1) numbers[at] = Math.round((vector[at] ?? 0) * perStep);
  return largest / largestByte / Math.sqrt(squares);
}

/** The cosine of each row that is asked for with the query. */
function multiplyRows({ numbers, scales }: Block, query: Int8Array, scale: number, rows: Rows): void {
  const width = query.length;
  const whole = width - (width % 4);
  for (let row = 0; row < scales.length; row += 1) {
    if (rows.states[row] !== slotState.live) continue;
    const start = row * width;
    let even = 0;
    let odd = 0;
    // Four at a time, in whole numbers of 32 bits: this loop is most of what a search costs.
    for (let at = 0; at < whole; at += 4) {
      const place = start + at;
      even = (even + Math.imul(numbers[place] ?? 0, query[at] ?? 0)) | 0;
      odd = (odd + Math.imul(numbers[place + 1] ?? 0, query[at + 1] ?? 0)) | 0;
      even = (even + Math.imul(numbers[place + 2] ?? 0, query[at + 2] ?? 0)) | 0;
      odd = (odd + Math.imul(numbers[place + 3] ?? 0, query[at + 3] ?? 0)) | 0;
    }
    for (let at = whole; at < width; at += 1) even = (even + Math.imul(numbers[start + at] ?? 0, query[at] ?? 0)) | 0;
    rows.cosines[row] = (even + odd) * (scales[row] ?? 0) * scale;
  }
}

export class Vectors {
  readonly width: number;
  readonly #blocks: (Block | undefined)[] = [];

  /** @param width numbers in a vector */
  constructor(width: number) {
    this.width = width;
  }

  /** Sets or, with undefined or a vector that has no direction, empties the row of a slot; says whether it has one now. */
  set(slot: number, vector: Float32Array | undefined): boolean {
    const at = Math.floor(slot / blockRows);
    const row = slot % blockRows;
    let block = this.#blocks[at];
    if (block === undefined) {
      if (vector === undefined) return false;
      block = { numbers: new Int8Array(blockRows * this.width), scales: new Float32Array(blockRows) };
      this.#blocks[at] = block;
    }
    const numbers = block.numbers.subarray(row * this.width, (row + 1) * this.width);
    const scale = vector?.length === this.width ? quantise(vector, numbers) : undefined;
    block.scales[row] = scale ?? 0;
    return scale !== undefined;
  }

  /** The cosine, −1 to 1, of two slots' rows; 0 where one has no vector. */
  likeness(slot: number, other: number): number {
    const [one, two] = [this.#row(slot), this.#row(other)];
    if (one === undefined || two === undefined) return 0;
    let sum = 0;
    for (let at = 0; at < this.width; at += 1) sum += (one.numbers[at] ?? 0) * (two.numbers[at] ?? 0);
    return sum * one.scale * two.scale;
  }

  #row(slot: number): { readonly numbers: Int8Array; readonly scale: number } | undefined {
    const block = this.#blocks[Math.floor(slot / blockRows)];
    if (block === undefined) return undefined;
    const row = slot % blockRows;
    const numbers = block.numbers.subarray(row * this.width, (row + 1) * this.width);
    return { numbers, scale: block.scales[row] ?? 0 };
  }

  /** The cosine, −1 to 1, of each live slot's row with the query; nothing is written where there is no vector. */
  compare(query: Float32Array, { states, cosines }: Rows): void {
    const numbers = new Int8Array(this.width);
    const scale = query.length === this.width ? (quantise(query, numbers) ?? 0) : 0;
    for (const [at, block] of this.#blocks.entries()) {
      if (block === undefined) continue;
      const [start, end] = [at * blockRows, (at + 1) * blockRows];
      multiplyRows(block, numbers, scale, {
        states: states.subarray(start, end),
        cosines: cosines.subarray(start, end),
      });
    }
  }
}
