// Fills a folder of the user's cache once, by one process at a time: beside its place first and then renamed, so that a
// folder of its name is always whole. What an installation that was killed has left is removed by the next.
import { access, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withLock } from "./cluster/build-lock.ts";

export interface Installation {
  /** In the cache; its name says what it holds. */
  readonly folder: string;
  /** What is there when the folder is whole, relative to it. */
  readonly witness: string;
  /** For people: what is installed. */
  readonly title: string;
  readonly timeoutMs: number;
  readonly report: (line: string) => void;
  /** Fills an empty folder. */
  install(partial: string): Promise<void>;
}

/** Ensures that the folder is there. Throws when it cannot be filled. */
export async function installOnce(installation: Installation): Promise<void> {
  const { folder, witness, title, timeoutMs, report, install } = installation;
  if (await exists(join(folder, witness))) return;
  await mkdir(dirname(folder), { recursive: true });
  const onWait = (owner: number) => report(`waiting for process ${owner}, which installs ${title}`);
  await withLock(`${folder}.lock`, { pollMs: 200, timeoutMs: 2 * timeoutMs, onWait }, async () => {
    if (await exists(join(folder, witness))) return;
    report(`installing ${title} into ${folder}`);
    await removePartial(folder);
    const partial = await mkdtemp(`${folder}.partial-`);
    try {
      await install(partial);
      await rename(partial, folder);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw new Error(`expected ${title} to be installed, but it failed; see the cause, and try again`, {
        cause: error,
      });
    }
  });
}

async function removePartial(folder: string): Promise<void> {
  const names = await readdir(dirname(folder));
  const paths = names
    .map((name) => join(dirname(folder), name))
    .filter((path) => path.startsWith(`${folder}.partial-`));
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false, // absent or not reachable: to the caller all the same
  );
