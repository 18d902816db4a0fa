import { describe, expect, it } from "vitest";
import { fill, plural } from "./fill.ts";

describe("texts of the page", () => {
  it("have their named places filled, numbers grouped", () => {
    expect(fill("None of {count} agents matches '{filter}'.", { count: 1_000, filter: "foo" })).toBe(
      "None of 1,000 agents matches 'foo'.",
    );
  });

  it("keep braces that are part of a value", () => {
    expect(fill("{a} and {b}", { a: "{b}", b: "x" })).toBe("{b} and x");
  });

  it("choose the plural's form by the number, and fill it", () => {
    const waits = { one: "{n} call waits for {who}", other: "{n} calls wait for {who}" } as const;
    expect(plural(waits, 1, { who: "you" })).toBe("1 call waits for you");
    expect(plural(waits, 0, { who: "you" })).toBe("0 calls wait for you");
    expect(plural(waits, 1_200, { who: "you" })).toBe("1,200 calls wait for you");
    expect(plural({ one: "{n} tool", other: "{n} tools" } as const, 2)).toBe("2 tools");
  });
});
