// Checks a value against a JSON Schema and says of each place what to write there. All is read under one budget of steps, and no regular
// expression of a schema runs: what cannot be decided that way counts as fitting, since the server checks its arguments itself. Pure.
import { checkArray, checkObject } from "./check-containers.ts";
import { isSameJson, parseJson, renderJson, toJson, type Json } from "./json-text.ts";
import { compareToBound, isWholeText, suggestNumber } from "./number-text.ts";
import { findPart, isSchema, listOf, numberOf, type Schema } from "./resolve-schema.ts";
import { tellBound } from "./schema-bounds.ts";
import { fill, tellNumber } from "../../words/fill.ts";
import { schemaFormWords } from "../../words/schema-form.ts";

const words = schemaFormWords.problems;

export type ValuePath = readonly (string | number)[];

export interface ValueProblem {
  readonly path: ValuePath;
  /** What is wrong, and what to write. */
  readonly message: string;
  /** Nothing is there yet. */
  readonly isMissing?: boolean;
}

const maxCheckSteps = 100_000;
export const maxProblems = 100;
const maxDepth = 200;
const maxQuotedChoices = 8;
const maxQuotedChars = 60;
/** What comparing this many characters adds to a step. */
const charactersPerStep = 64;

/** They would refuse some values, and are not looked at. */
const undecided = [
  "pattern",
  "patternProperties",
  "format",
  "contains",
  "dependencies",
  "dependentSchemas",
  "unevaluatedItems",
  "unevaluatedProperties",
  "$dynamicRef",
  "$recursiveRef",
];

class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

/** Of one check: what was found, under one budget with what it is part of. */
class Visit {
  readonly root: unknown;
  readonly problems: ValueProblem[] = [];
  /** Counts what was passed over: where it has not grown, a value without problems fits for certain. */
  passedOver = 0;
  readonly #budget: { steps: number };
  readonly #depth: number;

  constructor(root: unknown, budget = { steps: 0 }, depth = 0) {
    this.root = root;
    this.#budget = budget;
    this.#depth = depth;
  }

