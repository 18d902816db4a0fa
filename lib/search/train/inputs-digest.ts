// What a table is made from, in one digest: the data, the code that reads it and the settings. A change of any of them
// without a new table is found by comparing this with what the table says.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

/** Beside this file. source-vectors.ts holds the digest of the vectors. */
const inputs = [
  "pairs.jsonl.gz",
  "settings.ts",
  "arithmetic.ts",
  "contrast.ts",
  "model.ts",
  "pack-table.ts",
  "pairs.ts",
  "source-vectors.ts",
  "train-table.ts",
  "vocabulary.ts",
  "../tokens.ts",
  "../stop-words.ts",
];

/** SHA-256 in hexadecimal. */
export async function digestInputs(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of inputs) {
    const bytes = await readFile(new URL(name, import.meta.url));
    hash.update(`${name} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest("hex");
}
