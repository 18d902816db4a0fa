// What a policy says of a call, said a second time: slowly, from the rules as they are written, and with nothing shared with
// the code under test. And rules and calls by chance, of few words, so that they often meet.
import type { Call } from "./policy.ts";
import type { Action, ArgumentTest, PolicyRules, Rule, RuleMatch } from "./rules.ts";

export interface Verdict {
  readonly action: Action;
  readonly rule: string | undefined;
  readonly approvers: readonly string[];
  readonly askCaller: boolean;
  readonly redact: readonly string[];
  readonly limits: readonly string[];
}

const strictness: Record<Action, number> = { allow: 0, ask: 1, denyContinue: 2, denyAbort: 3 };

export function judge(policy: PolicyRules, call: Call): Verdict {
  const matching = policy.rules.filter((rule) => fits(rule.match ?? {}, call));
  const plain = matching.find((rule) => rule.match?.hints === undefined);
  const before = plain === undefined ? policy.rules : policy.rules.slice(0, policy.rules.indexOf(plain));
  const hinted = matching.find((rule) => rule.match?.hints !== undefined && before.includes(rule));
  const trusted = toVerdict(plain, policy.default ?? "ask");
  if (hinted === undefined) return trusted;
  const untrusted = toVerdict(hinted, "ask");
  const both = {
    redact: [...new Set([...trusted.redact, ...untrusted.redact])],
    limits: [...trusted.limits, ...untrusted.limits],
  };
  const [was, is] = [strictness[trusted.action], strictness[untrusted.action]];
  if (is > was) return { ...untrusted, ...both };
  if (is < was) return { ...trusted, ...both };
  const askCaller = trusted.askCaller && untrusted.askCaller;
  return { ...(trusted.approvers.length > 0 ? trusted : untrusted), ...both, askCaller };
}

function toVerdict(rule: Rule | undefined, otherwise: Action): Verdict {
  return {
    action: rule?.action ?? otherwise,
    rule: rule?.name,
    approvers: rule?.approvers ?? [],
    askCaller: rule?.askCaller ?? false,
    redact: rule?.redact ?? [],
    limits: rule?.limit === undefined ? [] : [rule.name],
  };
}

function fits({ servers, tools, callers, roles, args = [], hints }: RuleMatch, call: Call): boolean {
  const readOnly = call.hints?.readOnly ?? false;
  const destructive = call.hints?.destructive ?? !readOnly;
  if (servers !== undefined && !servers.some((glob) => fitsGlob(call.server, glob))) return false;
  if (tools !== undefined && !tools.some((glob) => fitsGlob(call.tool, glob))) return false;
  if (callers !== undefined && !callers.some((glob) => fitsGlob(call.caller, glob))) return false;
  if (roles !== undefined && !roles.some((glob) => fitsGlob(call.role, glob))) return false;
  if (hints?.readOnly !== undefined && hints.readOnly !== readOnly) return false;
  if (hints?.destructive !== undefined && hints.destructive !== destructive) return false;
  return args.every((test) => holds(test, call.arguments));
}

export function fitsGlob(text: string, glob: string): boolean {
  const source = glob.split("*").map((part) => part.replaceAll(/[\\^$.|?+()[\]{}/-]/g, "\\$&"));
  return new RegExp(`^${source.join("[^]*")}$`).test(text);
}

const nothing = Symbol("nothing");

function holds(test: ArgumentTest, args: unknown): boolean {
  const found = follow(args === undefined ? nothing : args, test.path.split("/").slice(1));
  if (test.absent !== undefined) return test.absent ? found === nothing : found !== nothing;
  if (found === nothing) return false;
  if (test.equals !== undefined) return found === test.equals;
  if (test.in !== undefined) return test.in.some((each) => each === found);
  if (test.prefix !== undefined) return typeof found === "string" && found.slice(0, test.prefix.length) === test.prefix;
  if (test.glob !== undefined) return typeof found === "string" && fitsGlob(found, test.glob);
  if (test.lessThan !== undefined) return typeof found === "number" && found < test.lessThan;
  return typeof found === "number" && found > Number(test.greaterThan);
}

