// Checks values against JSON Schemas: arguments of our own tools, answers of models, and what goes to tool servers and comes
// from them. Whoever wrote a schema may want us to hang, so nothing of it becomes code, none of its regular expressions runs,
// and all is read under one budget of steps (SEC-7). What cannot be decided that way counts as fitting: a server checks its
// arguments itself. Problems name the field and what was expected, never the value (BRR-4).
import { isJsonObject } from "./json-rpc.ts";

export interface SchemaBounds {
  maxSteps: number;
  /** Checks inside each other. */
  maxDepth: number;
}

/** Some tens of milliseconds; an ordinary call takes less than a hundred steps. */
export const ofStrangers: SchemaBounds = { maxSteps: 100_000, maxDepth: 300 };
/** For schemas that are part of the program or judged by plan/: size of the schema times size of the value has an end. */
export const ofOurOwn: SchemaBounds = { maxSteps: Number.POSITIVE_INFINITY, maxDepth: 2_000 };
/** What comparing or counting this many characters adds to a step. */
const charactersPerStep = 64;
const maxQuotedFieldChars = 120;
const maxQuotedAllowed = 20;
const maxQuotedValueChars = 60;
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

type Schema = Record<string, unknown>;
/** Where a value is in the whole, from the inside out. */
type Place = { readonly key: string; readonly within: Place } | undefined;

interface Problem {
  at: Place;
  text: string;
}

/** The value was not decided on within the budget. */
class Undecided extends Error {
  override readonly name = "Undecided";
}

/** One check of one value. */
interface Visit {
  readonly root: Schema;
  readonly bounds: SchemaBounds;
  steps: number;
  depth: number;
  /** Counts what was passed over; where it has not grown, a value that has no problem does fit. */
  passedOver: number;
}

