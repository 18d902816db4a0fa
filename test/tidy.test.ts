import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  findClockReads,
  findForbiddenNames,
  findMissingHeaders,
  findStrayManifests,
  percentile,
} from "./tidy/file-rules.ts";
import { findForbiddenImports } from "./tidy/import-rules.ts";
import { listPaths, readSourceFiles } from "./tidy/source-tree.ts";

const root = join(import.meta.dirname, "..");
const paths = listPaths(root);
const files = readSourceFiles(root);
const sources = files.filter((file) => !file.isTest);

// Floors keep the rules from passing because nothing was read.
const floors = { files: 300, edges: 900 };

describe("the house", () => {
  it("is read at all: files and imports above the floors", () => {
    const edges = files.flatMap((file) => file.imports.filter((each) => each.file !== undefined));
    expect(files.length).toBeGreaterThanOrEqual(floors.files);
    expect(edges.length).toBeGreaterThanOrEqual(floors.edges);
  });

  it("lets each folder import only what its rule allows", () => {
    expect(findForbiddenImports(files)).toEqual([]);
  });

  it("has in crds/ no .json or .yaml but CRDs", () => {
    expect(findStrayManifests(paths, (path) => readFileSync(join(root, path), "utf8"))).toEqual([]);
  });
});

describe("a file", () => {
  it("is named after what it exports", () => {
    expect(findForbiddenNames(paths)).toEqual([]);
  });

  it("opens with a comment on what it owns", () => {
    expect(findMissingHeaders(files)).toEqual([]);
  });

  it("of a program asks lib/process/clock.ts for the time", () => {
    expect(findClockReads(files)).toEqual([]);
  });

  it("is small: median ≤ 110 and 90th percentile ≤ 300 lines", () => {
    const sizes = sources.map((file) => file.lines);
    expect(percentile(sizes, 0.5)).toBeLessThanOrEqual(110);
    expect(percentile(sizes, 0.9)).toBeLessThanOrEqual(300);
  });
});
