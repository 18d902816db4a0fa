// A rule of a policy as sentences: what becomes of which calls, how many of them, and what of them nobody is shown. Names and values stay
// apart from words, since they are data of others. Pure.
import type { RuleAction, ShownRule, ShownTest } from "../../data/policies.ts";
import { tellNumber } from "../../words/fill.ts";
import { policyWords as words } from "../../words/policies.ts";

export interface Piece {
  /** `name`: somebody typed it, and it is shown as it is. */
  readonly kind: "words" | "name";
  readonly text: string;
}

const say = (text: string): Piece[] => [{ kind: "words", text }];
const name = (text: string): Piece[] => [{ kind: "name", text }];

/** A text with pieces at its places. */
function fillPieces(text: string, values: Readonly<Record<string, readonly Piece[]>>): Piece[] {
  return text.split(/\{([a-z]+)\}/i).flatMap((part, at): readonly Piece[] => {
    if (at % 2 === 1) return values[part] ?? [];
    return part === "" ? [] : say(part);
  });
}

const lists = {
  or: new Intl.ListFormat("en", { type: "disjunction" }),
  and: new Intl.ListFormat("en", { type: "conjunction" }),
};

function join(items: readonly (readonly Piece[])[], by: keyof typeof lists): Piece[] {
  let at = 0;
  return lists[by].formatToParts(items.map(String)).flatMap(({ type, value }): readonly Piece[] => {
    if (type !== "element") return say(value);
    at += 1;
    return items[at - 1] ?? [];
  });
}

const joinNames = (names: readonly string[]): Piece[] => join(names.map(name), "or");
const given = <T>(list: readonly T[] | null | undefined): list is readonly T[] => (list?.length ?? 0) > 0;

export function tellRule(rule: ShownRule): Piece[] {
  return [
    ...fillPieces(words.sentence[rule.action], { calls: tellCalls(rule.match), who: tellWho(rule) }),
    ...tellLimit(rule.limit),
    ...(given(rule.redact) ? fillPieces(words.redact, { pointers: join(rule.redact.map(tellPath), "and") }) : []),
  ];
}

/** Of the calls that no rule matches; of every call where there is no rule. */
export const tellDefault = (action: RuleAction, isAlone: boolean): Piece[] =>
  fillPieces(words.sentence[action], {
    calls: say(isAlone ? words.everyCall : words.everyOtherCall),
    who: say(words.anyApprover),
  });

function tellWho({ approvers, askCaller }: ShownRule): Piece[] {
  const who = given(approvers) ? joinNames(approvers) : say(words.anyApprover);
  return askCaller === true ? fillPieces(words.orCaller, { who }) : who;
}

function tellCalls(match: ShownRule["match"]): Piece[] {
  const { servers, tools, callers, roles, args, hints } = match ?? {};
  const told = tellHints(hints);
  return [
    ...(given(tools) ? fillPieces(words.tools, { tools: joinNames(tools) }) : say(words.everyCall)),
    ...(given(servers) ? fillPieces(words.on, { servers: joinNames(servers) }) : []),
    ...(told.length > 0 ? fillPieces(words.saying, { hints: join(told.map(say), "and") }) : []),
    ...(given(callers) ? fillPieces(words.by, { callers: joinNames(callers) }) : []),
    ...(given(roles) ? fillPieces(words.as, { roles: joinNames(roles) }) : []),
    ...(given(args) ? fillPieces(words.where, { tests: join(args.map(tellTest), "and") }) : []),
  ];
}

type Match = NonNullable<ShownRule["match"]>;

function tellHints(hints: Match["hints"]): string[] {
  const { reads, changes, destroys, keeps } = words.hints;
  const { readOnly, destructive } = hints ?? {};
  return [
    ...(typeof readOnly === "boolean" ? [readOnly ? reads : changes] : []),
    ...(typeof destructive === "boolean" ? [destructive ? destroys : keeps] : []),
  ];
}

const tellPath = (path: string): Piece[] => (path === "" ? say(words.wholeArguments) : name(path));

/** As JSON: "1" is not 1. */
const tellValue = (value: unknown): Piece[] => name(JSON.stringify(value));

function tellTest(test: ShownTest): Piece[] {
  const path = tellPath(test.path);
  const { tests } = words;
  if (test.in !== undefined) return fillPieces(tests.equals, { path, value: join(test.in.map(tellValue), "or") });
  if (test.absent !== undefined) return fillPieces(test.absent ? tests.absent : tests.present, { path });
  for (const key of ["equals", "prefix", "glob", "lessThan", "greaterThan"] as const) {
    const value = test[key];
    if (value !== undefined) return fillPieces(tests[key], { path, value: tellValue(value) });
  }
  return fillPieces(tests.unknown, { path });
}

function tellLimit(limit: ShownRule["limit"]): Piece[] {
  const { perMinute, perDay, per } = limit ?? {};
  const tell = (text: string, n: number | null | undefined) =>
    typeof n === "number" ? [fillPieces(text, { n: say(tellNumber(n)) })] : [];
  const counts = [...tell(words.perMinute, perMinute), ...tell(words.perDay, perDay)];
  return counts.length === 0 ? [] : fillPieces(words.limit[per ?? "caller"], { counts: join(counts, "and") });
}

export const toText = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("");
