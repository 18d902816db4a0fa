// Where the lines of the processes go (LOG-2): each into a log file of its own below the state folder, or all into
// PALLAS_LOG_FILE; warnings and errors also as short lines on the terminal, or with PALLAS_LOG_STDERR=1 every line whole.
import { reasonOf } from "../manifests/find-files.ts";
import type { Terminal } from "../terminal.ts";
import { openLogFile, type LogFile } from "./log-file.ts";
import { shortName } from "./runner.ts";
import type { StateFolder } from "./state-folder.ts";

export interface ProcessLogs {
  output(key: string): { onLine(line: string): void; onWarning(text: string): void };
  close(): void;
}

export function openProcessLogs(
  folder: StateFolder,
  terminal: Terminal,
  env: Readonly<Record<string, string | undefined>>,
): ProcessLogs {
  const files = new Map<string, LogFile>();
  const showsAll = env["PALLAS_LOG_STDERR"] === "1";
  let hasFailed = false;

  const write = (path: string, line: string): void => {
    try {
      let file = files.get(path);
      if (file === undefined) files.set(path, (file = openLogFile(path)));
      file.write(line);
      hasFailed = false;
    } catch (error) {
      // A full disk must not stop the agents; it is said once.
      if (!hasFailed)
        terminal.complain(`warning: the log ${path} cannot be written (${reasonOf(error)}); make room for it`);
      hasFailed = true;
    }
  };

  return {
    output(key) {
      const path = env["PALLAS_LOG_FILE"] || folder.log(key);
      return {
        onLine(line) {
          write(path, line);
          if (showsAll) terminal.complain(line);
        },
        onWarning(text) {
          if (!showsAll) terminal.complain(`${shortName(key)}: ${text}`);
        },
      };
    },
    close() {
      for (const file of files.values()) file.close();
    },
  };
}
