// One program of ours as a child process: started, listened to, stopped. It decides nothing about starting it again.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { childGuardUrl } from "./child-guard.ts";
import { isTelling, plainLine, shortLine, splitLines } from "./child-output.ts";

/** For a process that was hurried to tell its callers and go. */
const hurriedGraceMs = 5_000;

export interface RunningChild {
  pid: number;
  /** Base URL below which /readyz is. */
  adminUrl: string;
  /** Says how it ended, with its last line; never rejects. */
  exited: Promise<string>;
  /**
   * SIGTERM, and SIGKILL after the grace; resolves when the process is gone. When `hurry` aborts, a second signal asks it
   * to end its calls with a result, for which it has a moment.
   */
  stop(graceMs: number, hurry?: AbortSignal): Promise<void>;
}

export interface ChildOptions {
  /** Path of the program. */
  program: string;
  env: Readonly<Record<string, string | undefined>>;
  adminUrl: string;
  /** Every line it writes, as it stands. */
  onLine(line: string): void;
  /** A line worth a person's eye. */
  onWarning(text: string): void;
}

/** Starts a program. A program that cannot be started counts as one that has ended. */
export function startChild({ program, env, adminUrl, onLine, onWarning }: ChildOptions): RunningChild {
  const child = spawn(process.execPath, ["--import", childGuardUrl, program], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Its own process group: Ctrl-C in the terminal reaches us alone, so that we can stop things in order.
    detached: true,
  });
  let lastLine = "";
  const take = (line: string): void => {
    onLine(line);
    if (isTelling(line)) lastLine = line;
    const short = shortLine(line);
    if (short !== undefined) onWarning(short);
  };
  for (const stream of [child.stdout, child.stderr]) if (stream) splitLines(stream, take);

  const { promise: exited, resolve } = Promise.withResolvers<string>();
  child.once("error", (error) => resolve(`could not be started: ${error.message}`));
  // "close" comes after the last line has been read.
  child.once("close", (code, signal) => {
    const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
    resolve(lastLine === "" ? how : `${how}; its last line: ${plainLine(lastLine)}`);
  });
  return {
    pid: child.pid ?? 0,
    adminUrl,
    exited,
    async stop(graceMs, hurry) {
      const killIn = (delayMs: number) => setTimeout(() => child.kill("SIGKILL"), delayMs);
      child.kill("SIGTERM");
      let timer = killIn(graceMs);
      const onHurry = (): void => {
        // Another signal than the first: two of a kind that come together count as one.
        child.kill("SIGINT");
        clearTimeout(timer);
        timer = killIn(Math.min(graceMs, hurriedGraceMs));
      };
      if (hurry?.aborted === true) onHurry();
      else hurry?.addEventListener("abort", onHurry, { once: true });
      await exited;
      hurry?.removeEventListener("abort", onHurry);
      clearTimeout(timer);
    },
  };
}

/**
 * A port that nobody has on this address right now.
 * @param taken ports that are promised to somebody
 */
export async function findFreePort(host: string, taken: ReadonlySet<number>): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = await tryPort(0, host);
    if (!taken.has(port)) return port;
  }
  throw new Error(`no free port was found on ${host} in 20 tries; close programs that hold many ports`);
}

/**
 * Binds a port and lets it go again.
 * @returns the port
 * @throws Error with the code EADDRINUSE, EACCES or EADDRNOTAVAIL when it cannot be bound
 */
export function tryPort(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}

export const isFree = (port: number, host: string): Promise<boolean> =>
  tryPort(port, host).then(
    () => true,
    () => false,
  );
