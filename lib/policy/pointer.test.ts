import { describe, expect, it } from "vitest";
import { findAt, parsePointer } from "./pointer.ts";

const find = (value: unknown, pointer: string) => {
  const segments = parsePointer(pointer);
  if (typeof segments === "string") throw new Error(segments);
  return findAt(value, segments);
};

describe("a JSON pointer", () => {
  // RFC 6901, section 5.
  const example: unknown = JSON.parse(
    String.raw`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`,
  );

  it.each([
    ["", example],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
  ])("%j is found (RFC 6901, 5)", (pointer, value) => {
    expect(find(example, pointer)).toEqual(value);
  });

  it.each([
    "/foo/2",
    "/foo/-",
    "/foo/00",
    "/foo/length",
    "/foo/+1",
    "/foo/0/length",
    "/foo/0/0",
    "/none/0",
    "/toString",
  ])("%j finds nothing", (pointer) => {
    expect(find(example, pointer)).toBeUndefined();
  });

  it("reads ~01 as ~1, not as a slash", () => {
    expect(find({ "~1": 1, "/": 2 }, "/~01")).toBe(1);
  });

  it("finds members of any name where they are the value's own, and inherits none", () => {
    expect(find(JSON.parse('{"__proto__":{"x":1}}'), "/__proto__/x")).toBe(1);
    expect(find({}, "/__proto__")).toBeUndefined();
    expect(find({}, "/constructor/name")).toBeUndefined();
    expect(find(null, "/a")).toBeUndefined();
  });

  it("is refused where it is none", () => {
    expect(parsePointer("a/b")).toBe('a JSON pointer: "" or parts that begin with "/"');
    expect(parsePointer("/a~2")).toContain('"~" is written "~0"');
    expect(parsePointer("/a~")).toContain('"~" is written "~0"');
  });

  it("has at most 512 characters and 32 parts", () => {
    expect(parsePointer("/".repeat(32))).toHaveLength(32);
    expect(parsePointer("/".repeat(33))).toBe("a JSON pointer of at most 32 parts");
    expect(parsePointer(`/${"a".repeat(511)}`)).toEqual(["a".repeat(511)]);
    expect(parsePointer(`/${"a".repeat(512)}`)).toBe("a JSON pointer of at most 512 characters");
  });
});
