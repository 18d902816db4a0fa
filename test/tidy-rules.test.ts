import { describe, expect, it } from "vitest";
import {
  findClockReads,
  findForbiddenNames,
  findMissingHeaders,
  findStrayManifests,
  percentile,
} from "./tidy/file-rules.ts";
import { findForbiddenImports } from "./tidy/import-rules.ts";
import { parseSourceFile } from "./tidy/source-tree.ts";

const file = (path: string, text: string) => parseSourceFile(path, text);
const importing = (path: string, specifier: string) => file(path, `import { x } from "${specifier}";\n`);

const importsOf = (source: string) => file("lib/x/y.ts", source).imports;

describe("a source file", () => {
  it("has imports of every kind", () => {
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
      'import { type I } from "./i.ts";',
      'export type { J } from "./j.ts";',
    ].join("\n");
    const found = importsOf(source);
    expect(found.map(({ specifier }) => specifier).toSorted()).toEqual(
      "abcdefghij".split("").map((name) => `./${name}.ts`),
    );
    expect(found.filter(({ typeOnly }) => typeOnly).map(({ file: target }) => target)).toEqual([
      "lib/x/b.ts",
      "lib/x/j.ts",
    ]);
  });

  it.each([
    ["line comment", '// import x from "./x.ts";'],
    ["block comment", '/*\nimport x from "./x.ts";\n*/'],
    ["template", '`\nimport x from "./x.ts";\n${\'import("./x.ts")\'}`'],
    ["text", "const s = 'import(\"./x.ts\")';"],
    ["name that is known only when it runs", 'const s = import("./x" + y); const t = import(`./${s}.ts`);'],
    ["export of its own", "export {}; export const x = 1;"],
  ])("has no import for a %s", (_name, source) => {
    expect(importsOf(source)).toEqual([]);
  });

  it("that is not TypeScript is refused by its name", () => {
    expect(() => file("lib/a.ts", "const = 1;")).toThrow("expected lib/a.ts to be TypeScript, found: ");
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
});

describe("file rules", () => {
  it.each(["Date.now()", "performance.now()", "performance.timeOrigin", "new Date()"])(
    "find a program's %s",
    (read) => {
      expect(findClockReads([file("lib/a.ts", `const now = ${read};`)])).toHaveLength(1);
    },
  );

  it.each([
    ["lib/a.ts", "const a = 1; // not Date.now() /* nor new Date() */"],
    ["lib/a.ts", "/** new Date() */ const a = 1;"],
    ["lib/a.test.ts", "const now = Date.now();"],
    ["lib/a.ts", "const time = new Date(now).toISOString();"],
    ["lib/process/clock.ts", "const now = Date.now();"],
    ["lib/kube/testing/a.ts", "const now = Date.now();"],
    ["examples/a.ts", "const now = Date.now();"],
  ])("leave %s: %s", (path, text) => {
    expect(findClockReads([file(path, text)])).toEqual([]);
  });

  it("ask for a header comment, after a #! line too", () => {
    expect(findMissingHeaders([file("lib/a.ts", "export const a = 1;\n")])).toHaveLength(1);
    expect(findMissingHeaders([file("lib/a.ts", "// x\nexport const a = 1;\n")])).toHaveLength(1);
    expect(findMissingHeaders([file("lib/a.ts", "/**\n * Owns the a of b.\n */\n")])).toHaveLength(1);
    expect(findMissingHeaders([file("lib/a.ts", "// Owns the a of b.\n")])).toEqual([]);
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
