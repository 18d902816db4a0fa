// The project's own TypeScript files as the tidy test sees them: path, text, and imports resolved to files.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync, type EcmaScriptModule } from "oxc-parser";

/** The folders of the project that hold TypeScript. */
const folders = [
  "crds",
  "plan",
  "lib",
  "operator",
  "agent-runtime",
  "registry",
  "gateway",
  "bridge",
  "dashboard",
  "cli",
  "images",
  "charts",
  "test",
  "examples",
] as const;
/** The TypeScript files beside those folders. */
const rootFiles = ["build.ts", "build-dashboard.ts", "build-plugins.ts", "vitest.config.ts"] as const;

export interface SourceImport {
  specifier: string;
  typeOnly: boolean;
  /** Path of the imported file from the root, or undefined for a package. */
  file?: string;
}

export interface SourceFile {
  /** From the root, with forward slashes. */
  path: string;
  text: string;
  /** The text without its comments. */
  code: string;
  lines: number;
  isTest: boolean;
  imports: SourceImport[];
}

/** All paths below the folders, of any kind; build products and caches are left out. */
export function listPaths(root: string): string[] {
  const below = folders.flatMap((folder) => listFolder(root, folder));
  return [...rootFiles, ...below];
}

function listFolder(root: string, folder: string): string[] {
  const entries = readdirSync(root, { withFileTypes: true }).some((entry) => entry.name === folder)
    ? readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    : [];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath.slice(root.length + 1).replaceAll("\\", "/"), entry.name))
    .filter((path) => !/(?:^|\/)(?:node_modules|dist|\.[^/]+)\//.test(path));
}

export function readSourceFiles(root: string): SourceFile[] {
  const paths = listPaths(root).filter((path) => /\.[cm]?tsx?$/.test(path));
  return paths.map((path) => parseSourceFile(path, readFileSync(join(root, path), "utf8")));
}

export function parseSourceFile(path: string, text: string): SourceFile {
  const { module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`expected ${path} to be TypeScript, found: ${errors[0]?.message}`);
  return {
    path,
    code: comments.reduceRight((code, { start, end }) => code.slice(0, start) + code.slice(end), text),
    text,
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    isTest: path.startsWith("test/") || /\.test\.tsx?$/.test(path),
    imports: findImports(module, text).map((found) =>
      found.specifier.startsWith(".") ? { ...found, file: posix.join(posix.dirname(path), found.specifier) } : found,
    ),
  };
}

/** Every static import, re-export and import() of a literal. One whose names alone are types is loaded all the same. */
function findImports({ staticImports, staticExports, dynamicImports }: EcmaScriptModule, text: string): SourceImport[] {
  const exported = staticExports.map(({ start, entries }) => ({ start, moduleRequest: entries[0]?.moduleRequest }));
  const named = [...staticImports, ...exported].flatMap(({ start, moduleRequest }) =>
    moduleRequest ? { specifier: moduleRequest.value, typeOnly: /^(?:im|ex)port type\b/.test(text.slice(start)) } : [],
  );
  const literals = dynamicImports.flatMap(
    ({ moduleRequest: { start, end } }) => /^["'`]([^"'`$]*)["'`]$/.exec(text.slice(start, end))?.[1] ?? [],
  );
  return [...named, ...literals.map((specifier) => ({ specifier, typeOnly: false }))];
}
