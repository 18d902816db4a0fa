// Puts files where the user wants them, all or none: they are written into a folder beside and then moved. Files that
// are there already stay as they are, unless the user says otherwise.
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
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

export interface StagedFiles {
  /** Beside their place, to be looked at before they are moved there. */
  folder: string;
  /** Takes away what was not published, and the folders that were made for it. */
  discard(): Promise<void>;
}

export async function stageFiles(files: ReadonlyMap<FileName, string>, folder: string): Promise<StagedFiles> {
  const made = await mkdir(dirname(folder), { recursive: true });
  const staged = await mkdtemp(join(dirname(folder), `.${basename(folder)}.partial-`));
  for (const [name, text] of files) {
    await mkdir(dirname(join(staged, name)), { recursive: true });
    await writeFile(join(staged, name), text);
  }
  const discard = async (): Promise<void> => {
    await rm(staged, { recursive: true, force: true });
    if (made === undefined) return;
    // From the inside out, as long as they are empty.
    for (let each = dirname(folder); each.startsWith(made); each = dirname(each))
      await rmdir(each).catch(() => undefined);
  };
  return { folder: staged, discard };
}

/** Moves staged files to their place; those of an earlier import that have no successor go. */
export async function publishFiles(
  staged: StagedFiles,
  files: ReadonlyMap<FileName, string>,
  folder: string,
): Promise<void> {
  if (!existsSync(folder)) {
    await rename(staged.folder, folder);
    return;
  }
  for (const name of files.keys()) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await rename(join(staged.folder, name), join(folder, name));
  }
  for (const name of fileNames) if (!files.has(name)) await rm(join(folder, name), { force: true });
}
