// The files of a folder of histories: `{hash of the key}.jsonl`, so that no key can name a file elsewhere, with the hash of its
// owner where it has one, and beside them the lock. Each function does one thing to one file and knows nothing of what is in it.
import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, rename, rm, truncate, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/** Read by their owner only: they hold conversations, and ids that open them. */
const folderMode = 0o700;
const fileMode = 0o600;
const filePattern = /^([0-9a-f]{64})(?:-([0-9a-f]{16}))?\.jsonl$/;
/** What an unfinished rewriting leaves behind. */
const draftPattern = /^[0-9a-f]{64}(?:-[0-9a-f]{16})?\.jsonl\.draft$/;
const ownerChars = 16;
/** Looked at side by side at start; more would only queue in the thread pool. */
const maxConcurrentStats = 64;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Any text to a name of fixed form and length. */
export const renderName = (key: string): string => sha256(key);

/** Whose a history is, as its file says it; "" where it is nobody's in particular. */
export const renderOwner = (owner: string): string => (owner === "" ? "" : sha256(owner).slice(0, ownerChars));

export const renderFile = (name: string, owner = ""): string => `${name}${owner === "" ? "" : `-${owner}`}.jsonl`;

export const prepareFolder = (folder: string) => mkdir(folder, { recursive: true, mode: folderMode });

export interface FoundHistory {
  name: string;
  owner: string;
  bytes: number;
  /** When it was written last. */
  usedAtMs: number;
}

/** All histories of the folder, by names, sizes and times alone. What is no plain file is not ours. */
export async function listHistories(folder: string): Promise<FoundHistory[]> {
  const files = await readdir(folder);
  for (const draft of files.filter((file) => draftPattern.test(file))) await rm(join(folder, draft), { force: true });
  const named = files.flatMap((file) => {
    const [, name, owner = ""] = filePattern.exec(file) ?? [];
    return name === undefined ? [] : [{ file, name, owner }];
  });
  const found: FoundHistory[] = [];
  for (let at = 0; at < named.length; at += maxConcurrentStats) {
    const looks = named.slice(at, at + maxConcurrentStats).map(async ({ file, name, owner }) => {
      const status = await lstat(join(folder, file));
      return status.isFile() ? [{ name, owner, bytes: status.size, usedAtMs: status.mtimeMs }] : [];
    });
    found.push(...(await Promise.all(looks)).flat());
  }
  return found;
}

export const openHistory = (folder: string, file: string): Promise<FileHandle> => open(join(folder, file), "r");

/** Starts a history with these bytes, over whatever was there; resolves once they and the file's name are on the disk. */
export async function createHistory(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  await writeDurably(join(folder, file), bytes);
  await syncFolder(folder);
}

/** Puts what `write` writes in the place of a history, all of it or nothing; returns how many bytes that is. */
export async function replaceHistory(
  folder: string,
  file: string,
  write: (draft: FileHandle) => Promise<void>,
): Promise<number> {
  const path = join(folder, `${file}.draft`);
  await using draft = await open(path, "w", fileMode);
  await write(draft);
  await draft.datasync();
  await rename(path, join(folder, file));
  await syncFolder(folder);
  return (await draft.stat()).size;
}

/** Adds bytes at the end of a history; resolves once they are on the disk. */
export async function appendHistory(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(join(folder, file), "a", fileMode);
  await handle.writeFile(bytes);
  await handle.datasync();
}

export const cutHistory = (folder: string, file: string, bytes: number): Promise<void> =>
  truncate(join(folder, file), bytes);

export const removeHistory = (folder: string, file: string): Promise<void> => rm(join(folder, file), { force: true });

/** Puts a history aside under a name that nothing reads; returns that name. */
export async function quarantineHistory(folder: string, file: string): Promise<string> {
  const aside = `${file.replace(/\.jsonl$/, "")}.${randomUUID().slice(0, 8)}.corrupt`;
  await rename(join(folder, file), join(folder, aside));
  return aside;
}

/** Rejects when no new file can be written: the folder is gone or not ours, the disk is full. */
export async function tryWriting(folder: string): Promise<void> {
  const probe = join(folder, "probe");
  await writeFile(probe, "x", { mode: fileMode });
  await rm(probe);
}

export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, "w", fileMode);
  await file.writeFile(bytes);
  await file.datasync();
}

/** The names in a folder are on the disk then. */
export async function syncFolder(folder: string): Promise<void> {
  await using directory = await open(folder, "r");
  await directory.sync();
}
