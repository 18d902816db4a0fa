// A server as a child process of the bridge, in a process group of its own: what it starts ends with it. Its environment is what
// it is given and nothing of the bridge's. Starting it again, and when, is others' business.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { settledWithin, type Clock } from "../../lib/process/clock.ts";
import type { ErrorLog } from "./error-log.ts";
import { createShowText } from "./shown-text.ts";
import {
  readOutput,
  type Launch,
  type OutputOptions,
  type ProcessEvents,
  type ServerProcess,
} from "./server-process.ts";

export interface ChildEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Values in it that nobody may see. */
  readonly secrets: readonly string[];
}

export interface ChildOptions extends OutputOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  /** Read at each start, so that a rotated secret is used. */
  readonly readEnvironment: () => Promise<ChildEnvironment>;
  readonly errorLog: ErrorLog;
  readonly clock: Clock;
}

/** To end by itself once its standard input is closed, then after SIGTERM. */
const graceMs = { close: 500, terminate: 2_000, streams: 1_000 };

export function createChildLaunch(options: ChildOptions): Launch {
  const { command, cwd, readEnvironment, errorLog, clock } = options;
  const [program = "", ...args] = command;
  return async (events) => {
    const { variables, secrets } = await readEnvironment();
    const child = spawn(program, args, { cwd, env: { ...variables }, stdio: "pipe", detached: true });
    const errors = errorLog.open(secrets);
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk)).on("error", () => undefined);
    if (child.pid === undefined) {
      const [error] = await once(child, "error");
      throw new Error(`cannot be started: ${renderSpawnError(error, program, cwd)}`, { cause: error });
    }
    child.on("error", () => undefined);
    const output = readOutput(events, options);
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk)).on("error", () => undefined);
    const ended = followEnd(child, { events, clock, onLast: () => [output, errors].forEach((each) => each.end()) });
    return { showText: createShowText(secrets), ...renderProcess(child, ended, clock) };
  };
}

function renderProcess(
  child: ChildProcessWithoutNullStreams,
  ended: Promise<void>,
  clock: Clock,
): Omit<ServerProcess, "showText"> {
  // What is written to one that has ended is lost; whoever waits hears of its end.
  child.stdin.on("error", () => undefined);
  let ending: Promise<void> | undefined;
  const end = async () => {
    child.stdin.end();
    if (await settledWithin(ended, graceMs.close, clock)) return;
    killGroup(child, "SIGTERM");
    if (await settledWithin(ended, graceMs.terminate, clock)) return;
    killGroup(child, "SIGKILL");
    await ended;
  };
  return {
    send: (text) => void (child.stdin.writable && child.stdin.write(`${text}\n`)),
    unreadBytes: () => child.stdin.writableLength,
    end: () => (ending ??= end()),
  };
}

/** Resolves when the process has ended, all that it had started was ended too, and what it wrote is read. */
async function followEnd(
  child: ChildProcessWithoutNullStreams,
  { events, clock, onLast }: { events: ProcessEvents; clock: Clock; onLast: () => void },
): Promise<void> {
  const closed = once(child, "close");
  const [code, signal]: unknown[] = await once(child, "exit");
  killGroup(child, "SIGKILL");
  // One that left the group may hold the streams open for as long as it likes.
  if (!(await settledWithin(closed, graceMs.streams, clock))) {
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
  onLast();
  events.onEnd(typeof signal === "string" ? `was ended by ${signal}` : `exited with code ${String(code)}`);
}

function killGroup({ pid }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    return; // Nobody is left in it.
  }
}

function renderSpawnError(error: unknown, program: string, cwd: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return `there is no program ${program} on its PATH, or no folder ${cwd}`;
  if (code === "EACCES") return `${program} may not be executed`;
  return String(code ?? error);
}
