/**
 * Rules over single files: names, header comments, words that may not stay, sizes.
 */
import { blankTexts } from "./scan-source.ts";
import type { SourceFile } from "./source-tree.ts";

const forbiddenNames = /(?:^|\/)(?:utils?|common|helpers?|managers?|misc|index)\.[cm]?[jt]sx?$/;

/** Patterns that may not stand in code. `where` says in which files a pattern counts; default: all. */
const forbiddenCode: readonly { name: string; pattern: RegExp; where?: (file: SourceFile) => boolean }[] = [
  { name: "as any", pattern: /\bas any\b/ },
  { name: ": any", pattern: /:\s*any\b/ },
  {
    name: "default export",
    pattern: /^export default\b|\bas default\b/m,
    where: ({ path }) => path !== "vitest.config.ts",
  },
  { name: "enum or namespace", pattern: /^(?:export )?(?:const )?(?:enum|namespace) \w/m },
  {
    name: "console.log",
    pattern: /\bconsole\.(?:log|info|debug|error|warn)\b/,
    where: ({ path, isTest }) => !isTest && !path.startsWith("cli/"),
  },
  {
    name: "the machine's clock, which lib/process/clock.ts alone may read",
    pattern: /\bDate\.now\b|\bperformance\.(?:now|timeOrigin)\b|\bnew Date\(\)/,
    where: ({ path, isTest }) =>
      !isTest &&
      /^(?:crds|plan|lib|operator|agent-runtime|registry|cli)\/(?!.*\btesting\/|process\/clock\.ts)/.test(path),
  },
  { name: "focused test", pattern: /\b(?:it|test|describe)\.only\b/ },
];

/** These may not stand in comments either; the brackets keep this line from finding itself. */
const forbiddenText = /@ts-(?:ignore|nocheck)|\bT[O]DO\b|\bF[I]XME\b|\bX[X]X\b/;

export function findForbiddenNames(paths: readonly string[]): string[] {
  return paths
    .filter((path) => forbiddenNames.test(path))
    .map((path) => `${path}: name the file after what it exports`);
}

export function findForbiddenWords(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const code = blankTexts(file.text);
    const inCode = forbiddenCode
      .filter(({ pattern, where }) => (where?.(file) ?? true) && pattern.test(code))
      .map(({ name }) => name);
    // As a value by itself it is what an import writes, and no note of ours.
    const inText = forbiddenText.exec(file.text.replaceAll('= "TODO"', ""))?.[0];
    return [...inCode, ...(inText === undefined ? [] : [inText])].map((found) => `${file.path}: ${found}`);
  });
}

/** A source file opens with a comment that says what it owns; a `#!` line may come first. Tests are named after what they test. */
export function findMissingHeaders(files: readonly SourceFile[]): string[] {
  return files
    .filter(
      (file) =>
        !/\.test\.tsx?$/.test(file.path) &&
        !/^(?:#![^\n]*\n)?\s*(?:\/\/ ?\S.{10}|\/\*\*?\s*(?:\*\s*)?\S.{10})/.test(file.text),
    )
    .map((file) => `${file.path}: open with a comment of 1–5 sentences, what it owns and what it refuses`);
}

/** `kubectl apply -f crds/` submits every .json and .yaml of that folder. */
export function findStrayManifests(paths: readonly string[], readText: (path: string) => string): string[] {
  return paths
    .filter(
      (path) => /^crds\/[^/]+\.(?:json|ya?ml)$/.test(path) && !/^kind: CustomResourceDefinition$/m.test(readText(path)),
    )
    .map((path) => `${path}: only CustomResourceDefinitions may have this ending in crds/`);
}

/** The value below which `share` (0–1) of the numbers lie, by nearest rank; 0 for none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
