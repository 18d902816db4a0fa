// Reads the word table that comes with this module: `words.bin` lies beside it, in the source tree as beside the bundles.
import { readFile } from "node:fs/promises";
import { type LoadedWordTable, loadWordTable } from "./word-table.ts";

/** Where the table is; `build.ts` copies it beside the programs that read it. */
export const wordTableFile = new URL("./words.bin", import.meta.url);

/** Some 5 MB from disk, in about 30 ms. Throws naming the file when it is not there, or damaged. */
export async function readWordTable(): Promise<LoadedWordTable> {
  try {
    return loadWordTable(await readFile(wordTableFile));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot read the word table ${wordTableFile.pathname}: ${reason}; install the program anew`, {
      cause: error,
    });
  }
}
