// A log file that is rotated by size: x.log, x.log.1 … x.log.4 (LOG-2). Written at once and in order, so that the last
// line before a crash is there.
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

export interface LogLimits {
  maxFileBytes: number;
  /** Files of one log together, the current one among them. */
  maxFiles: number;
}

const logLimits: LogLimits = { maxFileBytes: 10_000_000, maxFiles: 5 };

export interface LogFile {
  write(line: string): void;
  close(): void;
}

/**
 * Opens a log file for appending.
 * @throws Error when it cannot be opened
 */
export function openLogFile(path: string, { maxFileBytes, maxFiles }: LogLimits = logLimits): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const open = () => openSync(path, "a", 0o600);
  let file = open();
  let sizeBytes = fstatSync(file).size;
  let isClosed = false;

  const rotate = (): void => {
    closeSync(file);
    for (let age = maxFiles - 2; age >= 0; age -= 1) {
      const from = age === 0 ? path : `${path}.${age}`;
      if (existsSync(from)) renameSync(from, `${path}.${age + 1}`);
    }
    file = open();
    sizeBytes = 0;
  };

  return {
    write(line) {
      if (isClosed) return;
      const bytes = Buffer.from(`${line}\n`);
      if (sizeBytes > 0 && sizeBytes + bytes.length > maxFileBytes) rotate();
      writeSync(file, bytes);
      sizeBytes += bytes.length;
    },
    close() {
      if (!isClosed) closeSync(file);
      isClosed = true;
    },
  };
}
