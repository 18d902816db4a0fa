import { describe, expect, expectTypeOf, test } from "vitest";
import { defined } from "./defined.ts";

describe("optional fields", () => {
  test("without a value have no key, in the order of the others", () => {
    const fields = { b: 1, a: undefined, c: "x" };
    expect(Object.entries(defined(fields))).toEqual([
      ["b", 1],
      ["c", "x"],
    ]);
  });

  test("that are null, false, 0 or empty are kept", () => {
    const fields = { a: null, b: false, c: 0, d: "", e: [] };
    expect(defined(fields)).toStrictEqual(fields);
  });

  test("are optional in the type, never undefined, and the others stay as they are", () => {
    const maybe = (value: number): number | undefined => (value > 1 ? value : undefined);
    const found: { size?: number; name: string } = defined({ size: maybe(1), name: "a" });
    expectTypeOf(defined({ size: maybe(1) })).toEqualTypeOf<{ size?: number }>();
    expect("size" in found).toBe(false);
  });
});
