// Histories in files of one folder, so that they survive the process: an append is on the disk before it counts. The folder
// is opened at its first use, and again when it could not be; all that can go wrong with it is a StoreError, never a crash.
import { CallError } from "../call-error.ts";
import { FolderInUse } from "./folder-lock.ts";
import { tryWriting } from "./history-files.ts";
import { HistoryFolder, type FolderOptions } from "./history-folder.ts";
import { StoreError, type SessionStore } from "./store.ts";

/** A store that touches the disk only when it is used. */
export function createJsonlStore(options: FolderOptions): SessionStore {
  let opening: Promise<HistoryFolder> | undefined;
  let closed = false;

  const withFolder = async <Result>(work: (folder: HistoryFolder) => Result): Promise<Awaited<Result>> => {
    if (closed) throw new StoreError("the session store is closed: the agent is shutting down");
    const attempt = (opening ??= HistoryFolder.open(options));
    attempt.catch(() => {
      if (opening === attempt) opening = undefined;
    });
    try {
      return await work(await attempt);
    } catch (error) {
      throw error instanceof CallError ? error : renderProblem(options.folder, error);
    }
  };
  return {
    hold: (key) => withFolder((folder) => folder.hold(key)),
    has: (key) => withFolder((folder) => folder.has(key)),
    load: (key) => withFolder((folder) => folder.load(key)),
    readPage: (key, request) => withFolder((folder) => folder.readPage(key, request)),
    listSummaries: (request) => withFolder((folder) => folder.listSummaries(request)),
    append: (key, entry, owner) => withFolder((folder) => folder.append(key, entry, owner)),
    clear: (key) => withFolder((folder) => folder.clear(key)),
    remove: (key) => withFolder((folder) => folder.remove(key)),
    async observeProblem() {
      try {
        await withFolder(async (folder) => {
          // Health is asked for again and again: an agent that nobody calls forgets its histories in time too.
          folder.dropExpired();
          await tryWriting(options.folder);
        });
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    async close() {
      closed = true;
      const opened = await opening?.catch(() => undefined);
      opening = undefined;
      opened?.close();
    },
  };
}

function renderProblem(folder: string, error: unknown): StoreError {
  const found = error instanceof Error ? error.message : String(error);
  const cure =
    error instanceof FolderInUse
      ? "stop that process, or give each agent a folder of its own with PALLAS_HISTORIES_DIR"
      : "free space on its disk and let the agent write there, or set PALLAS_HISTORIES_DIR";
  return new StoreError(`session store unwritable: ${folder}: ${found}; ${cure}`, { cause: error });
}
