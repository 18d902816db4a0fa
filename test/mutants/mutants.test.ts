import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { allMutants, mutantLists } from "./lists.ts";
import { mutate } from "./mutant.ts";

const root = join(import.meta.dirname, "../..");

describe("the list of mutants", () => {
  it("has at least sixty of the agent, a hundred of registry, command line and what all stand on, and some of every room", () => {
    const sizes = Object.values(mutantLists).map(({ length }) => length);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12);
    const agents = allMutants.filter(({ file }) => /^(agent-runtime|lib\/mcp)\//.test(file));
    expect(agents.length).toBeGreaterThanOrEqual(60);
    const others = allMutants.filter(({ file }) => /^(registry|cli|lib\/process|crds)\//.test(file));
    expect(others.length).toBeGreaterThanOrEqual(100);
  });

  it.each(allMutants)("$file: $breaks", async (mutant) => {
    const text = await readFile(join(root, mutant.file), "utf8");
    const mutated = mutate(text, mutant);
    expect(mutated).not.toBe(text);
    // What is no program would be killed by every test.
    await transform(mutated, { loader: "ts" });
  });

  it("refuses a text that is not there, or there twice", () => {
    const mutant = { file: "a.ts", find: "x", replace: "y" };
    expect(() => mutate("z", mutant)).toThrow(/a\.ts: expected .* exactly once, found it 0 times/);
    expect(() => mutate("xx", mutant)).toThrow(/found it 2 times/);
    expect(mutate("x", mutant)).toBe("y");
  });
});
