// Every limit of an import, at it and one past it.
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { maxFileBytes } from "../manifests/manifest-text.ts";
import {
  importFolder,
  importTexts,
  withArguments,
  withSettings,
  writeProject,
  type ProjectTexts,
} from "./testing/projects.ts";

const settingsOf = (keys: number): string =>
  `default_model: passthrough\n${Array.from({ length: keys }, (_, n) => `unknown${n}: 1\n`).join("")}`;
const nested = (levels: number): string =>
  `default_model: passthrough\na: ${"[".repeat(levels)}${"]".repeat(levels)}\n`;
/** Three values are the mapping, its model and the list. */
const listOf = (values: number): string => `default_model: passthrough\nlist: [${"1,".repeat(values)}]\n`;
const ofBytes = (bytes: number): string => `default_model: passthrough\n#${" ".repeat(bytes - 29)}\n`;

describe("CLI-3 an import takes", () => {
  test.each([
    ["1,000 things to say", settingsOf(1_000), settingsOf(1_001), "more than 1000 things are to be said"],
    ["100 levels of settings", nested(99), nested(100), "about 100 mappings and lists stand inside each other"],
    ["20,000 values", listOf(19_997), listOf(19_998), "has more than 20000 values"],
    ["4 MiB in a file", ofBytes(maxFileBytes), ofBytes(maxFileBytes + 1), `at most ${maxFileBytes} are read`],
  ])("%s and no more", async (_, most, tooMuch, message) => {
    expect((await importTexts(withSettings(most))).code).toBe(0);
    const { code, said } = await importTexts(withSettings(tooMuch));
    expect(code).toBe(1);
    expect(said.join("\n")).toContain(message);
  });

  test.each([
    ["is inline", 16_384, "instruction: x"],
    ["gets a ConfigMap", 16_385, "instructionFrom:"],
    ["fills one", 1_000_000, "instructionFrom:"],
    ["is left out", 1_000_001, "not carried over: it has more than 1000000 bytes"],
  ])("an instruction that %s at %i bytes", async (_, bytes, expected) => {
    const { code, files } = await importTexts(withArguments('instruction=Path("i")', { i: "x".repeat(bytes) }));
    expect(code).toBe(0);
    expect(files["agents.yaml"]).toContain(expected);
  });

  test("2,000 agents and no more", async () => {
    const module = (agents: number): string =>
      `import fast_agent\n${Array.from({ length: agents }, (_, n) => `@fast.agent("a${n}", "A")\nasync def f(): pass\n`).join("")}`;
    expect((await importTexts({ "agent.py": module(2_000) })).code).toBe(0);
    const { code, said } = await importTexts({ "agent.py": module(2_001) });
    expect([code, said.length]).toEqual([1, 3]);
    expect(said.join("\n")).toContain("has more than 2000 agents; import a part of the project");
  });

  test("4 MiB of manifests in a file and no more, however often a text is used", async () => {
    const agents = (count: number): string =>
      Array.from({ length: count }, (_, n) => `@fast.agent("a${n}", TEXT)\nasync def f(): pass\n`).join("");
    const module = (count: number): ProjectTexts => ({
      "agent.py": `import fast_agent\nTEXT = "${"x".repeat(900_000)}"\n${agents(count)}`,
    });
    expect((await importTexts(module(4))).code).toBe(0);
    for (const count of [5, 2_000]) {
      const { code, said } = await importTexts(module(count));
      expect(code).toBe(1);
      expect(said.join("\n")).toContain("a file of more than 4194304 bytes would become of it");
    }
  });

  const scripts = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, n) => [`s${String(n).padStart(4, "0")}.py`, ""]);

  test("1,000 files and no more", async () => {
    const agent = '# fast_agent\n@fast.agent("a", "A")\nasync def f(): pass\n';
    // Looked for beside the scripts: settings and secrets in two folders, agents.yaml, .env and the agent's own file.
    const others = 13;
    const project = { ...Object.fromEntries(scripts(1_000 - others)), "a.py": agent };
    expect((await importTexts(project)).said.join("\n")).not.toContain("one too many");
    const { code, said } = await importTexts({ ...project, "z.py": "" });
    expect(code).toBe(0);
    expect(said.join("\n")).toContain("z.py: warning: not carried over: is one too many");
  });

  test("64 MiB and no more", async () => {
    const folder = await writeProject({ "a.py": '# fast_agent\n@fast.agent("a", "A")\nasync def f(): pass\n' });
    const names = scripts(16).map(([name]) => name);
    const { size } = await writeAll(folder, names.slice(0, 15));
    expect((await importFolder(folder)).said.join("\n")).not.toContain("one too many");
    await writeAll(folder, names);
    expect(size).toBe(15 * maxFileBytes);
    expect((await importFolder(folder, true)).said.join("\n")).toContain(
      "s0015.py: warning: not carried over: is one too many",
    );
  });
});

/** Scripts of the largest size, without taking it on the disk. */
async function writeAll(folder: string, names: readonly string[]): Promise<{ size: number }> {
  for (const name of names) {
    await writeFile(join(folder, name), "");
    await truncate(join(folder, name), maxFileBytes);
  }
  return { size: names.length * maxFileBytes };
}
