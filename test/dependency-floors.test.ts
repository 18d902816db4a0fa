import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { dependencyFloors, findBelowFloors, type InstalledPackage } from "./dependency-floors.ts";

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });
const folder = "node_modules/";

/** Every copy of every package, those that others bring along too. */
function readInstalled(): InstalledPackage[] {
  const text = readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8");
  return Object.entries(lockSchema.parse(JSON.parse(text)).packages).flatMap(([path, { version }]) =>
    version === undefined || path === ""
      ? []
      : [{ name: path.slice(path.lastIndexOf(folder) + folder.length), version }],
  );
}

describe("the installed packages", () => {
  it("are none below a version with a published problem", () => {
    const installed = readInstalled();
    expect(installed.length).toBeGreaterThan(200);
    expect(findBelowFloors(installed)).toEqual([]);
  });

  it("have at most one floor each, in order", () => {
    const names = dependencyFloors.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].toSorted());
  });
});

describe("a floor", () => {
  const floors = [{ name: "a", floor: "1.10.0", advisory: "CVE-1: bad" }];
  const problemsOf = (...versions: string[]) =>
    findBelowFloors(
      versions.map((version) => ({ name: "a", version })),
      floors,
    );

  it("is met by its own version and by later ones", () => {
    expect(problemsOf("1.10.0", "1.10.1", "1.11.0", "2.0.0", "1.10.1-rc.1")).toEqual([]);
  });

  it.each(["1.9.9", "1.9.10", "0.99.0", "1.10.0-rc.1"])("is missed by %s, though another copy meets it", (version) => {
    expect(problemsOf("1.10.0", version)).toEqual([`a ${version} is below 1.10.0 (CVE-1: bad): update it`]);
  });

  it("that nothing stands on is reported", () => {
    expect(problemsOf()).toEqual(["a is not installed any more: take its floor out of the list"]);
  });
});
