// Secrets and instruction texts as files `{folder}/{name}/{key}`, read when needed: a rotated one is used from the next call on.
// A file that has not changed is not read twice. Nothing here says what a missing one means.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { SecretKey } from "../../crds/run-config.ts";

/** Kubernetes bounds a Secret and a ConfigMap alike. */
const maxFileBytes = 1024 * 1024;

export interface MountedFiles {
  /** The file's text, or undefined when there is no such file. Rejects when it cannot be read or is over 1 MiB. */
  read(file: SecretKey): Promise<string | undefined>;
}

/** Files below `folder`. */
export function createMountedFiles(folder: string): MountedFiles {
  // One entry per file that the run configuration names.
  const cache = new Map<string, { version: string; text: string }>();
  const readOnce = async (path: string) => {
    const version = await observeVersion(path);
    const cached = cache.get(path);
    if (cached?.version === version) return cached.text;
    const text = await readFile(path, "utf8");
    cache.set(path, { version, text });
    return text;
  };
  return {
    async read({ name, key }) {
      const path = join(folder, name, key);
      try {
        // The kubelet swaps a link to the folder of the files and then removes the old folder: whoever was just looking into
        // it finds nothing there, and the new one when he looks again.
        return await readOnce(path).catch((error: unknown) => {
          if (isMissing(error)) return readOnce(path);
          throw error;
        });
      } catch (error) {
        if (!isMissing(error)) throw error;
        cache.delete(path);
        return undefined;
      }
    },
  };
}

/** Changes whenever the file does; the inode too, because the kubelet swaps whole folders. */
async function observeVersion(path: string): Promise<string> {
  const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true });
  if (size > maxFileBytes) throw new Error(`${path} has ${size} bytes, expected at most ${maxFileBytes}: shorten it`);
  return `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
