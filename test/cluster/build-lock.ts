// A lock file between processes, so that parallel test runs build the API server once. It saves work and nothing more:
// results are renamed into place, so two builders at a time (possible when several waiters meet a dead owner's lock)
// waste minutes but never harm each other.

import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

export interface LockOptions {
  readonly pollMs: number;
  readonly timeoutMs: number;
  /** Called once, when another process holds the lock. */
  readonly onWait: (ownerPid: number) => void;
}

/** Runs `action` while this process owns `path`. A lock whose owner has died is taken over. */
export async function withLock<T>(path: string, options: LockOptions, action: () => Promise<T>): Promise<T> {
  await acquire(path, options);
  try {
    return await action();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string, { pollMs, timeoutMs, onWait }: LockOptions): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let announced = false;
  while (!(await create(path))) {
    const owner = await observeOwner(path);
    if (owner !== undefined && !isRunning(owner)) {
      await rm(path, { force: true });
      continue;
    }
    if (Date.now() > deadline) {
      throw new Error(
        `expected ${path} to be released within ${timeoutMs} ms, found it held by process ${owner}; end that process or delete the file`,
      );
    }
    if (!announced && owner !== undefined) {
      onWait(owner);
      announced = true;
    }
    await delay(pollMs);
  }
}

async function create(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false;
    throw error;
  }
}

/** The owner's process id; undefined while the file is gone or not yet written. */
async function observeOwner(path: string): Promise<number | undefined> {
  try {
    const pid = Number.parseInt(await readFile(path, "utf8"), 10);
    return Number.isNaN(pid) ? undefined : pid;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, "EPERM");
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
