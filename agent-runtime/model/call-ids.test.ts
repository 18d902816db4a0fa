// Ids of calls that go to another provider than the one that wrote them.
import { describe, expect, test } from "vitest";
import { createCallIds } from "./call-ids.ts";

const none: ReadonlySet<string> = new Set();

describe("AGT-15 ids of calls", () => {
  test("stay as they are where every provider takes them, at the limit and not one past it", () => {
    const render = createCallIds({ nineCharacters: false, own: none });
    expect(render("a".repeat(40))).toBe("a".repeat(40));
    expect(render("a".repeat(41))).toMatch(/^call_[a-zA-Z0-9]{24}$/);
    expect(render("toolu_01-A")).toBe("toolu_01-A");
  });

  test("become one fit id each, the same every time, different for different ones", () => {
    const ids = ["functions.x:0", "functions.x:1", "ü", "a b", "x".repeat(300)];
    const render = createCallIds({ nineCharacters: false, own: none });
    const first = ids.map(render);
    expect(new Set(first).size).toBe(ids.length);
    for (const id of first) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
    expect(ids.map(createCallIds({ nineCharacters: false, own: none }))).toEqual(first);
  });

  test("go back unchanged to the model that wrote them", () => {
    const render = createCallIds({ nineCharacters: false, own: new Set(["functions.x:0"]) });
    expect(render("functions.x:0")).toBe("functions.x:0");
  });

  test("have exactly nine characters for Mistral, whoever wrote them", () => {
    const render = createCallIds({ nineCharacters: true, own: new Set(["call_1"]) });
    expect(render("abcDEF123")).toBe("abcDEF123");
    for (const id of ["call_1", "abcDEF12", "abcDEF1234"]) expect(render(id)).toMatch(/^[a-zA-Z0-9]{9}$/);
  });
});
