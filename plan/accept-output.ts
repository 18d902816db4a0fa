// What is wrong with the schema of an agent's answer: the API server takes any object there, since a schema of schemas
// cannot be told it. Size and depth come first, so that looking at the rest has an end.
import type { PallasAgent } from "../crds/agent.ts";
import { outputRoot, type OutputNode, type OutputRoot } from "../crds/output-schema.ts";
import type { ValidationError } from "./validation-error.ts";
import { parseBySchema } from "./parse.ts";

export const maxOutputBytes = 16_384;
/** Levels of JSON; an object in an object is two. */
export const maxOutputDepth = 24;

/** Schemas in the schema, those behind references each time they are referred to. */
export const maxOutputPlaces = 10_000;

const prefix = "#/$defs/";
const at = "spec.output.schema";
const problem = (path: string, message: string): ValidationError => ({ reason: "InvalidField", path, message });

export function outputProblems({ spec }: PallasAgent): ValidationError[] {
  const schema = spec.output?.schema;
  if (schema === undefined) return [];
  const depth = measureDepth(schema);
  if (depth > maxOutputDepth) {
    return [problem(at, `expected at most ${maxOutputDepth} levels of nesting, found ${depth}; make it flatter`)];
  }
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > maxOutputBytes) {
    return [problem(at, `expected at most ${maxOutputBytes} bytes as JSON, found ${bytes}; describe less of it`)];
  }
  const parsed = parseBySchema(outputRoot, schema);
  if (!parsed.ok) return parsed.problems.map((each) => ({ ...each, path: [at, each.path].filter(Boolean).join(".") }));
  return referenceProblems(parsed.value);
}

/** Level by level, and no further than past the limit. */
function measureDepth(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  while (depth <= maxOutputDepth) {
    level = level.filter((each) => typeof each === "object" && each !== null);
    if (level.length === 0) return depth;
    depth += 1;
    level = level.flatMap((each) => Object.values(each ?? {}));
  }
  return depth;
}

/** References, followed: none may be missing or lead back to itself, and written out they make a schema of bounded size. */
function referenceProblems(root: OutputRoot): ValidationError[] {
  const defs = new Map(Object.entries(root.$defs ?? {}).map(([name, node]) => [name, look(node)]));
  const whole = look(root);
  const named = new Set([whole, ...defs.values()].flatMap(({ references }) => references));
  const missing = [...named].filter((name) => !defs.has(name));
  if (missing.length > 0) {
    return missing.map((name) => problem(at, `refers to #/$defs/${name}, which does not exist; add it or correct it`));
  }
  // An answer would be checked again and again, by each way through it: two ways a level are a million at twenty.
  const cycle = findCycle(defs);
  if (cycle !== undefined) {
    return [problem(at, `the cycle ${cycle.join(" → ")} in $defs has no end; write out how deep it may go`)];
  }
  const places = measurePlaces(whole, defs);
  if (places <= maxOutputPlaces) return [];
  return [
    problem(at, `expected at most ${maxOutputPlaces} places with all references written out; use fewer references`),
  ];
}

/** A schema by itself. */
interface Look {
  places: number;
  /** Names of $defs, as often as they stand there. */
  references: string[];
}

function look(node: OutputNode): Look {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [], allOf = [], $ref } = node;
  const inner = [...Object.values(properties), ...anyOf, ...oneOf, ...allOf];
  if (items !== undefined) inner.push(items);
  if (typeof additionalProperties === "object") inner.push(additionalProperties);
  const looks = inner.map(look);
  return {
    places: looks.reduce((sum, { places }) => sum + places, 1),
    references: [
      ...($ref === undefined ? [] : [$ref.slice(prefix.length)]),
      ...looks.flatMap((each) => each.references),
    ],
  };
}

/** Each name once, since what it leads to is known then. */
function findCycle(defs: ReadonlyMap<string, Look>): string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const next of new Set(defs.get(name)?.references)) {
      const cycle = visit(next, [...trail, name]);
      if (cycle !== undefined) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of defs.keys()) {
    const cycle = visit(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** With every reference written out; there is no cycle. */
function measurePlaces(whole: Look, defs: ReadonlyMap<string, Look>): number {
  const known = new Map<string, number>();
  const measure = ({ places, references }: Look): number =>
    references.reduce((sum, name) => sum + measureNamed(name), places);
  const measureNamed = (name: string): number => {
    const def = defs.get(name);
    const places = known.get(name) ?? (def === undefined ? 0 : measure(def));
    known.set(name, places);
    return places;
  };
  return measure(whole);
}
