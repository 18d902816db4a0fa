// What is wrong with a policy, in words that say where, what was expected and what was found; and reading parts of a
// policy that may be anything. What is wrong is noted and never thrown, so that one reading tells all of it.
import { maxima } from "./rules.ts";

export interface Problem {
  /** The rule's name, or its place in the list where it has none; undefined outside of the rules. */
  readonly rule: string | undefined;
  /** As `match.args[0].lessThan`; "" is the rule or the policy itself. */
  readonly field: string;
  /** A whole sentence. */
  readonly message: string;
}

/** Where in the policy something stands, and where its problems go. */
export interface Place {
  readonly problems: Problem[];
  readonly rule: string | undefined;
  readonly field: string;
}

export function within(place: Place, name: string | number): Place {
  const step = typeof name === "number" ? `[${name}]` : `${place.field === "" ? "" : "."}${name}`;
  return { ...place, field: place.field + step };
}

/** @param found in words, see `describe` */
export function report({ problems, rule, field }: Place, expected: string, found: string): void {
  if (problems.length >= maxima.problems) return;
  const owner = rule === undefined ? "policy" : `rule ${rule}`;
  const message = `${owner}${field === "" ? "" : `, ${field}`}: expected ${expected}, found ${found}`;
  problems.push({ rule, field, message });
}

/** A value in a few words, whatever it is. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  return value === undefined ? "nothing" : `a ${typeof value}`;
}

/** The object's fields. One that is not known is a problem: what it asks for would not be done. */
export function readFields(place: Place, value: unknown, known: readonly string[]): ReadonlyMap<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    report(place, `an object with ${known.join(", ")}`, describe(value));
    return new Map();
  }
  const fields = new Map<string, unknown>(Object.entries(value));
  for (const [name, field] of fields) {
    if (field === undefined) fields.delete(name);
    else if (!known.includes(name)) report(place, `of ${known.join(", ")} only`, `${describe(name)}, which is unknown`);
  }
  return fields;
}

/** A list of at least one. */
export function readList(place: Place, value: unknown, maxItems: number): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= maxItems) return value;
  const cure = Array.isArray(value) && value.length === 0 ? "; leave it out where it should not matter" : "";
  report(place, `a list of 1 to ${maxItems}`, describe(value) + cure);
  return [];
}

export function readText(place: Place, value: unknown, maxChars: number = maxima.textChars): string {
  if (typeof value === "string" && value !== "" && value.length <= maxChars) return value;
  const length = typeof value === "string" && value !== "" ? ` of ${value.length}` : "";
  report(place, `a text of 1 to ${maxChars} characters`, describe(value) + length);
  return "";
}

export function readTexts(place: Place, value: unknown): readonly string[] {
  return readList(place, value, maxima.listItems).map((item, at) => readText(within(place, at), item));
}

export function readBoolean(place: Place, value: unknown): boolean {
  if (typeof value !== "boolean") report(place, "true or false", describe(value));
  return value === true;
}

export function readNumber(place: Place, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  report(place, "a number", describe(value));
  return 0;
}

/** One of a few words, or the first of them after noting that it is none. */
export function readOneOf<T extends string>(place: Place, value: unknown, words: readonly [T, ...T[]]): T {
  const word = words.find((each) => each === value);
  if (word === undefined) report(place, `one of ${words.join(", ")}`, describe(value));
  return word ?? words[0];
}
