// The bundle: what the programs load at start, and what only when it is needed, or switched on.
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { build, type BuiltProgram } from "../build.ts";
import { wordTableFile } from "../lib/search/find-word-table.ts";

/** Of the command line at start: `--help`, and completion at a prompt, must be there at once. */
const maxCliBytes = 300_000;
/** The modules of OpenTelemetry, as esbuild names them; the interfaces alone, in their CommonJS form, are prom-client's. */
const telemetry = /node_modules\/@opentelemetry\/(?!api\/\S+\.cjs)/;

interface LateCase {
  readonly title: string;
  readonly program: string;
  /** Loaded at once, to see that names are found at all. */
  readonly atStart: string;
  readonly late: readonly string[];
}

const cases: readonly LateCase[] = [
  {
    title: "CFG-2 the agent loads models, downstream servers, authentication and the SDKs of both eras late",
    program: "agent-runtime",
    atStart: "hono",
    late: [
      "@modelcontextprotocol/sdk",
      ...["@ai-sdk/google", "@ai-sdk/amazon-bedrock", "@ai-sdk/anthropic", "ai"],
      ...["@modelcontextprotocol/client", "@modelcontextprotocol/server", "undici", "jose"],
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
let dashboardStartBytes: number | undefined;
beforeAll(async () => {
  const parent = await mkdtemp(join(tmpdir(), "pallas-build-"));
  // The command line reads its version from above itself.
  await copyFile(join(import.meta.dirname, "../package.json"), join(parent, "package.json"));
  folder = join(parent, "dist");
  ({ built, dashboardStartBytes } = await build(folder));
  return () => rm(parent, { recursive: true });
}, 60_000);

const listPrograms = async (): Promise<string[]> => (await readdir(folder)).filter((file) => file.endsWith(".js"));

async function packagesIn(files: readonly string[]): Promise<Set<string>> {
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  // esbuild names each module before its code.
  const modules = texts.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)]);
  return new Set(modules.map(([, name = ""]) => name));
}

it.each(cases)("$title", async ({ program, atStart, late }) => {
  const loaded = await packagesIn(built.find(({ name }) => name === program)?.files ?? []);
  const all = await packagesIn(await listPrograms());
  expect(loaded).toContain(atStart);
  for (const name of late) {
    expect(all).toContain(name);
    expect(loaded).not.toContain(name);
  }
});

it("CLI-1 every command of the command line loads what it needs when it is called", () => {
  const cli = built.find(({ name }) => name === "cli");
  expect(cli?.sizeBytes).toBeLessThan(maxCliBytes);
  // And it is all there, later.
  expect(cli?.packages).toEqual(expect.arrayContaining(["node_modules/js-yaml", "node_modules/marked"]));
});

it("CFG-2 zod's messages are there in English only", async () => {
  const texts = await Promise.all((await listPrograms()).map((file) => readFile(join(folder, file), "utf8")));
  const locales = texts.flatMap((text) => [...text.matchAll(/^\/\/ node_modules\/zod\/v4\/locales\/(\S+)/gm)]);
  expect(new Set(locales.map(([, name]) => name))).toEqual(new Set(["en.js", "index.js"]));
});

it("CFG-2 a provider's library is loaded without those of others", async () => {
  const libraries = ["openai", "openai-compatible", "anthropic", "google", "amazon-bedrock"];
  const seen = new Set<string>();
  for (const file of await listPrograms()) {
    const found = await packagesIn([file]);
    const held = libraries.filter((library) => found.has(`@ai-sdk/${library}`));
    expect([file, held.length]).toEqual([file, held.length === 0 ? 0 : 1]);
    held.forEach((library) => seen.add(library));
  }
  expect([...seen].toSorted()).toEqual(libraries.toSorted());
});

it("CFG-2 no SDK brings a validator of schemas beside our own", async () => {
  const texts = await Promise.all((await listPrograms()).map((file) => readFile(join(folder, file), "utf8")));
  expect(texts.filter((text) => text.includes("built without a validator of its own"))).not.toEqual([]);
  // A method of Ajv's, whichever package it was copied into.
  expect(texts.filter((text) => text.includes("_compileSchemaEnv")).length).toBe(0);
  expect(built.flatMap(({ packages }) => packages.filter((name) => name.includes("ajv")))).toEqual([]);
});

