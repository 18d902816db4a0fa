// What a policy would say of calls of one tool, whoever makes them and with whatever arguments: every action that is possible. Rules with
// tests of callers, roles or arguments may decide or not; hints can only tighten. It may name an action that no call can bring about, and
// leaves none out. Pure.
import { matchesGlob, parseGlob } from "../../../lib/policy/glob.ts";
import { actions, type RuleAction, type ShownRule, type ShownRules } from "../../data/policies.ts";

export interface JudgedTool {
  readonly server: string;
  readonly tool: string;
  readonly hints: { readonly readOnly?: boolean | undefined; readonly destructive?: boolean | undefined };
}

/** The loosest first; one where it does not depend on anything. */
export function outlookOf({ rules, default: fallback }: ShownRules, tool: JudgedTool): RuleAction[] {
  const possible = new Set<RuleAction>();
  /** What hints may have tightened it to by now: undefined stands for not at all. */
  let floors = new Set<RuleAction | undefined>([undefined]);
  const decideBy = (action: RuleAction) => floors.forEach((floor) => possible.add(stricter(action, floor)));
  for (const rule of rules) {
    if (!isAbout(rule, tool)) continue;
    const isCertain = isForAll(rule);
    const { action } = rule;
    if (isHinted(rule)) {
      // The first that matches counts, and no further one.
      const next = [...floors, action].filter((floor) => !isCertain || floor !== undefined);
      if (floors.has(undefined)) floors = new Set(next);
      continue;
    }
    decideBy(action);
    if (isCertain) return toOrdered(possible);
  }
  decideBy(fallback);
  return toOrdered(possible);
}

const toOrdered = (possible: ReadonlySet<RuleAction>): RuleAction[] => actions.filter((action) => possible.has(action));

const stricter = (action: RuleAction, floor: RuleAction | undefined): RuleAction =>
  floor !== undefined && actions.indexOf(floor) > actions.indexOf(action) ? floor : action;

const fits = (text: string, patterns: readonly string[] | null | undefined): boolean =>
  patterns === null || patterns === undefined || patterns.some((pattern) => matchesGlob(text, parseGlob(pattern)));

/** Whether it is about the tool by its names. */
export const isNamed = ({ match }: ShownRule, { server, tool }: Pick<JudgedTool, "server" | "tool">): boolean =>
  fits(server, match?.servers) && fits(tool, match?.tools);

function isAbout(rule: ShownRule, { server, tool, hints }: JudgedTool): boolean {
  const { match } = rule;
  if (!isNamed(rule, { server, tool })) return false;
  const wanted = match?.hints;
  if (wanted === null || wanted === undefined) return true;
  // Of a tool that says nothing the worst is taken.
  const readOnly = hints.readOnly === true;
  const destructive = hints.destructive === true || (hints.destructive !== false && !readOnly);
  return (wanted.readOnly ?? readOnly) === readOnly && (wanted.destructive ?? destructive) === destructive;
}

const isHinted = ({ match }: ShownRule): boolean => match?.hints !== null && match?.hints !== undefined;

const isForAll = ({ match }: ShownRule): boolean =>
  [match?.callers, match?.roles].every((list) => list === null || list === undefined) &&
  (match?.args ?? []).length === 0;
