// The rules of a policy in the order in which they are tried, and what they keep from being listed at all.
import type { Action, PolicyRules } from "../../lib/policy/rules.ts";
import { plainLine } from "../plain-text.ts";
import { renderTable } from "../render-table.ts";
import { describeMatch, describeTerms } from "./describe-rule.ts";
import type { FoundPolicy } from "./find-policies.ts";

/** Lines of a policy: its name, a line for each rule and the default. */
export function renderPolicy({ name, place, rules, policy }: FoundPolicy): string[] {
  if (rules === undefined) return [`${name} (${place}): faulty, so that every call is denied`];
  const { action } = policy.otherwise;
  const rows = rules.rules.map((rule, at) => [
    String(at + 1),
    rule.name,
    rule.action,
    describeMatch(rule.match),
    describeTerms(rule),
  ]);
  const all = [...rows, ["", "(default)", action, "every other call", ""]];
  const hiding = hidingRules(rules.rules, action);
  return [
    `${name} (${place}): the first rule that matches decides; rules with hints only make it stricter`,
    ...renderTable(
      all.map((row) => row.map(plainLine)),
      "start",
    ),
    ...(hiding.length === 0
      ? []
      : [`not even listed: what ${hiding.join(" or ")} denies, unless an earlier rule may let it through`]),
  ];
}

/** Rules, and the default, that deny whatever the arguments are. */
function hidingRules(rules: PolicyRules["rules"], otherwise: Action): string[] {
  const hiding = rules
    .filter(({ action, match }) => action.startsWith("deny") && match?.args === undefined)
    .map(({ name }) => `rule ${name}`);
  return otherwise.startsWith("deny") ? [...hiding, "the default"] : hiding;
}

/** The same for scripts. */
export function policyToJson({ name, place, rules, policy, problems }: FoundPolicy) {
  const written = rules === undefined ? {} : { rules: rules.rules, default: policy.otherwise.action };
  return { name, place, problems, ...written };
}
