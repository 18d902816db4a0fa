// Which files `-f` means: a file by itself, or the manifests directly in a folder (kubectl apply -f does not look
// deeper either). Refuses a path that is not there, and more files than anybody means.
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Manifests in one folder; more than this is the wrong folder. */
export const maxFiles = 10_000;

export interface FoundFiles {
  /** Absolute paths, sorted; `named` when the user wrote the path of the file itself. */
  files: { path: string; named: boolean }[];
  /** Absolute paths of the folders they are in, the first one first: where `.env` is read and edits are watched. */
  folders: [string, ...string[]];
}

/** A mistake in how the command was called; the program ends with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const isManifestName = (name: string): boolean => /\.(ya?ml|json)$/i.test(name) && !name.startsWith(".");

/**
 * The files that `-f` arguments stand for.
 * @throws UsageError for a path that cannot be read or a folder with too many files
 */
export async function findManifestFiles(paths: readonly [string, ...string[]]): Promise<FoundFiles> {
  const files = new Map<string, boolean>();
  const folders = new Set<string>();
  for (const path of paths) {
    const absolute = await realpath(resolve(path)).catch((cause: unknown) => {
      throw new UsageError(`-f ${path}: cannot be read (${reasonOf(cause)}); name a folder or file that is there`, {
        cause,
      });
    });
    if (!(await stat(absolute)).isDirectory()) {
      files.set(absolute, true);
      folders.add(dirname(absolute));
      continue;
    }
    folders.add(absolute);
    for (const name of await listManifests(absolute, path)) {
      const file = join(absolute, name);
      if (!files.has(file)) files.set(file, false);
    }
  }
  const [first = resolve("."), ...others] = folders;
  return {
    files: [...files].map(([path, named]) => ({ path, named })),
    folders: [first, ...others],
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