  /** Throws beyond the budget. */
  spend(steps = 1): void {
    this.#budget.steps += steps;
    if (this.#budget.steps > maxCheckSteps) throw new BudgetSpent();
  }

  add(path: ValuePath, message: string, isMissing = false): void {
    if (this.problems.length < maxProblems) this.problems.push({ path, message, ...(isMissing && { isMissing }) });
  }

  check(schema: unknown, value: Json, path: ValuePath): void {
    this.spend();
    if (this.#depth > maxDepth) throw new BudgetSpent();
    const inner = new Visit(this.root, this.#budget, this.#depth + 1);
    checkPart(schema, value, path, inner);
    this.passedOver += inner.passedOver;
    for (const problem of inner.problems) this.add(problem.path, problem.message, problem.isMissing);
  }

  /** What is wrong where the value should fit this one, without saying so. */
  try(schema: unknown, value: Json, path: ValuePath): { problems: readonly ValueProblem[]; isCertain: boolean } {
    const inner = new Visit(this.root, this.#budget, this.#depth + 1);
    inner.check(schema, value, path);
    return { problems: inner.problems, isCertain: inner.passedOver === 0 };
  }
}

/** In the order of the value; none where it fits, as far as this can be known here. */
export function checkValue(schema: unknown, value: Json): readonly ValueProblem[] {
  const visit = new Visit(schema);
  try {
    visit.check(schema, value, []);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
  return visit.problems;
}

/** Which of several schemas the value is meant for: the first that fits, else the one that it misses least. */
export function closestSchema(root: unknown, schemas: readonly unknown[], value: Json): number {
  const visit = new Visit(root);
  try {
    const misses = schemas.map((schema) => countMisses(visit.try(schema, value, []).problems, []));
    return misses.indexOf(Math.min(...misses));
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    return 0;
  }
}

/** Another type at the top misses most, then what stands right below it: constants that tell variants apart. */
function countMisses(problems: readonly ValueProblem[], path: ValuePath): number {
  const weights = [10_000, 100];
  return problems.reduce(
    (sum, problem) => sum + (problem.isMissing === true ? 1 : (weights[problem.path.length - path.length] ?? 1)),
    0,
  );
}

function checkPart(schema: unknown, value: Json, path: ValuePath, visit: Visit): void {
  if (value.kind === "draft") {
    const { fault } = parseJson(value.text);
    if (fault !== undefined) visit.add(path, fill(words.draft, { ...fault, line: fault.line, column: fault.column }));
    return;
  }
  if (schema === false) visit.add(path, words.nothing);
  if (!isSchema(schema)) return;
  if (undecided.some((keyword) => schema[keyword] !== undefined)) visit.passedOver += 1;
  if (checkType(schema, value, path, visit)) {
    checkAllowed(schema, value, path, visit);
    if (value.kind === "number") checkNumber(schema, value.text, path, visit);
    if (value.kind === "string") checkString(schema, value.text, path, visit);
    if (value.kind === "array") checkArray(schema, value.items, path, visit);
    if (value.kind === "object") checkObject(schema, value.fields, path, visit);
  }
  checkCombined(schema, value, path, visit);
}

const typeOfJson = (value: Json): readonly string[] => {
  if (value.kind === "number") return isWholeText(value.text) ? ["number", "integer"] : ["number"];
  return [value.kind];
};

/** Whether it is of the type that the schema wants. */
function checkType(schema: Schema, value: Json, path: ValuePath, visit: Visit): boolean {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
  if (types.length === 0 || (schema["nullable"] === true && value.kind === "null")) return true;
  visit.spend(types.length);
  if (typeOfJson(value).some((each) => types.includes(each))) return true;
  visit.add(path, tellWrongType(types, value));
  return false;
}

function tellWrongType(types: readonly string[], value: Json): string {
  const isWhole = types.includes("integer") && !types.includes("number");
  if (isWhole && value.kind === "number") return fill(words.notWhole, { suggestion: roundText(value.text) });
  if (value.kind === "string" && (isWhole || types.includes("number"))) {
    const suggestion = suggestNumber(value.text);
    if (suggestion === undefined) return words.notNumberAtAll;
    if (isWhole && !isWholeText(suggestion)) return fill(words.notWhole, { suggestion: roundText(suggestion) });
    const text = suggestion === value.text ? words.textForNumber : words.notNumber;
    return fill<string>(text, { suggestion });
  }
  const names = new Map<string, string>(Object.entries(schemaFormWords.expected));
  const expected = types.map((type) => names.get(type) ?? type).join(schemaFormWords.or);
  const found = schemaFormWords.found[value.kind];
  return fill(words.type, { found: found.charAt(0).toUpperCase() + found.slice(1), expected });
}

const roundText = (text: string): string => String(Math.round(Number(text)));

function checkAllowed(schema: Schema, value: Json, path: ValuePath, visit: Visit): void {
  if ("const" in schema) {
    visit.spend(renderJson(value).length / charactersPerStep);
    const wanted = toJson(schema["const"]);
    if (!isSameJson(wanted, value)) visit.add(path, fill(words.constant, { value: quote(wanted) }));
  }
  const allowed = schema["enum"];
  if (!Array.isArray(allowed)) return;
  visit.spend(allowed.length * (1 + renderJson(value).length / charactersPerStep));
  if (allowed.some((each) => isSameJson(toJson(each), value))) return;
  const choices = allowed
    .slice(0, maxQuotedChoices)
    .map((each) => quote(toJson(each)))
    .join(", ");
  const n = allowed.length - maxQuotedChoices;
  visit.add(path, n > 0 ? fill(words.choiceMore, { choices, n }) : fill(words.choice, { choices }));
}

function quote(value: Json): string {
  const text = renderJson(value);
  return text.length > maxQuotedChars ? `${text.slice(0, maxQuotedChars)}…` : text;
}

function checkNumber(schema: Schema, text: string, path: ValuePath, visit: Visit): void {
  const { exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const min = numberOf(schema["minimum"]);
  const max = numberOf(schema["maximum"]);
  // Until draft 4 the exclusive ones said how the others are meant.
  const above = exclusiveMinimum === true ? min : numberOf(exclusiveMinimum);
  const below = exclusiveMaximum === true ? max : numberOf(exclusiveMaximum);
  if (above !== undefined && compareToBound(text, above) <= 0) {
    visit.add(path, fill(words.above, { min: tellBound(above) }));
  } else if (min !== undefined && compareToBound(text, min) < 0) {
    visit.add(path, fill(words.atLeast, { min: tellBound(min) }));
  }
  if (below !== undefined && compareToBound(text, below) >= 0) {
    visit.add(path, fill(words.below, { max: tellBound(below) }));
  } else if (max !== undefined && compareToBound(text, max) > 0) {
    visit.add(path, fill(words.atMost, { max: tellBound(max) }));
  }
  if (typeof multipleOf !== "number" || multipleOf <= 0) return;
  const times = Number(text) / multipleOf;
  // 0.3 is a multiple of 0.1, whatever is left over in binary.
  const isMultiple = Math.abs(times - Math.round(times)) <= Math.abs(times) * Number.EPSILON * 4;
  if (!isMultiple && Number.isFinite(times)) visit.add(path, fill(words.step, { step: tellBound(multipleOf) }));
}

function checkString(schema: Schema, text: string, path: ValuePath, visit: Visit): void {
  const min = numberOf(schema["minLength"]);
  const max = numberOf(schema["maxLength"]);
  if (min === undefined && max === undefined) return;
  visit.spend(text.length / charactersPerStep);
  const n = [...text].length;
  if (min !== undefined && n < min) visit.add(path, fill(words.tooShort, { n, min: tellNumber(min) }));
  if (max !== undefined && n > max) visit.add(path, fill(words.tooLong, { n, max: tellNumber(max) }));
}

function checkCombined(schema: Schema, value: Json, path: ValuePath, visit: Visit): void {
  const { $ref: ref } = schema;
  if (typeof ref === "string") {
    visit.spend(1 + ref.length / charactersPerStep);
    const target = findPart(visit.root, ref);
    if (target === undefined) visit.passedOver += 1;
    else visit.check(target, value, path);
  }
  for (const part of listOf(schema["allOf"])) visit.check(part, value, path);
  checkVariants(schema["anyOf"], false, value, path, visit);
  checkVariants(schema["oneOf"], true, value, path, visit);
  if (schema["not"] !== undefined) {
    const tried = visit.try(schema["not"], value, path);
    if (tried.problems.length === 0 && tried.isCertain) visit.add(path, words.not);
  }
  if (schema["if"] === undefined) return;
  const tried = visit.try(schema["if"], value, path);
  const fits = tried.problems.length === 0;
  if (fits && !tried.isCertain) visit.passedOver += 1;
  else visit.check(schema[fits ? "then" : "else"], value, path);
}

/** Where none fits, what the one misses that comes closest. */
function checkVariants(parts: unknown, onlyOne: boolean, value: Json, path: ValuePath, visit: Visit): void {
  if (!Array.isArray(parts) || parts.length === 0) return;
  const tried = parts.map((part: unknown) => visit.try(part, value, path));
  const fitting = tried.filter(({ problems }) => problems.length === 0);
  if (fitting.some(({ isCertain }) => !isCertain)) visit.passedOver += 1;
  if (fitting.length === 0) {
    const misses = tried.map(({ problems }) => countMisses(problems, path));
    const least = Math.min(...misses);
    const closest = tried[misses.indexOf(least)]?.problems ?? [];
    const isUndecided = misses.filter((each) => each === least).length > 1 && parts.length > 1;
    const isWhole = closest.every((problem) => problem.path.length === path.length);
    if (isUndecided && isWhole) visit.add(path, fill(words.noVariant, { n: parts.length }));
    else for (const problem of closest) visit.add(problem.path, problem.message, problem.isMissing);
  }
  const certain = fitting.filter(({ isCertain }) => isCertain).length;
  if (onlyOne && certain > 1) visit.add(path, fill(words.several, { n: certain }));
}
