import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createJsonMeter, type JsonBounds } from "./json-structure.ts";

const unbounded: JsonBounds = { maxDepth: Infinity, maxStructure: Infinity };
const measure = (text: string, bounds: Partial<JsonBounds>) =>
  createJsonMeter({ ...unbounded, ...bounds })(Buffer.from(text));

/** What a text of this value must measure, counted on the value itself. */
function observeShape(value: unknown): { depth: number; structure: number } {
  if (typeof value !== "object" || value === null) return { depth: 0, structure: 0 };
  const members = Object.values(value).map(observeShape);
  const perMember = Array.isArray(value) ? 1 : 2; // Its separator, and the colon after its key.
  return {
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
    structure: members.reduce((sum, { structure }) => sum + structure + perMember, 2) - Math.min(1, members.length),
  };
}

/** The text's bytes in pieces that end at these places, wherever in a character that is. */
function split(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index]));
}

describe("SEC-6 the structure of a JSON text", () => {
  it.each([
    ["arrays", "[[[]]]", 3],
    ["objects", '{"a":{"b":{}}}', 3],
    ["both, after others that are closed", '[{},{"a":[]},[]]', 3],
  ])("is as deep as what it nests: %s", (_what, text, depth) => {
    expect(measure(text, { maxDepth: depth })).toBeUndefined();
    expect(measure(text, { maxDepth: depth - 1 })).toBe(`is nested more than ${depth - 1} deep`);
  });

  it.each([
    ["[1,2,3]", 4],
    ['{"a":1,"b":[]}', 7],
    ["[[],[],[]]", 10],
    ["{}", 2],
  ])("of %s has its brackets, commas and colons", (text, structure) => {
    expect(measure(text, { maxStructure: structure })).toBeUndefined();
    const problem = measure(text, { maxStructure: structure - 1 });
    expect(problem).toBe(`has more than ${structure - 1} structural characters`);
  });

  it.each(["17", '"[{,:]}"', String.raw`"\"[["`, String.raw`"\\\"[["`, String.raw`"\u0022[["`, '"é[🙂["'])(
    "is not made of what stands in strings: %s",
    (text) => {
      expect(measure(text, { maxStructure: 0, maxDepth: 0 })).toBeUndefined();
    },
  );

  it("counts brackets in strings where those may be JSON themselves", () => {
    const text = String.raw`{"a":"[{","b":["\"["]}`;
    expect(measure(text, { maxQuoted: 3 })).toBeUndefined();
    expect(measure(text, { maxQuoted: 2 })).toBe("has more than 2 brackets inside of strings");
  });

  it.each([
    ["after an escaped backslash", String.raw`"\\"[`],
    ["after a backslash outside of strings", String.raw`\"a"[`],
    ["after a line end in a string", ': "\ndata: ['],
    ["after an escaped line end in a string", ': "\\\r['],
    ["after the string that follows one", ': "\\\n""['],
  ])("goes on %s", (_where, text) => {
    expect(measure(text, { maxDepth: 0 })).toBe("is nested more than 0 deep");
  });

  it("that closes more than it opened is no less deep for it", () => {
    expect(measure("]]]][[", { maxDepth: 1 })).toBeDefined();
  });

  it("once over its bounds stays so", () => {
    const read = createJsonMeter({ ...unbounded, maxDepth: 1 });
    expect(read(Buffer.from("[["))).toBeDefined();
    expect(read(Buffer.from("]]"))).toBeDefined();
  });

  it("is the same for every value, however its text is cut into pieces", () => {
    const cases = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), fc.array(fc.nat()));
    fc.assert(
      fc.property(cases, ([value, indent, places]) => {
        const { depth, structure } = observeShape(value);
        const pieces = split(JSON.stringify(value, undefined, indent), places);
        const read = (bounds: Partial<JsonBounds>) => {
          const meter = createJsonMeter({ ...unbounded, ...bounds });
          return pieces.map((piece) => meter(piece)).at(-1);
        };
        expect(read({ maxDepth: depth, maxStructure: structure })).toBeUndefined();
        expect(read({ maxDepth: depth - 1 }) === undefined).toBe(depth === 0);
        expect(read({ maxStructure: structure - 1 }) === undefined).toBe(structure === 0);
      }),
      { numRuns: 500 },
    );
  });
});
