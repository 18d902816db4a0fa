// What a table is trained with. Chosen with data sets left out one at a time (README.md), never with test queries.

export interface TrainingSettings {
  /** Words in the table. */
  readonly words: number;
  readonly seed: number;
  /** How often each pair is seen. */
  readonly epochs: number;
  /** Pairs that are told apart at once. */
  readonly batch: number;
  /** The smaller, the more the nearest wrong tools count. */
  readonly temperature: number;
  /** The share of running text above which a word's weight falls: SIF of Arora, Liang, Ma (2017). */
  readonly frequentShare: number;
  /** Words of a text that are read. */
  readonly textWords: number;
  /** Step sizes of AdaGrad, falling to 0: each word's own part, the turn of all words together, each word's weight. */
  readonly ownStep: number;
  readonly turnStep: number;
  readonly weightStep: number;
}

export const trainingSettings: TrainingSettings = {
  words: 40_000,
  seed: 1,
  epochs: 1,
  batch: 128,
  temperature: 0.07,
  frequentShare: 1e-3,
  textWords: 64,
  ownStep: 0.01,
  turnStep: 0.01,
  weightStep: 0.02,
};
