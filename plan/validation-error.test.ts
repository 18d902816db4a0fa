import { describe, expect, it } from "vitest";
import { formatPath, listNames } from "./validation-error.ts";

describe("formatting for people", () => {
  it("paths are written as the API server writes them", () => {
    expect(formatPath(["spec", "servers", 0, "headers", 12, "name"])).toBe("spec.servers[0].headers[12].name");
    expect(formatPath([])).toBe("");
  });

  it("ten names are listed, of eleven one is counted", () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
    expect(listNames([])).toBe("none");
    expect(listNames(names(10))).not.toContain("more");
    expect(listNames(names(11))).toMatch(/^"n0", .*"n9" and 1 more$/);
  });
});