/** What keeps `value` from fitting `schema`, or undefined. `whole` is what the value is called: "the arguments". */
export function findSchemaProblem(
  schema: Schema,
  value: unknown,
  whole: string,
  bounds: SchemaBounds = ofStrangers,
): string | undefined {
  const visit: Visit = { root: schema, bounds, steps: 0, depth: 0, passedOver: 0 };
  try {
    const problem = check(schema, value, undefined, visit);
    return problem && `${renderPlace(problem.at, whole)} ${problem.text}`;
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

function spend(visit: Visit, steps = 1): void {
  visit.steps += steps;
  if (visit.steps > visit.bounds.maxSteps) throw new Undecided();
}

function check(schema: unknown, value: unknown, at: Place, visit: Visit): Problem | undefined {
  spend(visit);
  if (schema === false) return { at, text: "is not allowed" };
  if (!isJsonObject(schema)) return undefined;
  if (schema !== visit.root && typeof schema["$id"] === "string") {
    // Its references are not the document's.
    visit.passedOver += 1;
    return undefined;
  }
  if (visit.depth >= visit.bounds.maxDepth) throw new Undecided();
  visit.depth += 1;
  if (undecided.some((keyword) => schema[keyword] !== undefined)) visit.passedOver += 1;
  const problem =
    checkType(schema, value, at, visit) ??
    checkAllowed(schema, value, at, visit) ??
    checkOwn(schema, value, at, visit) ??
    checkReference(schema, value, at, visit) ??
    checkCombined(schema, value, at, visit);
  visit.depth -= 1;
  return problem;
}

/** What holds for values of its type. */
function checkOwn(schema: Schema, value: unknown, at: Place, visit: Visit): Problem | undefined {
  if (typeof value === "number") return checkNumber(schema, value, at);
  if (typeof value === "string") return checkString(schema, value, at, visit);
  if (Array.isArray(value)) return checkArray(schema, value, at, visit);
  return isJsonObject(value) ? checkObject(schema, value, at, visit) : undefined;
}

function checkType({ type, nullable }: Schema, value: unknown, at: Place, visit: Visit): Problem | undefined {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  spend(visit, types.length);
  if (type === undefined || types.some((name) => typeof name !== "string" || isOfType(name, value))) return undefined;
  if (nullable === true && value === null) return undefined;
  return { at, text: `must be ${types.slice(0, maxQuotedAllowed).join(" or ")}` };
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type || !["boolean", "number", "string"].includes(type);
}

function checkAllowed(schema: Schema, value: unknown, at: Place, visit: Visit): Problem | undefined {
  const allowed = schema["enum"];
  if (Array.isArray(allowed) && !allowed.some((one) => isSame(one, value, visit))) {
    const quoted = allowed.slice(0, maxQuotedAllowed).map(renderAllowed);
    const rest = allowed.length - quoted.length;
    return { at, text: `must be one of ${quoted.join(", ")}${rest > 0 ? ` or ${rest} others` : ""}` };
  }
  if ("const" in schema && !isSame(schema["const"], value, visit)) {
    return { at, text: `must be ${renderAllowed(schema["const"])}` };
  }
  return undefined;
}

/** Equal as JSON: the order of an object's keys does not matter. */
function isSame(one: unknown, other: unknown, visit: Visit): boolean {
  spend(visit);
  if (typeof one === "string" && typeof other === "string") {
    if (one.length !== other.length) return false;
    spend(visit, one.length / charactersPerStep);
    return one === other;
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const entries = Object.entries(one);
  const rest = new Map(Object.entries(other));
  spend(visit, entries.length + rest.size);
  if (entries.length !== rest.size) return false;
  if (visit.depth >= visit.bounds.maxDepth) throw new Undecided();
  visit.depth += 1;
  const same = entries.every(([key, value]) => rest.has(key) && isSame(value, rest.get(key), visit));
  visit.depth -= 1;
  return same;
}

function checkNumber(schema: Schema, value: number, at: Place): Problem | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const problem = (text: string) => ({ at, text: `must be ${text}` });
  // Until draft 4 the exclusive ones said how the others are meant.
  if (typeof minimum === "number" && (exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    return problem(`${exclusiveMinimum === true ? ">" : ">="} ${minimum}`);
  }
  if (typeof maximum === "number" && (exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    return problem(`${exclusiveMaximum === true ? "<" : "<="} ${maximum}`);
  }
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) return problem(`> ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) return problem(`< ${exclusiveMaximum}`);
  if (typeof multipleOf !== "number" || multipleOf <= 0) return undefined;
  const times = value / multipleOf;
  // 0.3 is a multiple of 0.1, whatever is left over in binary.
  const isMultiple = Math.abs(times - Math.round(times)) <= Math.abs(times) * Number.EPSILON * 4;
  return isMultiple || !Number.isFinite(times) ? undefined : problem(`a multiple of ${multipleOf}`);
}

function checkString({ minLength, maxLength }: Schema, value: string, at: Place, visit: Visit): Problem | undefined {
  const isTooLong = typeof maxLength === "number" && value.length > maxLength;
  const isTooShort = typeof minLength === "number" && value.length < minLength * 2;
  if (!isTooLong && !isTooShort) return undefined;
  spend(visit, value.length / charactersPerStep);
  let characters = 0;
  for (let at = 0; at < value.length; at += (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) characters += 1;
  if (isTooLong && characters > maxLength) return { at, text: `must have at most ${maxLength} characters` };
  if (isTooShort && characters < minLength) return { at, text: `must have at least ${minLength} characters` };
  return undefined;
}

function checkArray(schema: Schema, value: readonly unknown[], at: Place, visit: Visit): Problem | undefined {
  const { minItems, maxItems, uniqueItems, items } = schema;
  if (typeof minItems === "number" && value.length < minItems) {
    return { at, text: `must have at least ${minItems} items` };
  }
  if (typeof maxItems === "number" && value.length > maxItems) {
    return { at, text: `must have at most ${maxItems} items` };
  }
  if (uniqueItems === true && repeatsAnything(value, visit)) return { at, text: "must not have the same item twice" };
  // Until draft 2019-09 a list in `items` was what is `prefixItems` now, and `additionalItems` stood for the others.
  const first = Array.isArray(items) ? items : schema["prefixItems"];
  const each = Array.isArray(items) ? schema["additionalItems"] : items;
  const firsts: readonly unknown[] = Array.isArray(first) ? first : [];
  for (const [index, item] of value.entries()) {
    const itemSchema = index < firsts.length ? firsts[index] : each;
    if (itemSchema === undefined) break;
    const problem = check(itemSchema, item, { key: String(index), within: at }, visit);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Only texts, numbers and the like are compared; of objects it would take all against all. */
function repeatsAnything(value: readonly unknown[], visit: Visit): boolean {
  const seen = new Set<unknown>();
  for (const item of value) {
    spend(visit, 1 + (typeof item === "string" ? item.length / charactersPerStep : 0));
    if (typeof item === "object" && item !== null) visit.passedOver += 1;
    else if (seen.has(item)) return true;
    seen.add(item);
  }
  return false;
}

function checkObject(schema: Schema, value: Schema, at: Place, visit: Visit): Problem | undefined {
  const { required, properties, minProperties, maxProperties } = schema;
  for (const key of Array.isArray(required) ? required : []) {
    spend(visit);
    if (typeof key === "string" && !Object.hasOwn(value, key)) return { at: { key, within: at }, text: "is required" };
  }
  const keys = Object.keys(value);
  spend(visit, keys.length);
  if (typeof minProperties === "number" && keys.length < minProperties) {
    return { at, text: `must have at least ${minProperties} fields` };
  }
  if (typeof maxProperties === "number" && keys.length > maxProperties) {
    return { at, text: `must have at most ${maxProperties} fields` };
  }
  const known = isJsonObject(properties) ? properties : {};
  // Which fields its patterns name is not known here.
  const others = schema["patternProperties"] === undefined ? schema["additionalProperties"] : undefined;
  for (const key of keys) {
    const place = { key, within: at };
    const isKnown = Object.hasOwn(known, key);
    if (!isKnown && others === false) return { at: place, text: "is not a known field" };
    const propertySchema = isKnown ? known[key] : others;
    const problem =
      (propertySchema === undefined ? undefined : check(propertySchema, value[key], place, visit)) ??
      (schema["propertyNames"] === undefined ? undefined : check(schema["propertyNames"], key, place, visit));
    if (problem !== undefined) return problem;
  }
  return checkDependents(schema["dependentRequired"], value, at, visit);
}

function checkDependents(dependents: unknown, value: Schema, at: Place, visit: Visit): Problem | undefined {
  for (const [key, needed] of isJsonObject(dependents) ? Object.entries(dependents) : []) {
    spend(visit);
    if (!Object.hasOwn(value, key)) continue;
    const problem = checkObject({ required: needed }, value, at, visit);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkReference(schema: Schema, value: unknown, at: Place, visit: Visit): Problem | undefined {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return undefined;
  const target = resolve(reference, visit);
  if (target === undefined) visit.passedOver += 1;
  return target === undefined ? undefined : check(target, value, at, visit);
}

/** What a pointer into the document names; other references are not followed. */
function resolve(reference: string, visit: Visit): unknown {
  if (reference === "#") return visit.root;
  if (!reference.startsWith("#/")) return undefined;
  spend(visit, reference.length / charactersPerStep);
  let found: unknown = visit.root;
  for (const token of reference.slice(2).split("/")) {
    spend(visit);
    const key = decodePointer(token);
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

function decodePointer(token: string): string {
  const unescaped = token.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

function checkCombined(schema: Schema, value: unknown, at: Place, visit: Visit): Problem | undefined {
  const all: unknown = schema["allOf"];
  for (const part of Array.isArray(all) ? all : []) {
    const problem = check(part, value, at, visit);
    if (problem !== undefined) return problem;
  }
  return (
    checkOneFits(schema["anyOf"], value, at, visit) ??
    checkOnlyOneFits(schema["oneOf"], value, at, visit) ??
    checkNot(schema["not"], value, at, visit) ??
    checkCondition(schema, value, at, visit)
  );
}

/** Where none does, the first says what it misses: a better hint than that there are several. */
function checkOneFits(parts: unknown, value: unknown, at: Place, visit: Visit): Problem | undefined {
  let first: Problem | undefined;
  for (const part of Array.isArray(parts) ? parts : []) {
    const problem = check(part, value, at, visit);
    if (problem === undefined) return undefined;
    first ??= problem;
  }
  return first;
}

/** Each is looked at once: with two looks, alternatives inside each other would double the work at each level. */
function checkOnlyOneFits(parts: unknown, value: unknown, at: Place, visit: Visit): Problem | undefined {
  let first: Problem | undefined;
  let fitting = 0;
  let fittingForCertain = 0;
  for (const part of Array.isArray(parts) ? parts : []) {
    const before = visit.passedOver;
    const problem = check(part, value, at, visit);
    first ??= problem;
    if (problem !== undefined) continue;
    fitting += 1;
    if (visit.passedOver === before) fittingForCertain += 1;
  }
  if (fittingForCertain > 1) return { at, text: "must fit only one of its schema's alternatives" };
  return fitting === 0 ? first : undefined;
}

function checkNot(schema: unknown, value: unknown, at: Place, visit: Visit): Problem | undefined {
  return schema !== undefined && fits(schema, value, visit) ? { at, text: "must not be what it is" } : undefined;
}

function checkCondition(schema: Schema, value: unknown, at: Place, visit: Visit): Problem | undefined {
  if (schema["if"] === undefined) return undefined;
  const before = visit.passedOver;
  const problem = check(schema["if"], value, at, visit);
  if (problem !== undefined) return schema["else"] === undefined ? undefined : check(schema["else"], value, at, visit);
  if (visit.passedOver !== before || schema["then"] === undefined) return undefined;
  return check(schema["then"], value, at, visit);
}

/** It fits for certain: nothing was passed over. */
function fits(schema: unknown, value: unknown, visit: Visit): boolean {
  const before = visit.passedOver;
  return check(schema, value, undefined, visit) === undefined && visit.passedOver === before;
}

function renderPlace(at: Place, whole: string): string {
  const keys: string[] = [];
  for (let place = at; place !== undefined; place = place.within) keys.unshift(place.key);
  return keys.length === 0 ? whole : `"${cut(keys.join("."), maxQuotedFieldChars)}"`;
}

const renderAllowed = (value: unknown): string => cut(JSON.stringify(value), maxQuotedValueChars);

const cut = (text: string, characters: number): string =>
  text.length > characters ? `${text.slice(0, characters)}…` : text;
