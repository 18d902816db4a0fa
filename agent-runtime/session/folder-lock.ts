// One process per folder of histories. The lock is the operating system's, taken by way of SQLite because Node has no call
// for it: it ends with its process however that ends, so there is no stale lock to judge and no heartbeat to miss.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** SQLITE_BUSY: another process holds the lock. */
const busy = 5;

/** Another process works on the folder. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
}

/** Takes the folder's lock; returns how to give it back. Throws FolderInUse, or an Error when the folder cannot be locked. */
export function lockFolder(folder: string): () => void {
  const database = new DatabaseSync(join(folder, "lock"), { timeout: 0 });
  try {
    // The file stays empty: nothing is ever written under the lock, so that no journal is needed on the disk.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!(error instanceof Error && "errcode" in error && error.errcode === busy)) throw error;
    throw new FolderInUse("another process works on it", { cause: error });
  }
  return () => database.close();
}
