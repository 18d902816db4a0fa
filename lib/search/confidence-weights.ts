// Written by train/calibrate.ts: how much each feature of confidence.ts says, with and without vectors.

export interface Weights {
  readonly base: number;
  readonly factors: {
    readonly coverage: number;
    readonly nameShare: number;
    readonly length: number;
    readonly rivals: number;
    readonly wordsLead: number;
    readonly aheadByMeaning: number;
    readonly behindByMeaning: number;
  };
}

export const weights: { readonly byWords: Weights; readonly byWordsAndMeaning: Weights } = {
  byWords: {
    base: -5.29,
    factors: {
      coverage: 2.723,
      nameShare: 2.004,
      length: 0.788,
      rivals: -0.248,
      wordsLead: 2.715,
      aheadByMeaning: 0,
      behindByMeaning: 0,
    },
  },
  byWordsAndMeaning: {
    base: -6.522,
    factors: {
      coverage: 2.674,
      nameShare: 2.039,
      length: 1.425,
      rivals: -0.26,
      wordsLead: 1.613,
      aheadByMeaning: 10.074,
      behindByMeaning: 2.665,
    },
  },
};