it("MET-6 OpenTelemetry is in the bundle, and in no file that a program loads at start", async () => {
  const atStart = new Set(built.flatMap(({ files }) => files));
  const holding: string[] = [];
  for (const file of await listPrograms()) {
    if (telemetry.test(await readFile(join(folder, file), "utf8"))) holding.push(file);
  }
  expect(atStart).toContain("agent-runtime.js");
  expect(holding).not.toEqual([]);
  expect(holding.filter((file) => atStart.has(file))).toEqual([]);
});

it("DSC-3 the word table and its licences go with the programs that read it", async () => {
  const files = ["words.bin", "words.licences.txt"];
  const readers = built.filter(({ lateFiles }) => files.every((file) => lateFiles.includes(file)));
  expect(readers.map(({ name }) => name).toSorted()).toEqual(["cli", "gateway"]);
  expect(built.filter(({ lateFiles }) => lateFiles.some((file) => files.includes(file))).length).toBe(2);
  expect((await readFile(join(folder, "words.bin"))).equals(await readFile(wordTableFile))).toBe(true);
  // Found from within a bundle, by meaning alone: no word of the request is one of the tool's.
  const tools = join(folder, "tools.jsonl");
  const lines = ["weather_forecast", "create_invoice"].map((name) => JSON.stringify({ id: name, server: "s", name }));
  await writeFile(tools, lines.join("\n"));
  const search = [join(folder, "pallas.js"), "search", "will it be rainy", "--tools", tools, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, search, { timeout: 30_000 });
  expect(JSON.parse(stdout)).toMatchObject({ matches: [{ name: "s/weather_forecast" }] });
});

describe("UI-1 the dashboard", () => {
  const page = () => readFile(join(folder, "dashboard/index.html"), "utf8");
  const readAssets = async (ending: string): Promise<string[]> => {
    const assets = join(folder, "dashboard/assets");
    const names = (await readdir(assets)).filter((name) => name.endsWith(ending));
    return await Promise.all(names.map((name) => readFile(join(assets, name), "utf8")));
  };

  it("is a page that loads one script and one style, by names that change with their bytes, and has no code of its own", async () => {
    const text = await page();
    expect(text).toMatch(/<html lang="en">/);
    const linked = [...text.matchAll(/ (?:src|href)="(assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(linked.filter((path) => /^assets\/main-[A-Z0-9]{8}\.(?:js|css)$/.test(path))).toHaveLength(2);
    for (const path of linked) expect((await readFile(join(folder, "dashboard", path))).byteLength).toBeGreaterThan(0);
    // The policy under which it is served runs neither.
    expect(text).not.toMatch(/<style|\son[a-z]+=|\sstyle=|<script(?! type="module" src=")/);
  });

  it("loads at most 150 kB before it shows anything", () => {
    expect(dashboardStartBytes).toBeGreaterThan(0);
    expect(dashboardStartBytes).toBeLessThanOrEqual(150_000);
  });

  it("goes with the gateway, compressed, with the packages it is made of", async () => {
    const gateway = built.find(({ name }) => name === "gateway");
    const files = gateway?.lateFiles.filter((file) => file.startsWith("dashboard/")) ?? [];
    const [script = "none"] = files.filter((file) => /\/main-[A-Z0-9]{8}\.js$/.test(file));
    const plain = await readFile(join(folder, script));
    for (const [ending, decompress] of [[".br", brotliDecompressSync] as const, [".gz", gunzipSync] as const]) {
      expect(files).toContain(`${script}${ending}`);
      expect(decompress(await readFile(join(folder, `${script}${ending}`))).equals(plain)).toBe(true);
    }
    expect(gateway?.packages).toEqual(
      expect.arrayContaining(["node_modules/preact", "node_modules/@modelcontextprotocol/client"]),
    );
    expect(built.filter(({ lateFiles }) => lateFiles.some((file) => file.startsWith("dashboard/")))).toHaveLength(1);
  });

  it("brings no translation, no validator, and no code that makes code", async () => {
    const texts = await readAssets(".js");
    expect(texts.some((text) => text.includes("built without a validator of its own"))).toBe(true);
    expect(texts.some((text) => text.includes("jitless=!0"))).toBe(true);
    for (const text of texts) expect(text).not.toMatch(/_compileSchemaEnv|ungültige|\bnew Function\b|[^.\w]eval\(/i);
  });
});
