// Bundles the dashboard for browsers into a folder `dashboard`: dashboard/page.html with its script and style by hashed
// names, and the chunks that are loaded on use, each beside its compressed forms. And the approvals alone as one page with
// nothing beside it, for hosts of MCP Apps. An entry that is not there is left out.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build as bundle } from "esbuild";
import type { BuildOptions as EsbuildOptions, Metafile, OutputFile } from "esbuild";
import { onlyEnglish, withoutEval, withoutValidators } from "./build-plugins.ts";

const root = import.meta.dirname;
const pageEntry = "dashboard/main.tsx";
const appEntry = "dashboard/app/main.tsx";
const template = "dashboard/page.html";
const appFile = "approvals-app.html";

const browserOptions = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  logLevel: "warning",
  plugins: [onlyEnglish, withoutValidators, withoutEval],
  metafile: true,
  write: false,
} as const satisfies EsbuildOptions;

export interface BuiltDashboard {
  /** Paths below the folder that everything is built into, each with `dashboard/` before it. */
  files: string[];
  /** Of what the page loads before it shows anything, compressed by gzip. */
  startBytes: number;
  /** Source files, from the root. */
  inputs: string[];
  /** Entries that are not there. */
  missing: string[];
}

/** Builds into `outdir`/dashboard and removes what an earlier build left there. */
export async function buildDashboard(outdir: string, { compact = false } = {}): Promise<BuiltDashboard> {
  const folder = join(outdir, "dashboard");
  const page = existsSync(join(root, pageEntry)) ? await renderPage(folder, compact) : undefined;
  const app = existsSync(join(root, appEntry)) ? await renderApp() : undefined;
  const files = new Map([...(page?.files ?? []), ...(app?.files ?? [])]);
  for (const [path, bytes] of [...files]) {
    const forms = await compress(path, bytes);
    for (const [ending, compressed] of forms) files.set(`${path}${ending}`, compressed);
    // In an image each byte is carried about: the gateway makes the plain one of its gzip.
    if (compact && forms.length > 0) files.delete(path);
  }
  await writeFolder(folder, files);
  return {
    files: [...files.keys()].map((path) => `dashboard/${path}`),
    startBytes: (page?.startFiles ?? []).reduce((sum, path) => sum + (files.get(`${path}.gz`)?.byteLength ?? 0), 0),
    inputs: [...new Set([...(page?.inputs ?? []), ...(app?.inputs ?? [])])],
    missing: [...(page === undefined ? [pageEntry] : []), ...(app === undefined ? [appEntry] : [])],
  };
}

interface Rendered {
  files: Map<string, Uint8Array>;
  inputs: string[];
}

async function renderPage(folder: string, compact: boolean): Promise<Rendered & { startFiles: string[] }> {
  const { outputFiles, metafile } = await bundle({
    ...browserOptions,
    entryPoints: { main: pageEntry },
    outdir: join(folder, "assets"),
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    sourcemap: compact ? false : "linked",
  });
  const files = new Map(outputFiles.map((file) => [`assets/${baseName(file.path)}`, file.contents]));
  const { script, style, chunks } = findAssets(metafile);
  const links = [
    ...(style === undefined ? [] : [`<link rel="stylesheet" href="${style}" />`]),
    ...chunks.map((path) => `<link rel="modulepreload" href="${path}" />`),
    `<script type="module" src="${script}"></script>`,
  ];
  files.set("index.html", Buffer.from(await fillTemplate(links)));
  const startFiles = ["index.html", script, ...chunks, ...(style === undefined ? [] : [style])];
  return { files, inputs: Object.keys(metafile.inputs), startFiles };
}

/** What is loaded at once, by paths from the page. */
function findAssets({ outputs }: Metafile): { script: string; style?: string; chunks: string[] } {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === pageEntry);
  if (found === undefined) throw new Error(`expected a bundle of ${pageEntry}, found none`);
  const [path, { cssBundle }] = found;
  const all = new Set([path]);
  for (const file of all) {
    for (const each of outputs[file]?.imports ?? []) if (each.kind === "import-statement") all.add(each.path);
  }
  const [script = "", ...chunks] = [...all].map((file) => `assets/${baseName(file)}`);
  return { script, chunks, ...(cssBundle !== undefined && { style: `assets/${baseName(cssBundle)}` }) };
}

async function renderApp(): Promise<Rendered> {
  const { outputFiles, metafile } = await bundle({
    ...browserOptions,
    entryPoints: [appEntry],
    outdir: join(root, "dist"),
    // What would be a chunk is in the one script.
    splitting: false,
  });
  const textOf = (ending: string, end: string) => readInline(outputFiles, ending, end);
  const style = textOf(".css", "</style");
  const parts = [
    ...(style === "" ? [] : [`<style>${style}</style>`]),
    `<script type="module">${textOf(".js", "</script")}</script>`,
  ];
  const files = new Map([[appFile, Buffer.from(await fillTemplate(parts))]]);
  return { files, inputs: Object.keys(metafile.inputs) };
}

/** Throws where the text would end the element that it is put into. */
function readInline(outputs: readonly OutputFile[], ending: string, end: string): string {
  const text = outputs.find(({ path }) => path.endsWith(ending))?.text ?? "";
  if (text.toLowerCase().includes(end)) throw new Error(`expected ${appEntry} to hold no "${end}", found one`);
  return text.trimEnd();
}

async function fillTemplate(parts: readonly string[]): Promise<string> {
  const text = await readFile(join(root, template), "utf8");
  const [head, body, ...more] = text.split("</head>");
  if (head === undefined || body === undefined || more.length > 0) {
    throw new Error(`expected one </head> in ${template}: script and style are put before it`);
  }
  return `${head}${parts.map((part) => `  ${part}\n  `).join("")}</head>${body}`;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** What browsers fetch: not what is for developers alone, nor the page that the gateway hands over as text. */
async function compress(path: string, bytes: Uint8Array): Promise<[string, Uint8Array][]> {
  if (path === appFile || !/\.(?:html|js|css|svg)$/.test(path)) return [];
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
  };
  const [brotli, gzipped] = await Promise.all([
    compressBrotli(bytes, { params }),
    compressGzip(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return [
    [".br", brotli],
    [".gz", gzipped],
  ];
}

async function writeFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
  if (!existsSync(folder)) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(path.slice(folder.length + 1).replaceAll("\\", "/"))) await rm(path);
  }
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
