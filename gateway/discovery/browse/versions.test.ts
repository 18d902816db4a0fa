import { describe, expect, it } from "vitest";
import { compareVersions, highestVersion } from "./versions.ts";

describe("DSC-7 the order of versions", () => {
  it.each([
    ["1.9.0", "1.10.0"],
    ["1.0.0-rc.1", "1.0.0"],
    ["1.0.0-alpha", "1.0.0-alpha.1"],
    ["1.0.0-alpha.1", "1.0.0-beta"],
    ["1.0.0-2", "1.0.0-11"],
    ["1.0.0-11", "1.0.0-a"],
    ["1.0rc1", "1.0"],
    ["1.0", "1.0.1"],
    ["2025.11.25", "2026.8.31"],
    ["9007199254740992.0.0", "9007199254740993.0.0"],
    ["", "0.0.1"],
  ])("%s is below %s", (lower, higher) => {
    expect([compareVersions(lower, higher) < 0, compareVersions(higher, lower) > 0]).toEqual([true, true]);
  });

  it.each([
    ["1.0.0", "1.0.0+build.5"],
    ["v1.2", "1.2.0"],
  ])("%s and %s are one", (one, other) => expect(compareVersions(one, other)).toBe(0));

  it("prefers releases to what comes before them", () => {
    expect(highestVersion(["1.0.0", "2.0.0-rc.1", "1.2.0"])).toBe("1.2.0");
    expect(highestVersion(["1.0rc1", "1.0rc2"])).toBe("1.0rc2");
    expect(highestVersion([])).toBeUndefined();
  });
});
