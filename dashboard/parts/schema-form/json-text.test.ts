import { describe, expect, it } from "vitest";
import { hasDraft, isExact, isSameJson, maxJsonDepth, parseDraft, parseJson, renderJson, toJson } from "./json-text.ts";

const reread = (text: string, indent = 0): string => {
  const read = parseJson(text);
  return read.fault === undefined ? renderJson(read.value, indent) : `fault: ${read.fault.message}`;
};
const faultOf = (text: string) => {
  const { fault } = parseJson(text);
  return fault && `${fault.line}:${fault.column} ${fault.message}`;
};

describe("JSON as it was written", () => {
  it("keeps all digits of numbers, and the order of fields that look like numbers", () => {
    const text = '{"b":12345678901234567890.1234567890,"2":1e999,"1":-0.10,"__proto__":1}';
    expect(reread(text)).toBe(text);
  });

  it("reads every escape of a text", () => {
    const text = String.raw`"\"\\\/\b\f\n\r\té😀"`;
    const { value } = { value: undefined, ...parseJson(text) };
    expect(value).toEqual({ kind: "string", text: JSON.parse(text) });
    expect(reread(text)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it("is written over lines where wanted, empty ones on one line", () => {
    expect(reread('{"a":[1,{"b":[]}],"c":{}}', 2)).toBe(JSON.stringify({ a: [1, { b: [] }], c: {} }, undefined, 2));
  });

  it.each([
    ["", "1:1 a value is missing at the end"],
    ['{\n  "a": 18,40\n}', '2:11 a name in quotes ("…") is expected'],
    ['{"a" 1}', "1:6 a colon is expected after the name"],
    ["[1 2]", "1:4 a comma or ] is expected"],
    ['{"a":1', "1:7 a comma or } is expected"],
    ['{"a":1,"a":2}', '1:8 "a" stands here twice'],
    ["[1,]", "1:4 a value is expected"],
    ['"a\nb"', "1:1 this text has no end quote on its line"],
    ['"a\tb"', "1:3 a control character must be written as \\u…"],
    ['"\\x"', "1:2 there is no such escape"],
    ['"\\u12g4"', "1:2 there is no such escape"],
    ["01", "1:1 01 is no value of JSON; texts stand in quotes"],
    ["yes", "1:1 yes is no value of JSON; texts stand in quotes"],
    ["1 1", "1:3 something follows after the end"],
  ])("says where %j is wrong", (text, said) => {
    expect(faultOf(text)).toBe(said);
  });

  it("reads as many levels as the gateway takes, and not one more", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(faultOf(nested(maxJsonDepth))).toBeUndefined();
    expect(faultOf(nested(maxJsonDepth + 1))).toBe("1:65 more than 64 levels");
  });

  it("reads 10 MB in linear time", () => {
    const text = `[${Array.from({ length: 400_000 }, (_, index) => `{"key":"${index}","n":${index}}`).join(",")}]`;
    expect(text.length).toBeGreaterThan(10_000_000);
    const startedMs = performance.now();
    expect(reread(text)).toBe(text);
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });

  it("is a draft where it does not parse, which is found and written as it is", () => {
    const draft = parseDraft("[1,");
    expect(draft).toEqual({ kind: "draft", text: "[1," });
    expect(hasDraft(toJson({ a: [1] }))).toBe(false);
    const inside = { kind: "array", items: [draft] } as const;
    expect(hasDraft(inside)).toBe(true);
    expect(renderJson(inside)).toBe("[[1,]");
  });
});

describe("equality of JSON", () => {
  const same = (one: string, other: string) => isSameJson(parseDraft(one), parseDraft(other));

  it("looks neither at the order of fields nor at how a number is spelled", () => {
    expect(same('{"a":1,"b":[2.0]}', '{"b":[2],"a":1e0}')).toBe(true);
    expect(same("{}", "[]")).toBe(false);
    expect(same("[1,2]", "[2,1]")).toBe(false);
    expect(same('{"a":1}', '{"b":1}')).toBe(false);
  });

  it("tells numbers apart that are one as floats", () => {
    expect(same("9007199254740993", "9007199254740992")).toBe(false);
  });

  it("knows which numbers a float keeps", () => {
    expect(["0", "-0.10", "1e3", "9007199254740992", "0.1"].map(isExact)).toEqual([true, true, true, true, true]);
    expect(["9007199254740993", "1e999", "0.12345678901234567890"].map(isExact)).toEqual([false, false, false]);
  });
});
