import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../check.ts";
import { UsageError } from "../manifests/find-files.ts";
import { readFolder, recordTerminal, temporaryFolder } from "../testing/manifests.ts";
import { judge } from "../manifests/judge.ts";
import { newFiles } from "./files.ts";
import { init } from "./init.ts";

const instance = newFiles.get("instance.yaml") ?? "";
const section = (text: string, start: string): string => text.slice(text.indexOf(start)).split("\n\n")[0] ?? "";
const uncomment = (text: string): string => text.replaceAll(/^( *)# /gm, "$1");

/** The instance with a commented part in place of its model. */
function renderInstance(start: string): string {
  const part = section(instance, start);
  const live = uncomment(part.slice(part.indexOf("  # defaultModel")));
  return `${instance.slice(0, instance.indexOf('\n  # "passthrough"'))}\n${live}\n`;
}

describe("CLI-1 pallas init", () => {
  test("writes what check finds no problem with, and says how to run it", async () => {
    const folder = await temporaryFolder();
    const terminal = recordTerminal(folder);
    expect(await init("agents", terminal)).toBe(0);
    expect(terminal.printed).toEqual([
      "wrote instance.yaml, assistant.yaml, local-secret.yaml, .env.example",
      "run them with: pallas up -f agents",
      "and in another terminal: pallas chat assistant",
    ]);
    const checked = recordTerminal(folder);
    expect(await check({ paths: [join(folder, "agents")], isLocal: true, json: false, env: {} }, checked)).toBe(0);
    expect(checked.complaints).toEqual([]);
    expect(checked.printed).toEqual(["3 files read: 1 valid instance and 1 valid agent, no errors"]);
  });

  test.each([
    ["OpenAI", "# For OpenAI", "openai.gpt-5-mini", { OPENAI_API_KEY: "k" }],
    ["a model on this machine", "  # Or for a model on this machine", "ollama.qwen3:8b", {}],
  ])("what is commented out for %s is as sound, with the variables of .env.example", async (_, start, model, env) => {
    const files = { ...Object.fromEntries(newFiles), "instance.yaml": renderInstance(start) };
    const { checked, diagnostics } = judge(await readFolder(files), { mode: "local" }, env);
    expect(diagnostics).toEqual([]);
    expect(checked.instances[0]?.spec.defaultModel).toBe(model);
    expect(checked.runnable).toHaveLength(1);
    for (const name of Object.keys(env)) expect(newFiles.get(".env.example")).toContain(`\n${name}=`);
  });

  test("without the key, what is missing is named with .env", async () => {
    const files = { ...Object.fromEntries(newFiles), "instance.yaml": renderInstance("# For OpenAI") };
    const { diagnostics } = judge(await readFolder(files), { mode: "local" }, {});
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringMatching(/OPENAI_API_KEY is not set.*\.env/),
    ]);
  });

  test("a folder that holds anything is left alone; a new repository is empty", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "instance.yaml"), "mine");
    await expect(init(".", recordTerminal(folder))).rejects.toThrow(
      new UsageError(". is not empty, it has instance.yaml: name an empty folder or a new one"),
    );
    expect(await readdir(folder)).toEqual(["instance.yaml"]);
    expect(await readFile(join(folder, "instance.yaml"), "utf8")).toBe("mine");
    const repository = await temporaryFolder();
    await mkdir(join(repository, ".git"));
    expect(await init(".", recordTerminal(repository))).toBe(0);
  });

  test("what is a file, or cannot be written, is misuse that says so", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "file"), "");
    await expect(init("file", recordTerminal(folder))).rejects.toThrow(/^file cannot be written \(EEXIST\)/);
    if (process.getuid?.() === 0) return;
    await chmod(folder, 0o500);
    await expect(init("new", recordTerminal(folder))).rejects.toThrow(/^new cannot be written \(EACCES\)/);
  });
});
