// What the programs load at start, and what only when it is first needed.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { build, type BuiltProgram } from "../build.ts";

interface LateCase {
  readonly title: string;
  readonly program: string;
  /** Loaded at once, to see that names are found at all. */
  readonly atStart: string;
  readonly late: readonly string[];
}

const cases: readonly LateCase[] = [
  {
    title: "CFG-2 the agent loads models, downstream servers and authentication late",
    program: "agent-runtime",
    atStart: "@modelcontextprotocol/server",
    late: [
      ...["@ai-sdk/google", "@ai-sdk/amazon-bedrock", "@ai-sdk/anthropic", "ai"],
      ...["@modelcontextprotocol/client", "undici", "jose"],
    ],
  },
  {
    title: "CLI-3 CLI-4 the command line loads the reader of Python and the chat late",
    program: "cli",
    atStart: "commander",
    late: ["@lezer/python", "marked", "@modelcontextprotocol/client"],
  },
];

let folder: string;
let built: BuiltProgram[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pallas-build-"));
  ({ built } = await build(folder));
  return () => rm(folder, { recursive: true });
}, 60_000);

async function packagesIn(files: readonly string[]): Promise<Set<string>> {
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  // esbuild names each module before its code.
  const modules = texts.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)]);
  return new Set(modules.map(([, name = ""]) => name));
}

it.each(cases)("$title", async ({ program, atStart, late }) => {
  const loaded = await packagesIn(built.find(({ name }) => name === program)?.files ?? []);
  const all = await packagesIn((await readdir(folder)).filter((file) => file.endsWith(".js")));
  expect(loaded).toContain(atStart);
  for (const name of late) {
    expect(all).toContain(name);
    expect(loaded).not.toContain(name);
  }
});
