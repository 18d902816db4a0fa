// Which files `-f` means: a file by itself, the manifests directly in a folder (kubectl apply -f does not look deeper
// either), or standard input. On this machine also those in a folder's `local/`, which no cluster should get. Refuses a path
// that is not there or is no file, and more files than anybody means.
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Manifests in one folder; more than this is the wrong folder. */
export const maxFiles = 10_000;

export interface FoundFiles {
  /** Absolute paths, sorted; `named` when the user wrote the path of the file itself. */
  files: { path: string; named: boolean; descriptor?: number }[];
  /** Absolute paths of the folders they are in, the first one first: where `.env` is read and edits are watched. */
  folders: [string, ...string[]];
  /** Folders in them for this machine only, whose edits are watched too. */
  localFolders: string[];
}

export const notAFile =
  "is not a regular file but a FIFO, a device or the like, which is not read; write a file, or pass its contents to pallas check -f -";

/** A mistake in how the command was called; the program ends with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const isManifestName = (name: string): boolean => /\.(ya?ml|json)$/i.test(name) && !name.startsWith(".");

/** Where a folder keeps what is for this machine only, such as Secrets with placeholders. */
const localFolder = "local";

/** The name of standard input, where files have a path. */
const inputName = "standard input";

/** The descriptor of this process that a path names: `-`, and what a shell makes of `<(…)`. */
function descriptorOf(path: string): number | undefined {
  if (path === "-" || path === "/dev/stdin") return 0;
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(path) ?? [];
  return number === undefined ? undefined : Number(number);
}

export interface FindOptions {
  /** For a cluster `local/` is left out, as kubectl does; and a pipe is read, which local mode could not read again. */
  isForCluster: boolean;
  acceptsInput: boolean;
}

/**
 * The files that `-f` arguments stand for.
 * @throws UsageError for a path that cannot be read or a folder with too many files
 */
export async function findManifestFiles(
  paths: readonly [string, ...string[]],
  { isForCluster, acceptsInput }: FindOptions = { isForCluster: false, acceptsInput: false },
): Promise<FoundFiles> {
  const files = new Map<string, boolean>();
  const inputs = new Map<number, string>();
  const folders = new Set<string>();
  const localFolders = new Set<string>();
  for (const path of paths) {
    const descriptor = descriptorOf(path);
    if (descriptor !== undefined) {
      if (!acceptsInput) throw new UsageError(`-f ${path}: is read by pallas check only; name a folder or file`);
      inputs.set(descriptor, descriptor === 0 ? inputName : path);
      continue;
    }
    const absolute = await realpath(resolve(path)).catch((cause: unknown) => {
      throw new UsageError(`-f ${path}: cannot be read (${reasonOf(cause)}); name a folder or file that is there`, {
        cause,
      });
    });
    const found = await stat(absolute);
    if (!found.isDirectory()) {
      if (!found.isFile()) throw new UsageError(`-f ${path}: ${notAFile}`);
      files.set(absolute, true);
      folders.add(dirname(absolute));
      continue;
    }
    const local = join(absolute, localFolder);
    const hasLocal = !isForCluster && (await stat(local).catch(() => undefined))?.isDirectory() === true;
    folders.add(absolute);
    if (hasLocal) localFolders.add(local);
    for (const folder of [absolute, ...(hasLocal ? [local] : [])]) {
      for (const name of await listManifests(folder, folder === local ? join(path, localFolder) : path)) {
        const file = join(folder, name);
        if (!files.has(file)) files.set(file, false);
      }
    }
  }
  const [first = resolve("."), ...others] = folders;
  return {
    files: [
      ...[...inputs].map(([descriptor, path]) => ({ path, named: true, descriptor })),
      ...[...files].map(([path, named]) => ({ path, named })),
    ],
    folders: [first, ...others],
    localFolders: [...localFolders],
  };
}

async function listManifests(folder: string, shown: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new UsageError(`-f ${shown}: cannot be listed (${reasonOf(cause)}); make the folder readable`, { cause });
  });
  const names = entries.filter((entry) => !entry.isDirectory() && isManifestName(entry.name)).map(({ name }) => name);
  if (names.length > maxFiles) {
    throw new UsageError(
      `-f ${shown}: has ${names.length} YAML and JSON files, at most ${maxFiles} are read; name a folder with the manifests only`,
    );
  }
  return names.sort();
}

/** ENOENT, EACCES, …, or the message of an error that has no code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code: unknown = Reflect.get(error, "code");
  return typeof code === "string" ? code : error.message;
}
