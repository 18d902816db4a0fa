// The part of a check that is about what contains values: items of lists, fields of objects, and which of them must be there. Pure.
import { fill, tellNumber } from "../../words/fill.ts";
import { schemaFormWords } from "../../words/schema-form.ts";
import { jsonString, renderJson, type Json, type JsonFields } from "./json-text.ts";
import { isSchema, listOf, numberOf, type Schema } from "./resolve-schema.ts";

const words = schemaFormWords.problems;

type Path = readonly (string | number)[];

/** Of whoever checks: what it costs, what it finds, and how it goes on inside. */
interface Checking {
  spend(steps?: number): void;
  add(path: Path, message: string, isMissing?: boolean): void;
  check(schema: unknown, value: Json, path: Path): void;
}

export function checkArray(schema: Schema, items: readonly Json[], path: Path, visit: Checking): void {
  const min = numberOf(schema["minItems"]);
  const max = numberOf(schema["maxItems"]);
  const n = items.length;
  if (min !== undefined && n < min) visit.add(path, fill(words.tooFew, { n, min: tellNumber(min) }));
  if (max !== undefined && n > max) visit.add(path, fill(words.tooMany, { n, max: tellNumber(max) }));
  if (schema["uniqueItems"] === true) checkUnique(items, path, visit);
  const { items: each, prefixItems } = schema;
  // Until draft 2019-09 a list in `items` was what is `prefixItems` now, and `additionalItems` stood for the others.
  const first: readonly unknown[] = Array.isArray(each) ? each : listOf(prefixItems);
  const others = Array.isArray(each) ? schema["additionalItems"] : each;
  items.forEach((item, index) => visit.check(index < first.length ? first[index] : others, item, [...path, index]));
}

/** By their text: linear, and an object whose fields stand in another order counts as another. */
function checkUnique(items: readonly Json[], path: Path, visit: Checking): void {
  const seen = new Set<string>();
  items.forEach((item, index) => {
    const text = renderJson(item);
    visit.spend(1 + text.length / 64);
    if (seen.has(text)) visit.add([...path, index], fill(words.twice, { n: index + 1 }));
    seen.add(text);
  });
}

export function checkObject(schema: Schema, fields: JsonFields, path: Path, visit: Checking): void {
  const min = numberOf(schema["minProperties"]);
  const max = numberOf(schema["maxProperties"]);
  const n = fields.size;
  if (min !== undefined && n < min) visit.add(path, fill(words.tooFewFields, { n, min: tellNumber(min) }));
  if (max !== undefined && n > max) visit.add(path, fill(words.tooManyFields, { n, max: tellNumber(max) }));
  checkKnown(schema, fields, path, visit);
  checkOthers(schema, fields, path, visit);
  checkDependents(schema["dependentRequired"], fields, path, visit);
}

/** In the order of the schema, which is that of a form: the first problem is the topmost field's. */
function checkKnown(schema: Schema, fields: JsonFields, path: Path, visit: Checking): void {
  const { properties } = schema;
  const needed = new Set(listOf(schema["required"]));
  visit.spend(needed.size);
  const known = isSchema(properties) ? Object.keys(properties) : [];
  for (const name of new Set([...known, ...needed])) {
    visit.spend();
    if (typeof name !== "string") continue;
    const value = fields.get(name);
    if (value === undefined) {
      if (needed.has(name)) visit.add([...path, name], words.missing, true);
    } else if (isSchema(properties) && Object.hasOwn(properties, name)) {
      visit.check(properties[name], value, [...path, name]);
    }
  }
}

function checkOthers(schema: Schema, fields: JsonFields, path: Path, visit: Checking): void {
  const { properties, propertyNames, patternProperties, additionalProperties } = schema;
  for (const [name, value] of fields) {
    visit.spend();
    if (propertyNames !== undefined) visit.check(propertyNames, jsonString(name), [...path, name]);
    if (isSchema(properties) && Object.hasOwn(properties, name)) continue;
    // Which fields its patterns name is not known here.
    if (patternProperties !== undefined) continue;
    if (additionalProperties === false) visit.add([...path, name], words.unknown);
    else visit.check(additionalProperties, value, [...path, name]);
  }
}

function checkDependents(dependents: unknown, fields: JsonFields, path: Path, visit: Checking): void {
  for (const [field, needed] of isSchema(dependents) ? Object.entries(dependents) : []) {
    visit.spend();
    if (!fields.has(field)) continue;
    for (const name of listOf(needed)) {
      if (typeof name === "string" && !fields.has(name)) visit.add([...path, name], fill(words.needs, { field }), true);
    }
  }
}
