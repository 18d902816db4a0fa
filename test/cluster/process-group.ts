// Runs the programs of one test server and guarantees that none outlives this process, however it ends: a watchdog
// holds the far end of a pipe, and when the pipe closes (exit, crash or SIGKILL) it kills what still runs.
// Programs are kept apart from the terminal, so Ctrl-C reaches them only through an orderly stop.

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface RunningProcess {
  readonly name: string;
  readonly pid: number;
  /** Settles when the process has ended; says how, for example `exit code 1` or `signal SIGKILL`. */
  readonly ended: Promise<string>;
  isRunning(): boolean;
  /** Sends `signal`, after `graceMs` SIGKILL, and waits for the end. */
  end(signal: "SIGTERM" | "SIGKILL", graceMs?: number): Promise<void>;
}

export interface ProcessGroup {
  /**
   * Starts a program whose output is appended to `logs/<name>.log`, with `env` on top of this process's environment.
   * Throws when the file cannot be run.
   */
  start(name: string, file: string, args: readonly string[], env?: Readonly<Record<string, string>>): RunningProcess;
  /** Kills the program of that name, if it runs. */
  end(name: string): Promise<void>;
  /** The last lines that a program wrote, each cut to 400 characters. */
  readLogTail(name: string, lines?: number): Promise<string>;
  /** Kills what runs, ends the watchdog and, with `removeDir`, removes the folder. May be called twice. */
  close(): Promise<void>;
}

// $1: the folder; $2: "remove" to delete it; then the command that clears up. The second attempt is for files that a
// dying program still writes.
const watchdogScript = `
while read -r _; do :; done
for file in "$1"/run/*.pid; do [ -e "$file" ] && kill -KILL "$(cat "$file")"; done
dir=$1 mode=$2
shift 2
[ $# -eq 0 ] || exec "$@"
[ "$mode" = remove ] || exit 0
rm -rf "$dir" || { sleep 1; rm -rf "$dir"; }
`;

interface ProcessGroupOptions {
  /** Holds logs and process ids; must exist. */
  readonly dir: string;
  /** Whether the folder goes at the end. */
  readonly removeDir: boolean;
  /** What the watchdog runs when this process is gone, in place of a removal: for what a group leaves outside its folder. */
  readonly orphanCommand?: readonly string[];
}

export function createProcessGroup({ dir, removeDir, orphanCommand = [] }: ProcessGroupOptions): ProcessGroup {
  for (const folder of ["logs", "run"]) mkdirSync(join(dir, folder), { recursive: true });
  const mode = removeDir ? "remove" : "keep";
  const watchdog = spawn("sh", ["-c", watchdogScript, "watchdog", dir, mode, ...orphanCommand], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const watchdogEnded = observeEnd(watchdog);
  const processes = new Set<RunningProcess>();
  const logPath = (name: string): string => join(dir, "logs", `${name}.log`);

  return {
    start(name, file, args, env = {}) {
      const log = openSync(logPath(name), "a");
      const child = spawn(file, args, {
        stdio: ["ignore", log, log],
        detached: true,
        cwd: dir,
        env: { ...process.env, ...env },
      });
      closeSync(log);
      const ended = observeEnd(child);
      if (child.pid === undefined) throw new Error(`expected to start ${name} from ${file}, but it cannot be run`);
      const pidPath = join(dir, "run", `${name}.pid`);
      writeFileSync(pidPath, `${child.pid}\n`);
      // Gone as soon as the process is: the watchdog must not kill whoever gets the number next.
      child.once("exit", () => rmSync(pidPath, { force: true }));
      const running = renderProcess(name, child, child.pid, ended);
      processes.add(running);
      void ended.then(() => processes.delete(running));
      return running;
    },

    async end(name) {
      await Promise.all([...processes].filter((each) => each.name === name).map((each) => each.end("SIGKILL")));
    },

    async readLogTail(name, lines = 15) {
      const text = await readFile(logPath(name), "utf8");
      const tail = text.trimEnd().split("\n").slice(-lines);
      return tail.map((line) => line.slice(0, 400)).join("\n");
    },

    async close() {
      await Promise.all([...processes].map((running) => running.end("SIGKILL")));
      watchdog.kill("SIGKILL");
      await watchdogEnded;
      if (removeDir) await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function renderProcess(name: string, child: ChildProcess, pid: number, ended: Promise<string>): RunningProcess {
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    name,
    pid,
    ended,
    isRunning,
    async end(signal, graceMs = 5_000) {
      if (!isRunning()) return;
      child.kill(signal);
      const grace = new AbortController();
      const overdue = delay(graceMs, "overdue", { signal: grace.signal }).catch(() => "ended");
      const outcome = await Promise.race([ended, overdue]);
      grace.abort();
      if (outcome === "overdue") child.kill("SIGKILL");
      await ended;
    },
  };
}

function observeEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}
