// The agent as it runs in a pod: a child process of its own, on free ports, with its log lines.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { RunConfig } from "../../crds/run-config.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";

export interface AgentProcess {
  pid: number;
  url: string;
  adminUrl: string;
  lines: Record<string, unknown>[];
  historiesDir: string;
  /** Where its live configuration is looked for; nothing is there. */
  liveConfig: string;
  /** All that it wrote to standard output and standard error. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, once all output was read too. */
  exited: Promise<number | null>;
  stop(): Promise<void>;
}

/**
 * Starts main.ts, or another `program`; does not wait until it listens. `launcher` is a command that runs the rest of its
 * arguments.
 */
export async function startAgentProcess(
  config: RunConfig | string,
  env: Record<string, string> = {},
  program: string = join(import.meta.dirname, "..", "main.ts"),
  { launcher = [], flags = [] }: { launcher?: readonly string[]; flags?: readonly string[] } = {},
): Promise<AgentProcess> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-process-"));
  const path = join(folder, "run-config.json");
  await writeFile(path, typeof config === "string" ? config : JSON.stringify(config));
  const freePort = await findFreePorts(2);
  const adminPort = freePort + 1;
  // A caller's own takes the place of an agent that was there before.
  const port = env["PALLAS_PORT"] ?? freePort;
  const [command, ...args] = [...launcher, process.execPath, ...flags, program];
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      PALLAS_RUN_CONFIG: path,
      PALLAS_LIVE_CONFIG: join(folder, "live-config.json"),
      PALLAS_HISTORIES_DIR: join(folder, "histories"),
      PALLAS_HOST: "127.0.0.1",
      PALLAS_PORT: String(port),
      PALLAS_ADMIN_PORT: String(adminPort),
      ...env,
    },
  });
  const lines: Record<string, unknown>[] = [];
  const written: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => written.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => written.push(chunk));
  child.stderr.pipe(process.stderr);
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  const exited = once(child, "close").then(([code]: (number | null)[]) => code ?? null);
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const urlOf = (of: number | string) => `http://127.0.0.1:${of}`;
  return {
    pid: child.pid ?? 0,
    url: urlOf(port),
    adminUrl: urlOf(adminPort),
    lines,
    historiesDir: join(folder, "histories"),
    liveConfig: join(folder, "live-config.json"),
    output: () => Buffer.concat(written).toString("utf8"),
    kill: (signal) => child.kill(signal),
    exited,
    stop,
  };
}
