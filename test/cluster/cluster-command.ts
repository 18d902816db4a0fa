// Runs a command-line client of a test cluster: what it prints is the result, another exit code than 0 an error.

import { execFile } from "node:child_process";

interface CommandOptions {
  /** The program's standard input, for `-f -`. */
  readonly input?: string;
  /** Default 60 s. */
  readonly timeoutMs?: number;
}

/** Resolves with standard output; rejects with standard error in the message when it exits with another code than 0. */
export type ClusterCommand = (args: readonly string[], options?: CommandOptions) => Promise<string>;

interface CommandSetup {
  /** For messages. */
  readonly name: string;
  readonly path: string;
  /** On top of this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export function createCommand({ name, path, env = {} }: CommandSetup): ClusterCommand {
  return (args, { input, timeoutMs = 60_000 } = {}) =>
    new Promise((resolve, reject) => {
      const options = { env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(path, [...args], options, (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const why = error.killed === true ? `no end within ${timeoutMs} ms or too much output` : `code ${error.code}`;
        reject(new Error(`${name} ${args.join(" ")} failed (${why}): ${stderr.trim()}`, { cause: error }));
      });
      // The program may end before it has read all input; its exit code then says why, and EPIPE here would only hide it.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(input);
    });
}
