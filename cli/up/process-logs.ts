// Where the lines of the processes go (LOG-2): each into a log file of its own below the state folder, or all into
// PALLAS_LOG_FILE; warnings and errors also as short lines on the terminal, or with PALLAS_LOG_STDERR=1 every line whole.
import { reasonOf } from "../manifests/find-files.ts";
import type { Terminal } from "../terminal.ts";
import { describeLine } from "./child-output.ts";
import { openLogFile, type LogFile } from "./log-file.ts";
import { shortName } from "./process-keys.ts";
import type { StateFolder } from "./state-folder.ts";

export interface ProcessLogs {
  output(key: string): { onLine(line: string): void; onWarning(text: string): void };
  close(): void;
}

export interface ProcessLogOptions {
  folder: StateFolder;
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
  /** Show every line in short, with the name of its process in front, and not warnings alone. */
  showsAll: boolean;
}

export function openProcessLogs({ folder, terminal, env, showsAll }: ProcessLogOptions): ProcessLogs {
  const files = new Map<string, LogFile>();
  const showsWhole = env["PALLAS_LOG_STDERR"] === "1";
  let hasFailed = false;

  const write = (path: string, line: string): void => {
    try {
      let file = files.get(path);
      if (file === undefined) files.set(path, (file = openLogFile(path)));
      file.write(line);
      hasFailed = false;
    } catch (error) {
      // A full disk must not stop the agents; it is said once.
      if (!hasFailed) {
        terminal.complain(`warning: the log ${path} cannot be written (${reasonOf(error)}); free disk space`);
      }
      hasFailed = true;
    }
  };

  return {
    output(key) {
      const path = env["PALLAS_LOG_FILE"] || folder.log(key);
      return {
        onLine(line) {
          write(path, line);
          if (showsWhole) terminal.complain(line);
          else if (showsAll) terminal.complain(`${shortName(key)} | ${describeLine(line)}`);
        },
        onWarning(text) {
          if (!showsWhole && !showsAll) terminal.complain(`${shortName(key)}: ${text}`);
        },
      };
    },
    close() {
      for (const file of files.values()) file.close();
    },
  };
}
