// Notices edits below folders: one call after the last of a burst of events. Editors that replace a file instead of
// writing into it look the same from here, because folders are watched and not files.
import { watch, type FSWatcher } from "node:fs";

const settleMs = 200;
/** A folder that has gone, as when a branch is checked out, is looked for again at this interval. */
const rewatchMs = 2_000;

/** Calls back after edits in any of the folders, until the signal. */
export function followEdits(folders: readonly string[], onEdit: () => void, signal: AbortSignal): void {
  let settling: NodeJS.Timeout | undefined;
  const edited = (): void => {
    clearTimeout(settling);
    settling = setTimeout(onEdit, settleMs);
  };
  signal.addEventListener("abort", () => clearTimeout(settling), { once: true });
  for (const folder of folders) followFolder(folder, edited, signal);
}

function followFolder(folder: string, onEvent: () => void, signal: AbortSignal): void {
  let watcher: FSWatcher | undefined;
  let retry: NodeJS.Timeout | undefined;
  const again = (): void => {
    watcher?.close();
    clearTimeout(retry);
    if (!signal.aborted) retry = setTimeout(() => start(true), rewatchMs);
  };
  const start = (isRestart: boolean): void => {
    try {
      watcher = watch(folder, (event, name) => {
        onEvent();
        // A folder that is itself renamed or removed reports its own name, and then nothing more.
        if (event === "rename" && name !== null && folder.endsWith(`/${name}`)) again();
      });
      watcher.on("error", again);
      if (isRestart) onEvent();
    } catch {
      again(); // not there, or no watches left: the folder is tried again
    }
  };
  signal.addEventListener(
    "abort",
    () => {
      watcher?.close();
      clearTimeout(retry);
    },
    { once: true },
  );
  start(false);
}
