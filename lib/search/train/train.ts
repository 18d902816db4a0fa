// node lib/search/train/train.ts [--check] [--cache FOLDER]: makes lib/search/words.bin anew; with --check it writes
// nothing and fails when the shipped table is not what comes out. FOLDER keeps the source vectors, which are fetched from
// the npm registry once.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { wordTableFile } from "../find-word-table.ts";
import { digestInputs } from "./inputs-digest.ts";
import { readPairs } from "./pairs.ts";
import { trainingSettings } from "./settings.ts";
import { readSourceVectors } from "./source-vectors.ts";
import { trainTable } from "./train-table.ts";

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    cache: { type: "string", default: join(tmpdir(), "pallas-source-vectors") },
  },
});
const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const table = trainTable({
  pairs: await readPairs(),
  source: await readSourceVectors(values.cache),
  settings: trainingSettings,
  inputsDigest: await digestInputs(),
});
const made = sha256(table);
if (!values.check) {
  await writeFile(wordTableFile, table);
  process.stdout.write(`wrote ${wordTableFile.pathname}: ${table.length} bytes, SHA-256 ${made}\n`);
} else {
  const shipped = sha256(await readFile(wordTableFile));
  const same = shipped === made;
  process.stdout.write(
    same
      ? `words.bin is what its script makes: SHA-256 ${made}\n`
      : `words.bin: expected SHA-256 ${made}, found ${shipped}; run node lib/search/train/train.ts\n`,
  );
  process.exitCode = same ? 0 : 1;
}
