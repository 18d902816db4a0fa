// Tests of a call's arguments: how they are read from a policy, and whether they hold. Strings and numbers are told apart,
// and what is not there passes no test but `absent`.
import { matchesGlob, parseGlob } from "./glob.ts";
import { findAt, parsePointer } from "./pointer.ts";
import {
  describe,
  readBoolean,
  readFields,
  readList,
  readNumber,
  readText,
  report,
  within,
  type Place,
} from "./problems.ts";
import { maxima, type Scalar } from "./rules.ts";

const operators = ["equals", "in", "prefix", "glob", "lessThan", "greaterThan", "absent"] as const;

export interface CompiledTest {
  readonly segments: readonly string[];
  readonly operator: (typeof operators)[number] | undefined;
  /** Of what is found there; undefined where nothing is. */
  readonly holds: (found: unknown) => boolean;
}

export function compileTests(place: Place, value: unknown): readonly CompiledTest[] {
  return readList(place, value, maxima.argumentTests).map((test, at) => compileTest(within(place, at), test));
}

export function holdsOf(test: CompiledTest, args: unknown): boolean {
  return test.holds(findAt(args, test.segments));
}

/** The segments of a pointer that a policy names. */
export function readPointer(place: Place, value: unknown): readonly string[] {
  const segments = typeof value === "string" ? parsePointer(value) : "a JSON pointer";
  if (typeof segments !== "string") return segments;
  report(place, segments, describe(value));
  return [];
}

function compileTest(place: Place, value: unknown): CompiledTest {
  const fields = readFields(place, value, ["path", ...operators]);
  const segments = readPointer(within(place, "path"), fields.get("path"));
  const given = operators.filter((operator) => fields.has(operator));
  const [operator] = given;
  if (operator === undefined || given.length > 1) {
    report(place, `exactly one of ${operators.join(", ")}`, given.join(" and ") || "none");
    return { segments, operator, holds: () => false };
  }
  return { segments, operator, holds: compileOperator(within(place, operator), operator, fields.get(operator)) };
}

function compileOperator(place: Place, operator: (typeof operators)[number], value: unknown): CompiledTest["holds"] {
  switch (operator) {
    case "equals": {
      const wanted = readScalar(place, value);
      return (found) => found === wanted;
    }
    case "in": {
      const items = readList(place, value, maxima.listItems);
      const wanted = new Set<unknown>(items.map((item, at) => readScalar(within(place, at), item)));
      return (found) => wanted.has(found);
    }
    case "prefix": {
      const prefix = readText(place, value);
      return (found) => typeof found === "string" && found.startsWith(prefix);
    }
    case "glob": {
      const glob = parseGlob(readText(place, value));
      return (found) => typeof found === "string" && matchesGlob(found, glob);
    }
    case "lessThan": {
      const bound = readNumber(place, value);
      return (found) => typeof found === "number" && found < bound;
    }
    case "greaterThan": {
      const bound = readNumber(place, value);
      return (found) => typeof found === "number" && found > bound;
    }
    case "absent": {
      const isAbsent = readBoolean(place, value);
      return (found) => (found === undefined) === isAbsent;
    }
  }
}

function readScalar(place: Place, value: unknown): Scalar {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "string" && value.length <= maxima.textChars) return value;
  report(place, `a text of at most ${maxima.textChars} characters, a number, true, false or null`, describe(value));
  return null;
}
