import { describe, expect, it } from "vitest";
import {
  findForbiddenNames,
  findForbiddenWords,
  findMissingHeaders,
  findStrayManifests,
  percentile,
} from "./tidy/file-rules.ts";
import { findCycles, findDanglingImports, findForbiddenImports } from "./tidy/import-rules.ts";
import { blankTexts, findImports } from "./tidy/scan-source.ts";
import { parseSourceFile } from "./tidy/source-tree.ts";

const file = (path: string, text: string) => parseSourceFile(path, text);
const importing = (path: string, specifier: string) => file(path, `import { x } from "${specifier}";\n`);

describe("the scanner", () => {
  it("finds imports of every kind", () => {
    const source = [
      'import a from "./a.ts";',
      'import type { B } from "./b.ts";',
      "import {",
      "  c,",
      '} from "./c.ts";',
      'import "./d.ts";',
      'export { e } from "./e.ts";',
      'export * from "./f.ts";',
      'const g = await import("./g.ts");',
      "import * as h from './h.ts';",
    ].join("\n");
    const found = findImports(source);
    expect(found.map(({ specifier }) => specifier).toSorted()).toEqual(
      "abcdefgh".split("").map((name) => `./${name}.ts`),
    );
    expect(found.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier)).toEqual(["./b.ts"]);
  });

  it.each([
    ["line comment", '// import x from "./x.ts";'],
    ["block comment", '/*\nimport x from "./x.ts";\n*/'],
    ["template", '`\nimport x from "./x.ts";\n${`import("./x.ts")`}`'],
    ["text", "const s = 'import(\"./x.ts\")';"],
  ])("finds no import in a %s", (_name, source) => {
    expect(findImports(source)).toEqual([]);
  });

  it.each([
    ["a regular expression with a quote", "const r = /[\"'`/]/g;"],
    ["a division", "const q = (a + b) / c / 2;"],
    ["nested templates with braces", "const t = `a${{ b: `c${d}` }.b}e`;"],
    ["an escaped quote", 'const s = "a\\"b";'],
    ["a URL in a text", 'const u = "http://x";'],
  ])("stays in step after %s", (_name, line) => {
    const source = `${line}\nimport x from "./x.ts";`;
    expect(findImports(source).map(({ specifier }) => specifier)).toEqual(["./x.ts"]);
    expect(blankTexts(source)).toHaveLength(source.length);
  });
});

describe("import rules", () => {
  it.each([
    ["crds/a.ts", "../plan/b.ts"],
    ["crds/a.ts", "node:fs"],
    ["plan/a.ts", "../lib/process/log.ts"],
    ["plan/a.ts", "node:fs"],
    ["lib/mcp/a.ts", "../kube/b.ts"],
    ["lib/process/a.ts", "../../crds/b.ts"],
    ["agent-runtime/a.ts", "../plan/b.ts"],
    ["agent-runtime/a.ts", "../operator/b.ts"],
    ["operator/a.ts", "../registry/b.ts"],
    ["operator/render/a.ts", "../../lib/kube/b.ts"],
    ["operator/render/a.ts", "../main.ts"],
    ["registry/a.ts", "../agent-runtime/b.ts"],
    ["cli/a.ts", "../operator/main.ts"],
    ["lib/kube/a.test.ts", "../../test/b.ts"],
    ["elsewhere/a.ts", "./b.ts"],
  ])("refuse %s → %s", (path, specifier) => {
    expect(findForbiddenImports([importing(path, specifier)])).toHaveLength(1);
  });

  it.each([
    ["crds/a.ts", "zod"],
    ["crds/a.test.ts", "vitest"],
    ["crds/to-crd.ts", "node:fs"],
    ["plan/a.ts", "../crds/b.ts"],
    ["lib/mcp/a.ts", "../process/log.ts"],
    ["operator/render/a.ts", "../../plan/b.ts"],
    ["cli/a.ts", "../lib/mcp/connect.ts"],
    ["test/a.ts", "../operator/b.ts"],
  ])("allow %s → %s", (path, specifier) => {
    expect(findForbiddenImports([importing(path, specifier)])).toEqual([]);
  });

  it("report a cycle through three files once, and an import without an ending", () => {
    const ring = [importing("lib/a.ts", "./b.ts"), importing("lib/b.ts", "./c.ts"), importing("lib/c.ts", "./a.ts")];
    expect(findCycles(ring)).toEqual(["lib/a.ts → lib/b.ts → lib/c.ts → lib/a.ts"]);
    expect(findCycles([importing("lib/a.ts", "./b.ts"), importing("lib/b.ts", "./c.ts")])).toEqual([]);
    expect(findDanglingImports([importing("lib/a.ts", "./b")], new Set(["lib/b.ts"]))).toHaveLength(1);
  });
});

