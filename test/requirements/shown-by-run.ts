// What a run of the tests has shown of the requirements: an id counts where a test passed whose name has it, in every file
// that is cited for it. A title alone, of a test that was left out or failed, counts for nothing.
import type { Requirements } from "./requirement.ts";

/** Path from the root → whole names of the tests that passed, or that the platform cannot show. */
export type ShownTests = ReadonlyMap<string, readonly string[]>;

/** Cited files whose tests a run of CI does not have: they need the packages of others. */
const isElsewhere = (path: string): boolean => path.startsWith("test/compat/");

/** `id: file` for each citation that the run did not show. Files that were not run count only where `isWhole`. */
export function findUnshown(requirements: Requirements, shown: ShownTests, isWhole: boolean): string[] {
  return Object.entries(requirements).flatMap(([id, { shown: cited }]) => {
    if (cited === "open") return [];
    const name = new RegExp(`\\b${id}\\b`);
    return cited
      .filter((path) => {
        const tests = shown.get(path);
        if (tests === undefined) return isWhole && !isElsewhere(path);
        return !tests.some((test) => name.test(test));
      })
      .map((path) => `${id}: ${path}`);
  });
}
