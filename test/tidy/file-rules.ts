// Rules over single files: names, header comments, who reads the clock, sizes. What the linter can say it says.
import type { SourceFile } from "./source-tree.ts";

const forbiddenNames = /(?:^|\/)(?:utils?|common|helpers?|managers?|misc|index)\.[cm]?[jt]sx?$/;

/** What lib/process/clock.ts alone may read. */
const clocks = /\bDate\.now\b|\bperformance\.(?:now|timeOrigin)\b|\bnew Date\(\)/;
const programCode =
  /^(?:crds|plan|lib|operator|agent-runtime|registry|gateway|bridge|dashboard|cli)\/(?!.*\btesting\/|process\/clock\.ts|time\.ts)/;

export function findForbiddenNames(paths: readonly string[]): string[] {
  return paths
    .filter((path) => forbiddenNames.test(path))
    .map((path) => `${path}: name the file after what it exports`);
}

export function findClockReads(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, code, isTest }) => !isTest && programCode.test(path) && clocks.test(code))
    .map(({ path }) => `${path}: take a Clock of lib/process/clock.ts, which alone reads the machine's`);
}

/** A source file opens with a comment that says what it owns; a `#!` line may come first. Tests are named after what they test. */
export function findMissingHeaders(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !/\.test\.tsx?$/.test(file.path) && !/^(?:#![^\n]*\n)?\/\/ ?\S.{10}/.test(file.text))
    .map((file) => `${file.path}: open with lines of // in 1–5 sentences, what it owns and what it refuses`);
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
