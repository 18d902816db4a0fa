// Bundles the programs into dist/ with esbuild: one ES module per program, shared chunks beside them, linked source maps;
// and the dashboard, which the gateway serves, into dist/dashboard/.
// A program whose entry is not there is named and left out. Run `node build.ts`, or import build().
import { chmod, copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import type { BuildOptions as EsbuildOptions, Metafile } from "esbuild";
import { buildDashboard } from "./build-dashboard.ts";
import { onlyEnglish, withoutValidators } from "./build-plugins.ts";

const root = import.meta.dirname;

/** Program name → entry. `cli` is started by the launcher dist/pallas.js. */
const programs: Readonly<Record<string, string>> = {
  cli: "cli/main.ts",
  operator: "operator/main.ts",
  "agent-runtime": "agent-runtime/main.ts",
  registry: "registry/main.ts",
  gateway: "gateway/main.ts",
  bridge: "bridge/main.ts",
};

/** Module → files beside it that it reads, by `new URL("./words.bin", import.meta.url)`, or that go with those: they lie beside the bundles too. */
const dataFiles: Readonly<Record<string, readonly string[]>> = {
  "lib/search/find-word-table.ts": ["lib/search/words.bin", "lib/search/words.licences.txt"],
};

/**
 * Runs on Node 20 too, so that an old Node gets a sentence and not a stack: it imports the program only after looking at the version.
 * In a checkout on Linux the Node of our own dependencies takes over. SIGINT is not passed on: a terminal sends it to both processes.
 */
const launcher = `#!/usr/bin/env node
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  await import("./cli.js");
} else {
  const packaged = findPackagedNode();
  if (packaged === undefined) {
    console.error(\`Pallas needs Node ≥ 22.19, found \${process.version}; install Node 24 from https://nodejs.org and try again\`);
    process.exit(1);
  }
  // Over the IPC channel the program notices when this process is gone, and stops.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const child = spawn(packaged, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio });
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function findPackagedNode() {
  try {
    return createRequire(import.meta.url).resolve(\`node-\${process.platform}-\${process.arch}/bin/node\`);
  } catch {
    return undefined; // not a platform that has such a package, or installed without optional dependencies
  }
}
`;

/** How a program is bundled: an ES module for Node. */
export const programOptions = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node22",
  logLevel: "warning",
  // CommonJS packages call require() for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
} as const satisfies EsbuildOptions;

export interface BuiltProgram {
  name: string;
  /** Paths below dist/ that the program loads at start, its own file first; chunks that it imports lazily are not among them. */
  files: string[];
  sizeBytes: number;
  /** Those it imports lazily, and data files that it reads, some of them in a folder. */
  lateFiles: string[];
  /** Folders below the root of the packages whose code is in one of all these files. */
  packages: string[];
}

export interface BuildOptions {
  /** Names of those to build; default: all. */
  only?: readonly string[];
  /** For images: shorter code with all its names, and no source maps. */
  compact?: boolean;
}

export interface Built {
  built: BuiltProgram[];
  /** Names of programs, and entries of the dashboard, that are not there. */
  missing: string[];
  /** Of what the dashboard loads before it shows anything, compressed; undefined where it is not built. */
  dashboardStartBytes?: number;
}

