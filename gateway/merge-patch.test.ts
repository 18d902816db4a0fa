import { describe, expect, test } from "vitest";
import { applyMergePatch } from "./merge-patch.ts";

/** The cases that RFC 7396 itself gives. */
describe("MGM-3 a merge patch", () => {
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("%j changed by %j is %j", (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });

  test("changes neither of the two, and no prototype", () => {
    const target = { a: { b: 1 } };
    const patch: unknown = JSON.parse('{"a":{"c":2},"__proto__":{"polluted":true}}');
    const merged = applyMergePatch(target, patch);
    expect(target).toEqual({ a: { b: 1 } });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});
