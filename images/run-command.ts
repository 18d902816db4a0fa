// Runs a program to its end and gives what it prints; a failure says the command, how it ended and the end of what it said.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);
const maxOutputBytes = 64 * 1024 * 1024;
const maxShownChars = 2_000;

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly cwd?: string;
  /** Beside this process's own variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function runCommand(file: string, args: readonly string[], options: CommandOptions): Promise<string> {
  try {
    const { stdout } = await execute(file, [...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      timeout: options.timeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: maxOutputBytes,
    });
    return stdout;
  } catch (error) {
    throw new Error(`expected \`${[file, ...args].join(" ")}\` to succeed, found ${describe(error)}`, { cause: error });
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stderr = "stderr" in error ? String(error.stderr).trim().slice(-maxShownChars) : "";
  return stderr === "" ? error.message : stderr;
}
