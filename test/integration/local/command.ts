// One command of the built program `pallas`, with its two outputs apart.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { vi } from "vitest";
import { pallas } from "./local.ts";

export interface CommandOptions {
  folder: string;
  env: NodeJS.ProcessEnv;
  /** On standard input; without it that is empty. */
  input?: string;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Command {
  /** Waits until standard output fits. */
  until(pattern: RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

export function startCommand(args: readonly string[], { folder, env, input = "" }: CommandOptions): Command {
  const child = spawn(process.execPath, [pallas, ...args], { cwd: folder, env });
  child.stdin.on("error", () => undefined); // it may end before it has read
  child.stdin.end(input);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close").then((): Ended => ({ code: child.exitCode, stdout, stderr }));
  const until = (pattern: RegExp): Promise<void> =>
    vi.waitFor(
      () => {
        if (!pattern.test(stdout)) throw new Error(`expected ${String(pattern)}, found:\n${stdout}\n${stderr}`);
      },
      { timeout: 30_000 },
    );
  return { until, signal: (name) => void child.kill(name), ended };
}
