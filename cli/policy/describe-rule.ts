// Rules as a person reads them aloud: what they match, and what comes with their decision.
import type { ArgumentTest, Rule, RuleLimit, RuleMatch } from "../../lib/policy/rules.ts";

/** What a rule matches, as `tools read_*; /namespace like prod-*`; `every call` where it does not say. */
export function describeMatch({ servers, tools, callers, roles, args = [], hints }: RuleMatch = {}): string {
  const lists = Object.entries({ servers, tools, callers, roles }).flatMap(([name, globs]) =>
    globs === undefined ? [] : [`${name} ${globs.join(", ")}`],
  );
  const said = Object.entries(hints ?? {}).map(
    ([hint, value]) => `said to be ${value === true ? "" : "not "}${hint === "readOnly" ? "read-only" : hint}`,
  );
  const parts = [...lists, ...args.map(describeTest), ...said];
  return parts.length === 0 ? "every call" : parts.join("; ");
}

function describeTest({ path, ...operators }: ArgumentTest): string {
  const place = path === "" ? "the arguments" : path;
  const [[operator, value] = ["", undefined]] = Object.entries(operators);
  switch (operator) {
    case "equals":
      return `${place} is ${JSON.stringify(value)}`;
    case "in":
      return `${place} is one of ${JSON.stringify(value)}`;
    case "prefix":
      return `${place} begins with ${JSON.stringify(value)}`;
    case "glob":
      return `${place} is like ${JSON.stringify(value)}`;
    case "lessThan":
      return `${place} < ${JSON.stringify(value)}`;
    case "greaterThan":
      return `${place} > ${JSON.stringify(value)}`;
    default:
      return `${place} is ${value === true ? "absent" : "there"}`;
  }
}

/** What comes with a rule's decision, as `5 a day by caller; approved by ops`. */
export function describeTerms({ approvers, askCaller, redact, limit, reason }: Rule): string {
  const parts = [
    ...(limit === undefined ? [] : [describeLimit(limit)]),
    ...(approvers === undefined ? [] : [`approved by ${approvers.join(", ")}`]),
    ...(askCaller === true ? ["the caller is asked, too"] : []),
    ...(redact === undefined ? [] : [`${redact.join(", ")} shown to nobody`]),
    ...(reason === undefined ? [] : [reason]),
  ];
  return parts.join("; ");
}

function describeLimit({ perMinute, perDay, per = "caller" }: RuleLimit): string {
  const counts = [
    ...(perMinute === undefined ? [] : [`${perMinute} a minute`]),
    ...(perDay === undefined ? [] : [`${perDay} a day`]),
  ];
  return `${counts.join(" and ")} by ${per}`;
}
