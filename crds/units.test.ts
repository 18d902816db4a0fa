import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareQuantities, duration, parseDurationMs, parseQuantity, positiveQuantity, quantity } from "./units.ts";

describe("parseDurationMs", () => {
  it.each([
    ["1ms", 1],
    ["30s", 30_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1_500],
    ["0.001ms", 0.001],
    ["1.001s", 1_001],
    ["8.2h", 29_520_000],
    ["0s", 0],
    ["720h", 2_592_000_000],
    ["1s1s", 2_000],
    ["007s", 7_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  it.each(["", "10", "s", "1 s", "-1s", "1d", "1.s", ".5s", "1s ", "1us", "1s\n", "0.0001s"])("%j is none", (text) => {
    expect(() => parseDurationMs(text)).toThrow("expected a duration such as 30s, 10m or 1h30m, found");
  });

  it("adds its parts exactly, whatever fractions they have", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9_999_999 }), { minLength: 1, maxLength: 3 }), (thousandths) => {
        const text = thousandths.map((n) => `${(n / 1000).toFixed(3)}ms`).join("");
        expect(parseDurationMs(text)).toBe(thousandths.reduce((a, b) => a + b, 0) / 1000);
      }),
    );
  });
});

describe("CFG-5 duration", () => {
  const schema = duration("1h", "A time.");
  it("is accepted at its maximum in any words, refused one step past it and at zero", () => {
    const accepted = ["1h", "60m", "3600s", "59m60s", "0.001ms", "0.999h3.6s"];
    const refused = ["1h0.001ms", "3601s", "0s", "0h0m", "99999999999999999999h", "later"];
    expect(accepted.filter((text) => !schema.safeParse(text).success)).toEqual([]);
    expect(refused.filter((text) => schema.safeParse(text).success)).toEqual([]);
  });

  it("says one thing about a text that is no duration", () => {
    expect(schema.safeParse("later").error?.issues.map(({ message }) => message)).toEqual([
      "must be a duration such as 30s, 10m or 1h30m",
    ]);
  });
});

describe("parseQuantity", () => {
  it.each([
    ["500m", 1],
    ["1500m", 2],
    ["1", 1],
    [7, 7],
    ["1k", 1_000],
    ["1Ki", 1_024],
    ["1.5Gi", 1_610_612_736],
    ["33M", 33_000_000],
    ["0", 0],
    ["1Ei", 2 ** 60],
  ])("%s is %d", (text, number) => {
    expect(parseQuantity(text)).toBe(number);
  });

  it.each(["", "Gi", "1gi", "1 Gi", "-1", "1e3", "1KiB"])("%j is none", (text) => {
    expect(() => parseQuantity(text)).toThrow("expected a quantity such as 512Mi or 1Gi, found");
  });

  it.each(["1.2.3", "1..5", "."])("%j is none, although it is made of digits and dots", (text) => {
    expect(() => parseQuantity(text)).toThrow("expected a quantity");
  });
});

describe("CFG-5 quantity", () => {
  it("has the same bounds as a text and as a number", () => {
    const schema = quantity("A size.");
    const accepted = [0, "0", 999_999_999_999_999, "999999999999999", "1.5Gi"];
    const refused = [-1, "-1", 10 ** 15, `${10 ** 15}`, 0.5, true, null, "1e3", ""];
    expect(accepted.filter((value) => !schema.safeParse(value).success)).toEqual([]);
    expect(refused.filter((value) => schema.safeParse(value).success)).toEqual([]);
  });

  it("a positive one is refused at zero, and a misshapen one is an issue, not an exception", () => {
    const schema = positiveQuantity("A size.");
    const refused = [0, "0", "0.0Gi", "", "big", null];
    expect(refused.filter((value) => schema.safeParse(value).success)).toEqual([]);
    expect(schema.safeParse("0.000000001m").success).toBe(true);
  });
});

describe("compareQuantities", () => {
  it.each([
    ["50m", "0.05", 0],
    ["50m", "51m", -1],
    ["1", "999m", 1],
    ["0.000000001m", 0, 1],
    ["1Gi", "1G", 1],
    ["1.5Gi", "1536Mi", 0],
    ["999999999999999Ei", "999999999999998Ei", 1],
    [1024, "1Ki", 0],
  ])("%s and %s: %i", (a, b, order) => {
    expect(compareQuantities(a, b)).toBe(order);
    expect(compareQuantities(b, a) + order).toBe(0);
  });
});
