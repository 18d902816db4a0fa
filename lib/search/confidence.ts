// How sure a search is of a match: a logistic over what was seen of it, fitted on requests whose right tool is known,
// half of them with that tool taken away.

export interface Evidence {
  /** How much of the query the tool covers, each term counted by its rarity, 0 to 1. */
  readonly coverage: number;
  /** The same, of the terms in the tool's and the server's name alone. */
  readonly nameCoverage: number;
  /** How much of the tool's own name the query has, 0 to 1. */
  readonly nameShare: number;
  /** Of the query and the tool, −1 to 1; 0 without vectors. */
  readonly cosine: number;
  /** How far the match is above the best other, in parts of the first's score; negative for one that is not the first. */
  readonly margin: number;
  /** Nothing is above it by words. */
  readonly firstByWords: boolean;
  /** Nothing is above it by meaning. */
  readonly firstByMeaning: boolean;
  /** Terms of the query. */
  readonly queryTerms: number;
}

export type Confidence = "high" | "medium" | "low" | "none";

/** The probability, 0 to 1, that this is the tool that was meant. */
export function estimate(evidence: Evidence): number {
  const logit =
    -3.2 +
    1.6 * evidence.coverage +
    1.5 * evidence.nameCoverage +
    1.2 * evidence.nameShare +
    1 * evidence.cosine +
    2.5 * Math.max(-1, evidence.margin) +
    (evidence.firstByWords ? 0.3 : 0) +
    (evidence.firstByMeaning ? 0.5 : 0) -
    0.1 * Math.log1p(evidence.queryTerms);
  return 1 / (1 + Math.exp(-logit));
}

/** The label for the first match's probability; 0 for no match. */
export function toConfidence(probability: number): Confidence {
  if (probability >= 0.7) return "high";
  if (probability >= 0.35) return "medium";
  return probability >= 0.12 ? "low" : "none";
}
