// How sure a search is of a match: a logistic over what was seen of it, whose weights train/calibrate.ts finds from
// requests whose right tool is known, half of them with that tool taken away.
import { weights } from "./confidence-weights.ts";

/** What speaks for a match. */
export interface Evidence {
  /** How much of the tool's own name the query has, 0 to 1. */
  readonly nameShare: number;
  /** Others that come near: within a tenth of the score or above it. */
  readonly rivals: number;
  /** What the query's words in the tool weigh, in terms as rare as can be. */
  readonly wordsScore: number;
  /** How far that is above the best other tool's; negative below it. */
  readonly wordsLead: number;
  /** Undefined for a search by words only. */
  readonly meaning:
    | {
        /** The difference of its cosine with the query and the best other tool's. */
        readonly lead: number;
        /** The cosine of the tool and the next best, or of the tool and the best. */
        readonly likeness: number;
      }
    | undefined;
}

export type Confidence = "high" | "medium" | "low" | "none";

/** Beyond these more says no more. */
const limits = { wordsScore: [0, 3], wordsLead: [-1, 2], meaningLead: [-0.4, 0.3] } as const;

function clip(number: number, [least, most]: readonly [number, number]): number {
  return Math.max(least, Math.min(most, number));
}

/** The evidence as numbers that are each multiplied by a weight. */
export function toFeatures({ nameShare, rivals, wordsScore, wordsLead, meaning }: Evidence) {
  const meaningLead = clip(meaning?.lead ?? 0, limits.meaningLead);
  return {
    nameShare,
    rivals,
    wordsScore: clip(wordsScore, limits.wordsScore),
    wordsLead: clip(wordsLead, limits.wordsLead),
    aheadByMeaning: Math.max(0, meaningLead),
    behindByMeaning: Math.min(0, meaningLead),
    likeness: meaning?.likeness ?? 0,
  };
}

/** The probability, 0 to 1, that this is the tool that was meant. */
export function estimate(evidence: Evidence): number {
  const { base, factors } = evidence.meaning === undefined ? weights.byWords : weights.byWordsAndMeaning;
  const features = toFeatures(evidence);
  let logit = base + features.nameShare * factors.nameShare + features.rivals * factors.rivals;
  logit += features.wordsScore * factors.wordsScore + features.wordsLead * factors.wordsLead;
  logit += features.aheadByMeaning * factors.aheadByMeaning + features.behindByMeaning * factors.behindByMeaning;
  logit += features.likeness * factors.likeness;
  return 1 / (1 + Math.exp(-logit));
}

/**
 * Probabilities from which a match is called so. `high` is the lowest from which it is right in 95 of 100 on each set of
 * requests among its own tools, with weights that were found without the set. Below `low` is no match for one in eight of
 * requests whose tool is there (the right tool is first for one of ten of those), and for one in four whose tool is not.
 */
export const thresholds = { high: 0.6, medium: 0.35, low: 0.06 } as const;

/** From here on it is no question whether there is such a tool, only which of several it is. */
const namedShare = 0.5;

/** The label for the first match's probability and evidence; without evidence there is no match. */
export function toConfidence(probability: number, evidence: Pick<Evidence, "nameShare"> | undefined): Confidence {
  if (evidence === undefined) return "none";
  if (probability >= thresholds.high) return "high";
  if (probability >= thresholds.medium) return "medium";
  return probability >= thresholds.low || evidence.nameShare > namedShare ? "low" : "none";
}
