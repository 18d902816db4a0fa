// Two lists of rules compared by the names of the rules, which are unique: what is new, gone, changed, or at another place among those that stay.
// Order decides in a policy, so a move is a difference. Pure.
import type { ShownRule, ShownRules } from "../../data/policies.ts";

export type RuleChange =
  | { readonly kind: "equal" | "added" | "removed" | "moved"; readonly rule: ShownRule }
  | { readonly kind: "changed"; readonly rule: ShownRule; readonly before: ShownRule };

export interface RulesDifference {
  /** In the new order; what is gone stands after what it stood after. */
  readonly rules: readonly RuleChange[];
  readonly default: { readonly before: ShownRules["default"]; readonly after: ShownRules["default"] };
  readonly isEqual: boolean;
}

export function compareRules(before: ShownRules, after: ShownRules): RulesDifference {
  const old = new Map(before.rules.map((rule) => [rule.name, rule]));
  const now = new Set(after.rules.map(({ name }) => name));
  const steady = longestCommon(
    before.rules.map(({ name }) => name).filter((name) => now.has(name)),
    after.rules.map(({ name }) => name).filter((name) => old.has(name)),
  );
  const kept = after.rules.map((rule): RuleChange => {
    const was = old.get(rule.name);
    if (was === undefined) return { kind: "added", rule };
    if (!isSame(was, rule)) return { kind: "changed", rule, before: was };
    return { kind: steady.has(rule.name) ? "equal" : "moved", rule };
  });
  const rules = withRemoved(before.rules, kept, now);
  const isEqual = before.default === after.default && rules.every(({ kind }) => kind === "equal");
  return { rules, default: { before: before.default, after: after.default }, isEqual };
}

function withRemoved(
  before: readonly ShownRule[],
  kept: readonly RuleChange[],
  now: ReadonlySet<string>,
): RuleChange[] {
  const result = [...kept];
  before.forEach((rule, at) => {
    if (now.has(rule.name)) return;
    const above = before[at - 1]?.name;
    const place = above === undefined ? 0 : result.findIndex((each) => each.rule.name === above) + 1;
    result.splice(place, 0, { kind: "removed", rule });
  });
  return result;
}

/** Whatever the order of their fields, and with what is null or absent alike. */
const isSame = (a: unknown, b: unknown): boolean => toOrdered(a) === toOrdered(b);

const toOrdered = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    const fields = Object.entries(each).filter(([, field]) => field !== null && field !== undefined);
    return Object.fromEntries(fields.toSorted(([x], [y]) => (x < y ? -1 : 1)));
  });

/** Names that stay in order; both lists have the same ones, at most 128. */
function longestCommon(before: readonly string[], after: readonly string[]): Set<string> {
  const place = new Map(before.map((name, at) => [name, at]));
  const best: { length: number; previous: number | undefined }[] = [];
  after.forEach((name, at) => {
    let length = 1;
    let previous: number | undefined;
    for (let earlier = 0; earlier < at; earlier += 1) {
      const found = best[earlier]?.length ?? 0;
      const isBefore = (place.get(after[earlier] ?? "") ?? 0) < (place.get(name) ?? 0);
      if (isBefore && found + 1 > length) {
        length = found + 1;
        previous = earlier;
      }
    }
    best.push({ length, previous });
  });
  const most = Math.max(0, ...best.map(({ length }) => length));
  const kept = new Set<string>();
  let at: number | undefined = best.findIndex(({ length }) => length === most);
  while (at !== undefined && at >= 0) {
    const name = after[at];
    if (name !== undefined) kept.add(name);
    at = best[at]?.previous;
  }
  return kept;
}