function follow(value: unknown, [segment, ...rest]: string[]): unknown {
  if (segment === undefined || value === nothing) return value;
  if (typeof value !== "object" || value === null) return nothing;
  const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
  const members = new Map<string, unknown>(Object.entries(value));
  return follow(members.has(name) ? members.get(name) : nothing, rest);
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const names = ["a", "ab", "b", "a/b", "__proto__", "0", "1", "length", "~"];
const words = ["a", "ab", "aab", "abab", "b", "", "a\nb", "prod-a"];
const globs = ["*", "a*", "*b", "a*b", "*a*b*", "**", "ab", "prod-*", "a.b", "*ab*ab"];
const scalars = ["a", "ab", "abab", "", "prod-a", -0, 1, 1.5, "1", true, null] as const;
const steps = [
  "/a",
  "/a",
  "/a",
  "/ab",
  "/ab",
  "/b",
  "/b",
  "/a~1b",
  "/__proto__",
  "/0",
  "/1",
  "/length",
  "/~0",
  "/-",
  "/01",
];

export function createMaker(seed: number) {
  const chance = createChance(seed);
  const flip = () => chance() < 0.5;
  const below = (count: number) => Math.floor(chance() * count);
  const pick = <T>(from: readonly [T, ...T[]] | readonly T[]): T => {
    const chosen = from[below(from.length)];
    if (chosen === undefined && from.length === 0) throw new Error("nothing to pick from");
    return chosen as T; // oxlint-disable-line typescript/no-unsafe-type-assertion -- of a list of T, within its length
  };
  const some = <T>(make: () => T, most: number): T[] => Array.from({ length: 1 + below(most) }, make);
  const maybe = <T>(share: number, make: () => T): T | undefined => (chance() < share ? make() : undefined);
  const path = () => pick(steps) + (chance() < 0.2 ? pick(steps) : "");

  function makeTest(): ArgumentTest {
    const tests: (() => ArgumentTest)[] = [
      () => ({ path: path(), equals: pick(scalars) }),
      () => ({ path: path(), in: some(() => pick(scalars), 8) }),
      () => ({ path: path(), prefix: pick(["a", "ab", "prod-"]) }),
      () => ({ path: path(), glob: pick(globs) }),
      () => ({ path: path(), lessThan: pick([0, 1, 1.5]) }),
      () => ({ path: path(), greaterThan: pick([0, 1, 1.5]) }),
      () => ({ path: path(), absent: flip() }),
    ];
    return pick(tests)();
  }

  function makeRule(at: number): Rule {
    const hints = maybe(0.25, () => pick([{ readOnly: true }, { readOnly: false }, { destructive: true }]));
    const action = pick<Action>(
      hints === undefined ? ["allow", "ask", "denyContinue", "denyAbort"] : ["ask", "denyAbort"],
    );
    const match = {
      ...given(
        "servers",
        maybe(0.3, () => some(() => pick(globs), 2)),
      ),
      ...given(
        "tools",
        maybe(0.4, () => some(() => pick(globs), 3)),
      ),
      ...given(
        "callers",
        maybe(0.1, () => some(() => pick(globs), 2)),
      ),
      ...given(
        "roles",
        maybe(0.1, () => some(() => pick(globs), 2)),
      ),
      ...given(
        "args",
        maybe(0.75, () => some(makeTest, chance() < 0.4 ? 2 : 1)),
      ),
      ...given("hints", hints),
    };
    const ofAsk = action === "ask";
    return {
      name: `r${at}`,
      action,
      match,
      ...given("approvers", ofAsk ? maybe(0.4, () => [`p${at}`]) : undefined),
      ...given("askCaller", ofAsk ? maybe(0.5, () => true) : undefined),
      ...given(
        "redact",
        maybe(0.3, () => [path()]),
      ),
      ...given("limit", ofAsk || action === "allow" ? maybe(0.3, () => ({ perMinute: 1 })) : undefined),
    };
  }

  function makeValue(depth: number): unknown {
    if (depth === 0 || chance() < 0.4) return pick(scalars);
    if (chance() < 0.4) return some(() => makeValue(depth - 1), 3);
    return Object.fromEntries(some(() => [pick(names), makeValue(depth - 1)] as const, 9));
  }

  const makeArguments = (): unknown =>
    chance() < 0.1
      ? makeValue(3)
      : Object.fromEntries(names.flatMap((name) => maybe(0.6, () => [[name, makeValue(2)]]) ?? []));

  return {
    pick,
    makeArguments,
    makePolicy: (): PolicyRules => ({
      rules: Array.from({ length: below(10) }, (_, at) => makeRule(at)),
      ...given(
        "default",
        maybe(0.7, () => pick<Action>(["allow", "ask", "denyContinue", "denyAbort"])),
      ),
    }),
    makeCall: (): Call => ({
      server: pick(words),
      tool: pick(words),
      caller: pick(words),
      role: pick(words),
      agent: "x",
      ...given(
        "arguments",
        maybe(0.95, () => makeArguments()),
      ),
      ...given(
        "hints",
        maybe(0.7, () => ({ ...given("readOnly", maybe(0.5, flip)), ...given("destructive", maybe(0.4, flip)) })),
      ),
    }),
  };
}

function given<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  const parts: { [key in K]?: V } = {};
  if (value !== undefined) parts[name] = value;
  return parts;
}
