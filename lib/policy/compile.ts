// Reads a policy that may be anything. What is wrong, or unknown, is said by rule and field, and then the policy denies
// every call: what it would have denied or asked about is not known.
import { compileTests, readPointer } from "./argument-test.ts";
import { parseGlob, type Glob } from "./glob.ts";
import { createDecision, denyAll, type AppliedLimit, type CompiledRule, type Policy } from "./policy.ts";
import {
  describe,
  readBoolean,
  readFields,
  readList,
  readOneOf,
  readText,
  readTexts,
  report,
  within,
  type Place,
  type Problem,
} from "./problems.ts";
import { actions, maxima, type Hints } from "./rules.ts";

export interface Compiled {
  /** What may be asked in any case: with a problem it denies everything. */
  readonly policy: Policy;
  /** None, or up to 16. */
  readonly problems: readonly Problem[];
}

const ruleFields = ["name", "match", "action", "reason", "approvers", "askCaller", "redact", "limit"];
const matchFields = ["servers", "tools", "callers", "roles", "args", "hints"];

/** @param rules `PolicyRules`, as parsed from JSON or YAML by whoever asks */
export function compilePolicy(rules: unknown): Compiled {
  const problems: Problem[] = [];
  const place: Place = { problems, rule: undefined, field: "" };
  const fields = readFields(place, rules, ["rules", "default"]);
  const listed = fields.get("rules");
  if (!Array.isArray(listed) || listed.length > maxima.rules) {
    report(within(place, "rules"), `a list of at most ${maxima.rules}`, describe(listed));
    return refuse(problems);
  }
  const compiled = listed.map((rule: unknown, at) => compileRule(problems, rule, at));
  const fallback = fields.has("default")
    ? readOneOf(within(place, "default"), fields.get("default"), actions)
    : ("ask" as const);
  noteDoubles(place, compiled);
  const globTests = compiled.flatMap(({ args }) => args).filter(({ operator }) => operator === "glob").length;
  if (globTests > maxima.globTests) {
    report(within(place, "rules"), `at most ${maxima.globTests} tests of arguments by glob`, String(globTests));
  }
  if (problems.length > 0) return refuse(problems);
  return { policy: { rules: compiled, otherwise: createDecision({ action: fallback }) }, problems };
}

function refuse(problems: readonly Problem[]): Compiled {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return { policy: denyAll(`${problems[0]?.message}${more}`), problems };
}

function noteDoubles(place: Place, rules: readonly CompiledRule[]): void {
  const seen = new Set<string>();
  for (const { decision } of rules) {
    const { rule = "" } = decision;
    const isDouble = rule !== "" && seen.has(rule);
    if (isDouble) report({ ...place, rule, field: "name" }, "a name of its own", "an earlier rule's");
    seen.add(rule);
  }
}

function compileRule(problems: Problem[], value: unknown, at: number): CompiledRule {
  const given: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "name") : undefined;
  const place: Place = { problems, rule: isName(given) ? given : `[${at}]`, field: "" };
  const fields = readFields(place, value, ruleFields);
  const rule = readName(within(place, "name"), fields.get("name"));
  const action = readOneOf(within(place, "action"), fields.get("action"), actions);
  const match = compileMatch(within(place, "match"), fields.has("match") ? fields.get("match") : {});
  if (match.hints !== undefined && action === "allow") {
    const found = "allow; a server that says what it likes would allow itself";
    report(within(place, "action"), `one of ${actions.slice(1).join(", ")} for what is matched by hints`, found);
  }
  noteUseless(place, action, fields);
  const read = <T>(name: string, reader: (place: Place, value: unknown) => T, otherwise: T): T =>
    fields.has(name) ? reader(within(place, name), fields.get(name)) : otherwise;
  const decision = createDecision({
    action,
    rule,
    reason: read("reason", (where, text) => readText(where, text, maxima.reasonChars), undefined),
    approvers: read("approvers", readTexts, []),
    askCaller: read("askCaller", readBoolean, false),
    redact: read("redact", readRedact, []),
    limits: read("limit", (where, limit) => [readLimit(where, limit, rule)], []),
  });
  return { ...match, decision };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxima.nameChars && /^[\w.-]+$/.test(value);
}

function readName(place: Place, value: unknown): string {
  if (isName(value)) return value;
  report(place, `1 to ${maxima.nameChars} letters, digits, ".", "_" and "-"`, describe(value));
  return "";
}

/** Who names approvers of what is simply allowed has meant something else. */
function noteUseless(place: Place, action: string, fields: ReadonlyMap<string, unknown>): void {
  for (const name of ["approvers", "askCaller"]) {
    const isUseless = action !== "ask" && fields.has(name);
    if (isUseless) report(within(place, name), "it beside action ask only", `action ${action}`);
  }
  if (action.startsWith("deny") && fields.has("limit")) {
    report(within(place, "limit"), "it beside actions allow and ask only", `action ${action}`);
  }
}

function compileMatch(place: Place, value: unknown): Omit<CompiledRule, "decision"> {
  const fields = readFields(place, value, matchFields);
  const readGlobs = (name: string): readonly Glob[] | undefined =>
    fields.has(name) ? readTexts(within(place, name), fields.get(name)).map(parseGlob) : undefined;
  return {
    servers: readGlobs("servers"),
    tools: readGlobs("tools"),
    callers: readGlobs("callers"),
    roles: readGlobs("roles"),
    args: fields.has("args") ? compileTests(within(place, "args"), fields.get("args")) : [],
    hints: fields.has("hints") ? readHints(within(place, "hints"), fields.get("hints")) : undefined,
  };
}

function readHints(place: Place, value: unknown): Hints {
  const fields = readFields(place, value, ["readOnly", "destructive"]);
  if (fields.size === 0) report(place, "readOnly, destructive or both", "neither");
  return Object.fromEntries([...fields].map(([name, hint]) => [name, readBoolean(within(place, name), hint)]));
}

function readRedact(place: Place, value: unknown): readonly string[] {
  return readList(place, value, maxima.redactions).map((pointer, at) => {
    readPointer(within(place, at), pointer);
    return String(pointer);
  });
}

function readLimit(place: Place, value: unknown, rule: string): AppliedLimit {
  const fields = readFields(place, value, ["perMinute", "perDay", "per"]);
  const counts = ["perMinute", "perDay"].filter((name) => fields.has(name));
  if (counts.length === 0) report(place, "perMinute, perDay or both", "neither");
  const per = fields.has("per") ? readOneOf(within(place, "per"), fields.get("per"), ["caller", "agent"]) : "caller";
  return {
    rule,
    per,
    ...Object.fromEntries(counts.map((name) => [name, readCalls(within(place, name), fields.get(name))])),
  };
}

function readCalls(place: Place, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= maxima.calls) return value;
  report(place, `a whole number from 1 to ${maxima.calls}`, describe(value));
  return 1;
}
