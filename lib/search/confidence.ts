// How sure a search is of a match: a logistic over what was seen of it, whose weights train/calibrate.ts finds from
// requests whose right tool is known, half of them with that tool taken away.
import { weights, type Weights } from "./confidence-weights.ts";

/** What speaks for a match. */
export interface Evidence {
  /** How much of the query the tool covers, each term counted by its rarity, 0 to 1. */
  readonly coverage: number;
  /** How much of the tool's own name the query has, 0 to 1. */
  readonly nameShare: number;
  /** Terms of the query. */
  readonly queryTerms: number;
  /** Others that come near: within a tenth of the score or above it. */
  readonly rivals: number;
  /** How far it is above the best other by words, in terms as rare as can be; negative below it. */
  readonly wordsLead: number;
  /** The difference of its cosine and the best other's; undefined for a search by words only. */
  readonly meaningLead: number | undefined;
}

export type Confidence = "high" | "medium" | "low" | "none";

/** Beyond these more says no more. */
const limits = { queryTerms: 12, wordsLead: [-1, 2], meaningLead: [-0.4, 0.3] } as const;

function clip(number: number, [least, most]: readonly [number, number]): number {
  return Math.max(least, Math.min(most, number));
}

/** The evidence as numbers that are each multiplied by a weight. */
export function toFeatures(evidence: Evidence): Record<keyof Weights["factors"], number> {
  const meaningLead = clip(evidence.meaningLead ?? 0, limits.meaningLead);
  return {
    coverage: evidence.coverage,
    nameShare: evidence.nameShare,
    length: Math.log1p(Math.min(limits.queryTerms, evidence.queryTerms)),
    rivals: evidence.rivals,
    wordsLead: clip(evidence.wordsLead, limits.wordsLead),
    aheadByMeaning: Math.max(0, meaningLead),
    behindByMeaning: Math.min(0, meaningLead),
  };
}

/** The probability, 0 to 1, that this is the tool that was meant. */
export function estimate(evidence: Evidence): number {
  const { base, factors } = evidence.meaningLead === undefined ? weights.byWords : weights.byWordsAndMeaning;
  const features = toFeatures(evidence);
  let logit = base + features.coverage * factors.coverage + features.nameShare * factors.nameShare;
  logit += features.length * factors.length + features.rivals * factors.rivals;
  logit += features.wordsLead * factors.wordsLead;
  logit += features.aheadByMeaning * factors.aheadByMeaning + features.behindByMeaning * factors.behindByMeaning;
  return 1 / (1 + Math.exp(-logit));
}

/** Probabilities from which a match is called so; `high` is right in 95 of 100 where tools are no near-duplicates. */
export const thresholds = { high: 0.65, medium: 0.35, low: 0.12 } as const;

/** The label for the first match's probability; 0 for no match. */
export function toConfidence(probability: number): Confidence {
  if (probability >= thresholds.high) return "high";
  if (probability >= thresholds.medium) return "medium";
  return probability >= thresholds.low ? "low" : "none";
}
