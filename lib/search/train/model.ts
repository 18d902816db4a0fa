// What is learned. A word's vector is `weight · (turn × start + own)`: where general English puts it, turned by one matrix
// for all words, so that words no pair has learn too, and moved by a part of its own.
import { addScaled, createRandom, dot, exponential } from "./arithmetic.ts";
import { sourceWidth, type SourceVectors } from "./source-vectors.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface Model {
  readonly width: number;
  readonly count: number;
  /** Unit vectors, a row a word. */
  readonly start: Float32Array;
  readonly own: Float32Array;
  /** Width × width, row by row. */
  readonly turn: Float32Array;
  /** Before training. */
  readonly startWeights: Float32Array;
  /** The weight is the start weight times e to the power of this. */
  readonly gains: Float32Array;
}

/** Length at which a word without a source vector begins, in a direction drawn at random. */
const drawnLength = 0.3;

export function createModel(vocabulary: Vocabulary, source: SourceVectors, seed: number, frequentShare: number): Model {
  const width = sourceWidth;
  const count = vocabulary.rows.size;
  const start = new Float32Array(count * width);
  const random = createRandom(seed);
  const mean = findMean(vocabulary, source);
  for (const [word, row] of vocabulary.rows) {
    const vector = source.find(word);
    const numbers = Array.from({ length: width }, (_, at) =>
      vector === undefined ? random() - 0.5 : (vector[at] ?? 0) - (mean[at] ?? 0),
    );
    const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0));
    const factor = (vector === undefined ? drawnLength : 1) / length;
    numbers.forEach((number, at) => (start[row * width + at] = number * factor));
  }
  const turn = new Float32Array(width * width);
  for (let at = 0; at < width; at += 1) turn[at * width + at] = 1;
  const startWeights = Float32Array.from(vocabulary.shares, (share) => frequentShare / (frequentShare + share));
  return {
    width,
    count,
    start,
    own: new Float32Array(count * width),
    turn,
    startWeights,
    gains: new Float32Array(count),
  };
}

/** What all words have in common says nothing: it is taken off. */
function findMean(vocabulary: Vocabulary, source: SourceVectors): Float64Array {
  const mean = new Float64Array(sourceWidth);
  let found = 0;
  for (const word of vocabulary.rows.keys()) {
    const vector = source.find(word);
    if (vector === undefined) continue;
    found += 1;
    vector.forEach((number, at) => (mean[at] = (mean[at] ?? 0) + number));
  }
  return mean.map((sum) => sum / found);
}

export function weightOf(model: Model, row: number): number {
  return (model.startWeights[row] ?? 0) * exponential(model.gains[row] ?? 0);
}

/** The words' final vectors, a row a word. */
export function renderRows(model: Model): Float32Array {
  const { width, count, start, own, turn } = model;
  const rows = new Float32Array(count * width);
  for (let row = 0; row < count; row += 1) {
    const at = row * width;
    const weight = weightOf(model, row);
    for (let axis = 0; axis < width; axis += 1) {
      rows[at + axis] = weight * dot(turn, axis * width, start, at, width);
    }
    addScaled(rows, at, weight, own, at, width);
  }
  return rows;
}
