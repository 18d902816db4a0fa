// For tests: projects in folders of their own, imported as the command does it.
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { recordTerminal, temporaryFolder } from "../../testing/manifests.ts";
import { importProject, type ImportOptions } from "../import.ts";

export type ProjectTexts = Readonly<Record<string, string>>;

export async function writeProject(files: ProjectTexts): Promise<string> {
  const folder = join(await temporaryFolder(), "project");
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

export interface Imported {
  code: number;
  /** Every line that was shown. */
  said: string[];
  /** What was written, by name. */
  files: Record<string, string>;
  folder: string;
}

/** Imports into `pallas` inside the project, which is also where the command is called. */
export async function importTexts(files: ProjectTexts, options: Partial<ImportOptions> = {}): Promise<Imported> {
  return importFolder(await writeProject(files), false, options);
}

export async function importFolder(
  folder: string,
  isForced = false,
  options: Partial<ImportOptions> = {},
): Promise<Imported> {
  const terminal = recordTerminal(folder);
  const code = await importProject({ project: folder, output: "pallas", isForced, ...options }, terminal);
  const output = join(folder, "pallas");
  const entries = await readdir(output, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(output, join(entry.parentPath, entry.name)));
  const written = await Promise.all(names.map(async (name) => [name, await readFile(join(output, name), "utf8")]));
  return {
    code,
    said: [...terminal.complaints, ...terminal.printed],
    files: Object.fromEntries(written),
    folder: output,
  };
}

/** A project with one agent, whose module's text is given. */
export const withModule = (python: string, others: ProjectTexts = {}): ProjectTexts => ({
  "agents.yaml": "name: p\nnamespace: com.example\nagents:\n  jarvis: { module: agents.jarvis, port: 8201 }\n",
  "fastagent.config.yaml": "default_model: passthrough\n",
  "agents/jarvis.py": python,
  ...others,
});

/** The same with the arguments of its decorator. */
export const withArguments = (given: string, others: ProjectTexts = {}): ProjectTexts =>
  withModule(
    `from fast_agent import FastAgent\nfast = FastAgent("p")\n@fast.agent(name="jarvis", ${given})\nasync def f():\n    pass\n`,
    others,
  );

/** A project with these settings. */
export const withSettings = (settings: string, others: ProjectTexts = {}): ProjectTexts =>
  withArguments('instruction="Be brief."', { "fastagent.config.yaml": settings, ...others });