/** Builds every program that exists into `outdir` and removes what an earlier build left there. */
export async function build(
  outdir: string = join(root, "dist"),
  { only = Object.keys(programs), compact = false }: BuildOptions = {},
): Promise<Built> {
  const wanted = Object.entries(programs).filter(([name]) => only.includes(name));
  const entries = wanted.filter(([, entry]) => existsSync(join(root, entry)));
  const missing = only.filter((name) => !entries.some(([present]) => present === name));
  await mkdir(outdir, { recursive: true });
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries),
    outdir,
    ...programOptions,
    splitting: true,
    // Chunks lie beside the programs, so that new URL("./registry.js", import.meta.url) means the same in all of them.
    chunkNames: "chunk-[hash]",
    sourcemap: compact ? false : "linked",
    // Names stay: logs tell an error's class, and a stack its functions.
    minifyWhitespace: compact,
    minifySyntax: compact,
    plugins: [onlyEnglish, withoutValidators],
    metafile: true,
  });
  const outputs = readOutputs(metafile);
  const written = new Set(outputs.keys());
  if (entries.some(([name]) => name === "cli")) {
    await writeFile(join(outdir, "pallas.js"), launcher);
    await chmod(join(outdir, "pallas.js"), 0o755);
    written.add("pallas.js");
  }
  for (const path of findDataFiles(Object.keys(metafile.inputs))) {
    await copyFile(join(root, path), join(outdir, baseName(path)));
    written.add(baseName(path));
  }
  const built = entries.map(([name]) => describeProgram(name, outputs));
  const gateway = built.find(({ name }) => name === "gateway");
  const dashboard = gateway && (await buildDashboard(outdir, { compact }));
  if (dashboard !== undefined && dashboard.files.length > 0) written.add("dashboard");
  for (const name of await readdir(outdir)) if (!written.has(name)) await rm(join(outdir, name), { recursive: true });
  if (gateway === undefined || dashboard === undefined) return { built, missing };
  gateway.lateFiles.push(...dashboard.files);
  gateway.packages = [...new Set([...gateway.packages, ...findPackages(dashboard.inputs)])].toSorted();
  return {
    built,
    missing: [...missing, ...dashboard.missing],
    ...(dashboard.startBytes > 0 && { dashboardStartBytes: dashboard.startBytes }),
  };
}

type Output = Metafile["outputs"][string];

function readOutputs(metafile: Metafile): Map<string, Output> {
  return new Map(Object.entries(metafile.outputs).map(([path, output]) => [baseName(path), output]));
}

function findDataFiles(inputs: readonly string[]): string[] {
  return inputs.flatMap((input) => dataFiles[input] ?? []);
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function describeProgram(name: string, outputs: ReadonlyMap<string, Output>): BuiltProgram {
  const files = followImports([`${name}.js`], outputs, ["import-statement"]);
  const all = followImports(files, outputs, ["import-statement", "dynamic-import"]);
  const inputs = [...all].flatMap((file) => Object.keys(outputs.get(file)?.inputs ?? {}));
  return {
    name,
    files: [...files],
    sizeBytes: [...files].reduce((sum, file) => sum + (outputs.get(file)?.bytes ?? 0), 0),
    lateFiles: [...[...all].filter((file) => !files.has(file)), ...findDataFiles([...new Set(inputs)]).map(baseName)],
    packages: findPackages(inputs).toSorted(),
  };
}

/** The innermost package that a path is in. */
const packageOf = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

const findPackages = (inputs: readonly string[]): string[] => [
  ...new Set(inputs.flatMap((input) => packageOf.exec(input)?.[0] ?? [])),
];

function followImports(from: Iterable<string>, outputs: ReadonlyMap<string, Output>, kinds: string[]): Set<string> {
  const files = new Set(from);
  for (const file of files) {
    for (const { path, kind, external } of outputs.get(file)?.imports ?? []) {
      if (kinds.includes(kind) && external !== true) files.add(baseName(path));
    }
  }
  return files;
}

if (import.meta.main) {
  const startMs = performance.now();
  const { built, missing, dashboardStartBytes } = await build();
  for (const { name, files, sizeBytes } of built) {
    process.stdout.write(
      `${name.padEnd(14)} ${(sizeBytes / 1e6).toFixed(2).padStart(6)} MB at start, ${files.length} files\n`,
    );
  }
  if (dashboardStartBytes !== undefined) {
    process.stdout.write(`dashboard      ${Math.ceil(dashboardStartBytes / 1_000)} kB at start, compressed\n`);
  }
  if (missing.length > 0) {
    process.stdout.write(`left out, no entry yet: ${missing.map((name) => programs[name] ?? name).join(", ")}\n`);
  }
  process.stdout.write(`built in ${Math.round(performance.now() - startMs)} ms\n`);
}
