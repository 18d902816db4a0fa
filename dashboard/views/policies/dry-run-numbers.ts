// What proposed rules would have made of the last calls, in groups: those that would be looser first, then the stricter, then as before. Pure.
import { actions, type DryRun, type JudgedCall, type RuleAction } from "../../data/policies.ts";

export interface JudgedGroup {
  readonly before: RuleAction;
  readonly after: RuleAction;
  readonly calls: number;
}

export interface DryRunNumbers {
  readonly looser: readonly JudgedGroup[];
  readonly stricter: readonly JudgedGroup[];
  readonly looserCalls: number;
  readonly asBefore: number;
}

const strictness = (action: RuleAction): number => actions.indexOf(action);

export const isLooser = ({ before, after }: Pick<JudgedCall, "before" | "after">): boolean =>
  strictness(after) < strictness(before);

/** The farthest from now first: what was denied and would be made is worse than what was asked about. */
const byDistance = (a: JudgedGroup, b: JudgedGroup): number => distanceOf(b) - distanceOf(a) || b.calls - a.calls;
const distanceOf = ({ before, after }: JudgedGroup): number => Math.abs(strictness(after) - strictness(before));

export function sumUpDryRun({ counts }: Pick<DryRun, "counts">): DryRunNumbers {
  const changed = counts.filter(({ before, after }) => before !== after);
  const looser = changed.filter(isLooser).toSorted(byDistance);
  const count = (groups: readonly JudgedGroup[]) => groups.reduce((all, { calls }) => all + calls, 0);
  return {
    looser,
    stricter: changed.filter((group) => !isLooser(group)).toSorted(byDistance),
    looserCalls: count(looser),
    asBefore: count(counts.filter(({ before, after }) => before === after)),
  };
}
