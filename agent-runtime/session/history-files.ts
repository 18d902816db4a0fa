// The files of a folder of histories: `{hash of the key}.jsonl`, so that no key can name a file elsewhere, and beside them
// the lock. Each function does one thing to one file and knows nothing of what the others hold.
import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Read by their owner only: they hold conversations, and ids that open them. */
const folderMode = 0o700;
const fileMode = 0o600;
const namePattern = /^([0-9a-f]{64})\.jsonl$/;
/** Looked at side by side at start; more would only queue in the thread pool. */
const statsAtOnce = 64;

/** Any text to a name of fixed form and length. */
export const renderName = (key: string): string => createHash("sha256").update(key).digest("hex");

export const renderFile = (name: string): string => `${name}.jsonl`;

export const prepareFolder = (folder: string) => mkdir(folder, { recursive: true, mode: folderMode });

export interface FoundHistory {
  name: string;
  bytes: number;
  /** When it was written last. */
  usedAtMs: number;
}

/** All histories of the folder, by names, sizes and times alone. What is no plain file is not ours. */
export async function listHistories(folder: string): Promise<FoundHistory[]> {
  const names = (await readdir(folder)).flatMap((file) => namePattern.exec(file)?.[1] ?? []);
  const found: FoundHistory[] = [];
  for (let at = 0; at < names.length; at += statsAtOnce) {
    const looks = names.slice(at, at + statsAtOnce).map(async (name) => {
      const status = await lstat(join(folder, renderFile(name)));
      return status.isFile() ? [{ name, bytes: status.size, usedAtMs: status.mtimeMs }] : [];
    });
    found.push(...(await Promise.all(looks)).flat());
  }
  return found;
}

export const readHistory = (folder: string, name: string): Promise<Uint8Array> =>
  readFile(join(folder, renderFile(name)));

/** Starts a history with these bytes, over whatever was there; resolves once they and the file's name are on the disk. */
export async function createHistory(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(join(folder, renderFile(name)), "w", fileMode);
  await file.writeFile(bytes);
  await file.datasync();
  await using directory = await open(folder, "r");
  await directory.sync();
}

/** Adds bytes at the end of a history; resolves once they are on the disk. */
export async function appendHistory(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(join(folder, renderFile(name)), "a", fileMode);
  await file.writeFile(bytes);
  await file.datasync();
}

export const cutHistory = (folder: string, name: string, bytes: number): Promise<void> =>
  truncate(join(folder, renderFile(name)), bytes);

export const removeHistory = (folder: string, name: string): Promise<void> =>
  rm(join(folder, renderFile(name)), { force: true });

/** Puts a history aside under a name that nothing reads; returns that name. */
export async function quarantineHistory(folder: string, name: string): Promise<string> {
  const file = `${name}.${randomUUID().slice(0, 8)}.corrupt`;
  await rename(join(folder, renderFile(name)), join(folder, file));
  return file;
}

/** Rejects when no new file can be written: the folder is gone or not ours, the disk is full. */
export async function tryWriting(folder: string): Promise<void> {
  const probe = join(folder, "probe");
  await writeFile(probe, "x", { mode: fileMode });
  await rm(probe);
}
