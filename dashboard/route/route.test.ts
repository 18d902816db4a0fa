import { describe, expect, it } from "vitest";
import { link, parseRoute } from "./route.ts";

describe("a route", () => {
  it("is read from the address as it was written into a link", () => {
    const href = link(["agents", "a/b c", "runs"], { q: "x&y=1", state: undefined, sort: "" });
    expect(href).toBe("#/agents/a%2Fb%20c/runs?q=x%26y%3D1");
    expect(parseRoute(href)).toEqual({ path: ["agents", "a/b c", "runs"], query: new Map([["q", "x&y=1"]]) });
  });

  it("of anything else is the first view's, whatever it is", () => {
    for (const hash of ["", "#", "#/", "#//"]) expect(parseRoute(hash).path).toEqual([]);
    expect(parseRoute("#/agents/%E0%A4%A").path).toEqual(["agents", "%E0%A4%A"]);
  });

  it("is read up to 2,000 characters", () => {
    expect(parseRoute(`#/${"a".repeat(5_000)}`).path[0]).toHaveLength(1_998);
  });
});
