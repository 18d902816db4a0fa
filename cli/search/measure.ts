// How good a search is on queries whose right tools are known.

/** Places of an answer that count for `ndcg10`; `recall5` looks at the first five. */
export const places = 10;
const recallPlaces = 5;

export interface JudgedQuery {
  readonly set: string;
  readonly query: string;
  /** Ids of right tools. Each group is a need, and any one tool of the group meets it. */
  readonly gold: readonly (readonly string[])[];
}

export interface Answer {
  /** The ids of each of the first ten matches, best first. */
  readonly matches: readonly (readonly string[])[];
  readonly isHigh: boolean;
  readonly ms: number;
}

/** Shares from 0 to 1, over the queries of one set. */
export interface Measures {
  /** Queries. */
  readonly n: number;
  /** Queries whose first match is of any group. */
  readonly hit1: number;
  /** Groups met by the first five matches, of all of the query's, on average over queries. */
  readonly recall5: number;
  /**
   * Normalised discounted cumulative gain of the first ten, on average over queries. A match gains 1 ÷ log₂(place + 1) when it
   * meets a group that none before it met; the ideal answer meets one with each of its first matches.
   */
  readonly ndcg10: number;
  /** Queries whose first match is called certain ("high"). */
  readonly highShare: number;
  /** Of those, the ones whose first match is of any group; null when there are none. */
  readonly highPrecision: number | null;
  /** 95 % of the searches took no longer, in milliseconds. */
  readonly p95Ms: number;
}

interface Judgement {
  readonly isHit: boolean;
  readonly recall: number;
  readonly gain: number;
}

/** For each match the group that it is the first to meet. */
function newlyMet({ gold }: JudgedQuery, matches: Answer["matches"]): (number | undefined)[] {
  const met = new Set<number>();
  return matches.slice(0, places).map((ids) => {
    const group = gold.findIndex((wanted, at) => !met.has(at) && wanted.some((id) => ids.includes(id)));
    if (group === -1) return undefined;
    met.add(group);
    return group;
  });
}

function discount(place: number): number {
  return 1 / Math.log2(place + 2);
}

function judge(query: JudgedQuery, { matches }: Answer): Judgement {
  const met = newlyMet(query, matches);
  const isMet = (one: number | undefined) => one !== undefined;
  let ideal = 0;
  for (let place = 0; place < Math.min(places, query.gold.length); place += 1) ideal += discount(place);
  const gained = met.reduce((sum: number, one, place) => sum + (isMet(one) ? discount(place) : 0), 0);
  return {
    isHit: isMet(met[0]),
    recall: met.slice(0, recallPlaces).filter(isMet).length / query.gold.length,
    gain: gained / ideal,
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** The value below which `share` of the numbers lie, by nearest rank. */
function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** The measures of one set's queries, of which there is at least one, each with its answer. */
export function measure(answers: readonly { readonly query: JudgedQuery; readonly answer: Answer }[]): Measures {
  const judged = answers.map(({ query, answer }) => ({ ...judge(query, answer), ...answer }));
  const high = judged.filter(({ isHigh }) => isHigh);
  return {
    n: judged.length,
    hit1: mean(judged.map(({ isHit }) => Number(isHit))),
    recall5: mean(judged.map(({ recall }) => recall)),
    ndcg10: mean(judged.map(({ gain }) => gain)),
    highShare: high.length / judged.length,
    highPrecision: high.length === 0 ? null : mean(high.map(({ isHit }) => Number(isHit))),
    p95Ms: percentile(
      judged.map(({ ms }) => ms),
      0.95,
    ),
  };
}
