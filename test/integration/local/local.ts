// `pallas up` as users run it: the built program on a copy of the quickstart, with free ports and a state folder of its own.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { localStateSchema, type LocalState } from "../../../crds/local-state.ts";
import { findFreePorts } from "../../../lib/process/testing/free-ports.ts";

const root = join(import.meta.dirname, "../../..");
export const quickstart = join(root, "examples/quickstart");
export const pallas = join(root, "dist/pallas.js");
export const startMs = 40_000;

/** A copy of the quickstart, run by `pallas up`. */
export class Local {
  readonly folder: string;
  readonly port: number;
  stdout = "";
  stderr = "";
  /** Further environment variables of every command. */
  variables: Readonly<Record<string, string>> = {};
  #process: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  static async create(toolPort: number): Promise<Local> {
    const base = await mkdtemp(join(tmpdir(), "pallas-local-"));
    await cp(quickstart, join(base, "manifests"), { recursive: true });
    const local = new Local(base, await findFreePorts(9));
    await local.edit("instance.yaml", (text) => text.replace("localhost:24290", `localhost:${toolPort}`));
    const secret =
      "apiVersion: v1\nkind: Secret\nmetadata: { name: keys }\nstringData: { token: 'a ${LOCAL_TOKEN}' }\n";
    await writeFile(join(base, "manifests/secret.yaml"), secret);
    await writeFile(join(base, "manifests/.env"), "LOCAL_TOKEN=first\n");
    return local;
  }

  get state(): string {
    return join(this.folder, "state");
  }

  get env(): NodeJS.ProcessEnv {
    // What the terminal of the tests wishes for is none of the commands' business.
    const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env;
    return { ...env, PALLAS_STATE_DIR: this.state, PALLAS_LOG_LEVEL: "INFO", ...this.variables };
  }

  get registryUrl(): string {
    return `http://localhost:${this.port}`;
  }

  /** Adds a manifest. */
  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, "manifests", name), text);
  }

  up(...args: string[]): void {
    const child = spawn(process.execPath, [pallas, "up", "-f", "manifests", "--port", String(this.port), ...args], {
      cwd: this.folder,
      env: this.env,
    });
    child.stdout.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#process = child;
  }

  /** Until the table is there. */
  async started(): Promise<void> {
    const check = (): void => {
      if (!/registry ready: |"settled"/.test(this.stdout)) {
        throw new Error(`no table yet; ${this.stdout}${this.stderr}`);
      }
    };
    await vi.waitFor(check, { timeout: startMs });
  }

  /** A command that ends by itself. */
  async run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, [pallas, ...args], { cwd: this.folder, env: this.env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    }
    await once(child, "close");
    return { code: child.exitCode, output };
  }

  async edit(name: string, change: (text: string) => string): Promise<void> {
    const path = join(this.folder, "manifests", name);
    const before = await readFile(path, "utf8");
    const after = change(before);
    if (after === before) throw new Error(`expected an edit of ${name}, found nothing to change`);
    // As editors do: nobody reads half of it.
    await writeFile(`${path}.new`, after);
    await rename(`${path}.new`, path);
  }

  async told(): Promise<LocalState> {
    return localStateSchema.parse(JSON.parse(await readFile(join(this.state, "local-state.json"), "utf8")));
  }

  /** Process ids of the agents, by name, once so many are told of: the file follows the terminal by a moment. */
  async pids(count = 3): Promise<Record<string, number>> {
    const { endpoints } = await vi.waitFor(async () => {
      const told = await this.told();
      if (told.endpoints.length !== count) {
        throw new Error(`expected ${count} processes, found ${told.endpoints.length}`);
      }
      return told;
    });
    return Object.fromEntries(endpoints.map(({ agent, pod }) => [agent, Number(pod.slice(agent.length + 1))]));
  }

  /** Sends it without waiting for what comes of it. */
  send(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  async signal(name: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const closed = once(child, "exit");
    child.kill(name);
    await closed;
    return child.exitCode;
  }

  async remove(): Promise<void> {
    await this.signal("SIGKILL");
    // Its processes notice a moment later.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
