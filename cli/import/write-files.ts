// Puts files where the user wants them, all or none: they are written into a folder beside and then moved. Files that
// are there already stay as they are, unless the user says otherwise.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../manifests/find-files.ts";
import { fileNames, type FileName } from "./render.ts";

/**
 * Refuses a folder that holds what would be overwritten.
 * @param shown the folder as the user wrote it
 * @throws UsageError
 */
export async function checkOutput(folder: string, shown: string, isForced: boolean): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory()) throw new UsageError(`-o ${shown}: expected a folder, found a file; name another`);
  const [first] = fileNames.filter((name) => existsSync(join(folder, name)));
  if (first === undefined || isForced) return;
  throw new UsageError(`-o ${shown}: has ${first} already; name another folder, or overwrite with --force`);
}

/** Writes the files; those of an earlier import that have no successor go. */
export async function writeFiles(files: ReadonlyMap<FileName, string>, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const staged = await mkdtemp(join(dirname(folder), `.${basename(folder)}.partial-`));
  try {
    const names = [...files.keys()];
    for (const root of [staged, folder]) {
      for (const name of names) await mkdir(dirname(join(root, name)), { recursive: true });
    }
    for (const [name, text] of files) await writeFile(join(staged, name), text);
    for (const name of names) await rename(join(staged, name), join(folder, name));
    for (const name of fileNames) if (!files.has(name)) await rm(join(folder, name), { force: true });
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}
