// One deliberate mistake in the product, and how it is put into a copy of the tree. A promise is only shown by a test
// that fails when the code breaks it; `node test/mutants/run.ts` makes each mistake in turn and looks.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Mutant {
  /** Below the project's folder. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** What a user would notice if it were so. */
  readonly breaks: string;
  /** Why no unit test can tell it from the original, where that is so. */
  readonly equivalent?: string;
}

/** The file's text with the mistake in it. Throws when the place is not there, or not the only one. */
export function mutate(text: string, { file, find, replace }: Pick<Mutant, "file" | "find" | "replace">): string {
  const places = text.split(find).length - 1;
  if (places !== 1) {
    throw new Error(
      `${file}: expected the text of a mutant exactly once, found it ${places} times; correct the list in test/mutants/:\n${find}`,
    );
  }
  return text.replace(find, () => replace);
}

/** Puts the mistake into a tree; the returned function takes it out again. */
export async function applyMutant(root: string, mutant: Mutant): Promise<() => Promise<void>> {
  const path = join(root, mutant.file);
  const text = await readFile(path, "utf8");
  await writeFile(path, mutate(text, mutant));
  return () => writeFile(path, text);
}
