// A new user's home: an empty folder, an environment without anybody's keys, and the built program `pallas` in it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { findFreePorts } from "../../../lib/process/testing/free-ports.ts";
import { startCommand, type Ended } from "./command.ts";
import { pallas } from "./local.ts";

export interface RunningUp {
  /** Both outputs so far. */
  shown(): string;
  /** Waits until they fit. */
  until(pattern: RegExp): Promise<void>;
  stop(): Promise<void>;
}

export class Home implements AsyncDisposable {
  readonly folder: string;
  /** Of the registry; agents get those after it. */
  readonly port: number;
  /** Set in every command. */
  variables: Readonly<Record<string, string>> = {};
  readonly #running: RunningUp[] = [];

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  static async create(): Promise<Home> {
    return new Home(await mkdtemp(join(tmpdir(), "pallas-home-")), await findFreePorts(9));
  }

  get env(): NodeJS.ProcessEnv {
    return { PATH: process.env["PATH"], HOME: this.folder, ...this.variables };
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), text);
  }

  /** A command of `pallas` that ends by itself. */
  run(...args: string[]): Promise<Ended> {
    return startCommand(args, { folder: this.folder, env: this.env }).ended;
  }

  chat(agent: string, message: string): Promise<Ended> {
    return this.run("chat", agent, "--registry", `http://localhost:${this.port}`, "-m", message);
  }

  /** `pallas up` on a folder of this home, until `stop` or the end. */
  up(folder: string): RunningUp {
    const child = spawn(process.execPath, [pallas, "up", "-f", folder, "--port", String(this.port)], {
      cwd: this.folder,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let shown = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (shown += String(chunk)));
    const closed = once(child, "close");
    const running: RunningUp = {
      shown: () => shown,
      until: (pattern) =>
        vi.waitFor(
          () => {
            if (!pattern.test(shown)) throw new Error(`expected ${String(pattern)}, found:\n${shown}`);
          },
          { timeout: 40_000 },
        ),
      async stop() {
        child.kill("SIGINT");
        await closed;
      },
    };
    this.#running.push(running);
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((running) => running.stop()));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
