// Written by train/calibrate.ts: how much each feature of confidence.ts says, with and without vectors.

export interface Weights {
  readonly base: number;
  readonly factors: {
    readonly nameShare: number;
    readonly rivals: number;
    readonly wordsScore: number;
    readonly wordsLead: number;
    readonly aheadByMeaning: number;
    readonly behindByMeaning: number;
    readonly likeness: number;
  };
}

export const weights: { readonly byWords: Weights; readonly byWordsAndMeaning: Weights } = {
  byWords: {
    base: -3.408,
    factors: {
      nameShare: 1.298,
      rivals: -0.291,
      wordsScore: 0.94,
      wordsLead: 2.231,
      aheadByMeaning: 0,
      behindByMeaning: 0,
      likeness: 0,
    },
  },
  byWordsAndMeaning: {
    base: -2.906,
    factors: {
      nameShare: 1.395,
      rivals: -0.213,
      wordsScore: 1.256,
      wordsLead: 1.117,
      aheadByMeaning: 9.79,
      behindByMeaning: 5.045,
      likeness: -1.311,
    },
  },
};
