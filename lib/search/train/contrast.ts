// Contrastive training: in a batch of pairs, the vector of a request is drawn to that of its tool and away from those of
// the others' tools, and the other way round (InfoNCE, both directions), by AdaGrad.
import { addScaled, createRandom, dot, exponential, shuffle } from "./arithmetic.ts";
import { type Model, weightOf } from "./model.ts";
import type { TrainingSettings } from "./settings.ts";

export interface Example {
  /** Rows of the words. */
  readonly query: Int32Array;
  readonly tool: Int32Array;
  /** The same for examples of the same tool: those are not told apart. */
  readonly key: number;
}

/** The texts of a batch: query and tool of its first example, of its second, and so on. */
interface Batch {
  readonly examples: readonly Example[];
  /** Weighted sums of start vectors. */
  readonly sums: Float32Array;
  /** Vectors, of length 1. */
  readonly vectors: Float32Array;
  /** What they were divided by. */
  readonly lengths: Float64Array;
  /** How the loss changes with each vector. */
  readonly slopes: Float32Array;
}

/** The squares of all changes so far. */
interface Seen {
  readonly own: Float32Array;
  readonly gains: Float32Array;
  readonly turn: Float32Array;
}

const smallestSlope = 1e-4;

/** Changes the model. Takes a fraction of a millisecond a pair. */
export function train(model: Model, examples: readonly Example[], settings: TrainingSettings): void {
  const { batch: size, epochs } = settings;
  const order = [...examples];
  const random = createRandom(settings.seed);
  const batches = Math.floor(order.length / size);
  const seen: Seen = {
    own: new Float32Array(model.count).fill(1e-6),
    gains: new Float32Array(model.count).fill(1e-4),
    turn: new Float32Array(model.turn.length).fill(1e-4),
  };
  for (let step = 0; step < batches * epochs; step += 1) {
    const at = step % batches;
    if (at === 0) shuffle(order, random);
    const batch = embedBatch(model, order.slice(at * size, (at + 1) * size));
    findSlopes(batch, model.width, settings.temperature);
    learn(model, batch, seen, settings, 1 - step / (batches * epochs));
  }
}

const wordsOf = (examples: readonly Example[], text: number): Int32Array => {
  const example = examples[text >> 1];
  return (text % 2 === 0 ? example?.query : example?.tool) ?? new Int32Array();
};

function embedBatch(model: Model, examples: readonly Example[]): Batch {
  const { width } = model;
  const texts = examples.length * 2;
  const sums = new Float32Array(texts * width);
  const vectors = new Float32Array(texts * width);
  const lengths = new Float64Array(texts);
  for (let text = 0; text < texts; text += 1) {
    const at = text * width;
    for (const row of wordsOf(examples, text)) {
      const weight = weightOf(model, row);
      addScaled(sums, at, weight, model.start, row * width, width);
      addScaled(vectors, at, weight, model.own, row * width, width);
    }
    for (let axis = 0; axis < width; axis += 1) {
      vectors[at + axis] = (vectors[at + axis] ?? 0) + dot(model.turn, axis * width, sums, at, width);
    }
    const length = Math.sqrt(dot(vectors, at, vectors, at, width)) + 1e-9;
    lengths[text] = length;
    for (let axis = 0; axis < width; axis += 1) vectors[at + axis] = (vectors[at + axis] ?? 0) / length;
  }
  return { examples, sums, vectors, lengths, slopes: new Float32Array(texts * width) };
}

/** Softmax over the tools for each query and over the queries for each tool. */
function findSlopes({ examples, vectors, slopes }: Batch, width: number, temperature: number): void {
  const size = examples.length;
  const likeness = new Float64Array(size * size);
  const byQuery = new Float64Array(size);
  const byTool = new Float64Array(size);
  for (let query = 0; query < size; query += 1) {
    for (let tool = 0; tool < size; tool += 1) {
      if (tool !== query && examples[tool]?.key === examples[query]?.key) continue;
      const cosine = dot(vectors, 2 * query * width, vectors, (2 * tool + 1) * width, width);
      const value = exponential((cosine - 1) / temperature);
      likeness[query * size + tool] = value;
      byQuery[query] = (byQuery[query] ?? 0) + value;
      byTool[tool] = (byTool[tool] ?? 0) + value;
    }
  }
  for (let query = 0; query < size; query += 1) {
    for (let tool = 0; tool < size; tool += 1) {
      const value = likeness[query * size + tool] ?? 0;
      const share = (value / (byQuery[query] ?? 1) + value / (byTool[tool] ?? 1)) / 2;
      const slope = (share - (query === tool ? 1 : 0)) / temperature;
      if (Math.abs(slope) < smallestSlope) continue;
      const [queryAt, toolAt] = [2 * query * width, (2 * tool + 1) * width];
      addScaled(slopes, queryAt, slope, vectors, toolAt, width);
      addScaled(slopes, toolAt, slope, vectors, queryAt, width);
    }
  }
}

/** One step of AdaGrad down the slopes. */
function learn(model: Model, batch: Batch, seen: Seen, settings: TrainingSettings, decay: number): void {
  const { width, turn } = model;
  const turnSlope = new Float32Array(turn.length);
  const slope = new Float32Array(width);
  const turnedBack = new Float32Array(width);
  for (let text = 0; text < batch.lengths.length; text += 1) {
    const at = text * width;
    // Through the division by the length.
    const along = dot(batch.slopes, at, batch.vectors, at, width);
    for (let axis = 0; axis < width; axis += 1) {
      const across = (batch.slopes[at + axis] ?? 0) - along * (batch.vectors[at + axis] ?? 0);
      slope[axis] = across / (batch.lengths[text] ?? 1);
    }
    turnedBack.fill(0);
    for (let axis = 0; axis < width; axis += 1) {
      addScaled(turnSlope, axis * width, slope[axis] ?? 0, batch.sums, at, width);
      addScaled(turnedBack, 0, slope[axis] ?? 0, turn, axis * width, width);
    }
    learnWords(model, wordsOf(batch.examples, text), slope, turnedBack, seen, settings, decay);
  }
  for (let at = 0; at < turn.length; at += 1) {
    const each = (turnSlope[at] ?? 0) / batch.examples.length;
    const squares = (seen.turn[at] ?? 0) + each * each;
    seen.turn[at] = squares;
    turn[at] = (turn[at] ?? 0) - (settings.turnStep * decay * each) / Math.sqrt(squares);
  }
}

function learnWords(
  model: Model,
  words: Int32Array,
  slope: Float32Array,
  turnedBack: Float32Array,
  seen: Seen,
  settings: TrainingSettings,
  decay: number,
): void {
  const { width, start, own, gains } = model;
  const meanSquare = dot(slope, 0, slope, 0, width) / width;
  for (const row of words) {
    const at = row * width;
    const weight = weightOf(model, row);
    const gainSlope = weight * (dot(turnedBack, 0, start, at, width) + dot(slope, 0, own, at, width));
    const gainSquares = (seen.gains[row] ?? 0) + gainSlope * gainSlope;
    seen.gains[row] = gainSquares;
    gains[row] = (gains[row] ?? 0) - (settings.weightStep * decay * gainSlope) / Math.sqrt(gainSquares);
    const squares = (seen.own[row] ?? 0) + meanSquare * weight * weight;
    seen.own[row] = squares;
    addScaled(own, at, (-settings.ownStep * decay * weight) / Math.sqrt(squares), slope, 0, width);
  }
}
