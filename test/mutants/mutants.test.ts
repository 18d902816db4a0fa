import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { borderMutants } from "./borders.ts";
import { conversationMutants } from "./conversations.ts";
import { kubeMutants } from "./lib-kube.ts";
import { linkMutants } from "./links.ts";
import { mutate } from "./mutant.ts";
import { operatorMutants } from "./operator.ts";
import { planMutants } from "./plan.ts";

const root = join(import.meta.dirname, "../..");

describe("the list of mutants", () => {
  it("has at least sixty, some of every room", () => {
    const rooms = [operatorMutants, planMutants, kubeMutants, conversationMutants, linkMutants, borderMutants];
    expect(Math.min(...rooms.map((mutants) => mutants.length))).toBeGreaterThanOrEqual(12);
    expect(rooms.flat().length).toBeGreaterThanOrEqual(60);
  });

  it.each([
    ...operatorMutants,
    ...planMutants,
    ...kubeMutants,
    ...conversationMutants,
    ...linkMutants,
    ...borderMutants,
  ])("$file: $breaks", async (mutant) => {
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
