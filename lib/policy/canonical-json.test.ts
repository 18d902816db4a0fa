// The vectors of RFC 8785, and what is no JSON.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonicalJson, hashArguments } from "./canonical-json.ts";

const numberOf = (bits: string) => Buffer.from(bits, "hex").readDoubleBE();

describe("canonical JSON", () => {
  it.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("writes the number %s as %s (RFC 8785, appendix B)", (bits, text) => {
    expect(canonicalJson(numberOf(bits))).toBe(text);
  });

  it("writes numbers, strings and literals as RFC 8785, 3.2.2 does", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(text))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it("sorts names by UTF-16 code units at every level (RFC 8785, 3.2.3)", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"];
    const sorted = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\u{1f600}", "\ufb33"];
    const inner = (order: string[]) => `{${order.map((name) => `${JSON.stringify(name)}:0`).join()}}`;
    expect(canonicalJson(JSON.parse(`[{"b":${inner(names)},"a":1}]`))).toBe(`[{"a":1,"b":${inner(sorted)}}]`);
    expect(canonicalJson(JSON.parse('{"10":1,"9":2,"__proto__":{"b":1,"a":[]},"":{}}'))).toBe(
      '{"":{},"10":1,"9":2,"__proto__":{"a":[],"b":1}}',
    );
  });

  it("reads ten thousand levels and a megabyte", () => {
    const deep = `${'{"a":['.repeat(5_000)}${"]}".repeat(5_000)}`;
    expect(canonicalJson(JSON.parse(deep))).toBe(deep);
    const long = { text: "x".repeat(2 ** 20), list: Array.from({ length: 100_000 }, (_, at) => at) };
    expect(canonicalJson(long)).toBe(JSON.stringify({ list: long.list, text: long.text }));
  });

  it("refuses what is deeper than 65,536 levels, as what contains itself is", () => {
    const nest = (levels: number) => {
      let value: unknown[] = [];
      for (let level = 1; level < levels; level += 1) value = [value];
      return value;
    };
    expect(canonicalJson(nest(65_536))).toHaveLength(2 * 65_536);
    expect(() => canonicalJson(nest(65_537))).toThrow("expected JSON of at most 65536 levels, found more");
    const self: unknown[] = [];
    self.push(self);
    expect(() => canonicalJson(self)).toThrow(TypeError);
  });

  it.each([
    ["undefined", undefined],
    ["a value of type undefined", { a: undefined }],
    ["a value of type bigint", 1n],
    ["NaN", numberOf("7fffffffffffffff")],
    ["Infinity", [numberOf("7ff0000000000000")]],
    ["half a surrogate pair", "\ud800"],
    ["half a surrogate pair", { "\udc00": 1 }],
    ["an object of a class", new Map()],
    ["an object of a class", new Date(0)],
  ])("refuses %s", (words, value) => {
    expect(() => canonicalJson(value)).toThrow(words);
  });
});

describe("the hash of arguments", () => {
  it("is SHA-256 of the canonical text, whatever the order of names", () => {
    const expected = createHash("sha256").update('{"a":"é","b":1}').digest("hex");
    expect(hashArguments({ b: 1, a: "é" })).toBe(expected);
    expect(hashArguments({ a: "é", b: 1 })).toBe(expected);
    expect(hashArguments({ a: "é", b: "1" })).not.toBe(expected);
    expect(hashArguments({ a: "e\u0301", b: 1 })).not.toBe(expected);
  });

  it("takes no arguments for the empty object", () => {
    expect(hashArguments(undefined)).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    expect(hashArguments({})).toBe(hashArguments());
    expect(hashArguments(null)).not.toBe(hashArguments());
  });
});