describe("file rules", () => {
  it.each([
    ["lib/a.ts", "const x = y as any;"],
    ["lib/a.ts", "function f(x: any) {}"],
    ["lib/a.ts", "export default 1;"],
    ["lib/a.ts", 'console.log("x");'],
    ["lib/a.ts", "const now = Date.now();"],
    ["lib/a.ts", "const now = performance.now();"],
    ["lib/a.ts", "const now = new Date();"],
    ["lib/a.ts", ["// TO", "DO later"].join("")],
    ["lib/a.ts", ["// FIX", "ME later"].join("")],
    ["lib/a.ts", ["// @ts-", "ignore"].join("")],
    ["lib/a.test.ts", "it.only();"],
  ])("find the forbidden word in %s: %s", (path, text) => {
    expect(findForbiddenWords([file(path, text)])).toHaveLength(1);
  });

  it.each([
    ["lib/a.ts", 'const s = "x as any"; // : any'],
    ["cli/a.ts", 'console.log("x");'],
    ["lib/a.test.ts", "const now = Date.now();"],
    ["lib/a.ts", "const time = new Date(now).toISOString();"],
    ["lib/process/clock.ts", "const now = Date.now();"],
    ["lib/kube/testing/a.ts", "const now = Date.now();"],
    ["lib/a.ts", "const anyone: anything = 1;"],
  ])("leave %s: %s", (path, text) => {
    expect(findForbiddenWords([file(path, text)])).toEqual([]);
  });

  it("ask for a header comment, after a #! line too", () => {
    expect(findMissingHeaders([file("lib/a.ts", "export const a = 1;\n")])).toHaveLength(1);
    expect(findMissingHeaders([file("lib/a.ts", "// x\nexport const a = 1;\n")])).toHaveLength(1);
    expect(findMissingHeaders([file("lib/a.ts", "/**\n * Owns the a of b.\n */\n")])).toEqual([]);
    expect(findMissingHeaders([file("lib/a.ts", "#!/usr/bin/env node\n// Owns the a of b.\n")])).toEqual([]);
  });

  it("refuse file names that say nothing", () => {
    expect(findForbiddenNames(["lib/utils.ts", "lib/x/index.ts", "lib/helper.ts"])).toHaveLength(3);
    expect(findForbiddenNames(["lib/session-index.ts", "lib/common-name.ts"])).toEqual([]);
  });

  it("refuse manifests in crds/ that are no CRD", () => {
    const read = (path: string) => (path.includes("good") ? "kind: CustomResourceDefinition\n" : "kind: Secret\n");
    expect(
      findStrayManifests(["crds/good.yaml", "crds/bad.yaml", "crds/bad.json", "crds/golden/bad.yaml"], read),
    ).toHaveLength(2);
  });

  it("count percentiles by nearest rank", () => {
    expect(percentile([5, 1, 3, 2, 4], 0.5)).toBe(3);
    expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9);
    expect(percentile([], 0.5)).toBe(0);
  });
});
