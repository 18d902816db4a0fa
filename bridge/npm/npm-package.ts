// A package of npm in a folder of its own below the work folder: installed by npm once, then found as programs in it. npx would
// stay beside every process that it starts, with as much memory as a small server. Which program is meant is decided as
// npx does: the only one, or the one with the package's own name.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { BridgeTarget } from "../../crds/bridge-config.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { ChildEnvironment } from "../stdio/child-process.ts";
import type { ErrorLog } from "../stdio/error-log.ts";

export type NpmPackage = Extract<BridgeTarget, { kind: "npm" }>["package"];

export interface NpmPackageParts {
  readonly package: NpmPackage;
  /** Belongs to this package alone; it is emptied when another version is wanted. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly errorLog: ErrorLog;
  readonly clock: Clock;
}

export interface InstalledProgram {
  readonly program: string;
  /** Of all programs of the package and of what it needs, for PATH. */
  readonly binFolder: string;
}

/** What stays the same whenever it is asked for, so that what is there needs no look at the registry. */
const exactVersion = /^\d+\.\d+\.\d+(?:[-+].*)?$/;
const quietly = [
  ...["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--no-update-notifier"],
  "--loglevel=error",
];
const maxManifestBytes = 1024 * 1024;
const manifestSchema = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]).optional() });

export class InstalledPackage {
  readonly #parts: NpmPackageParts;
  readonly #spec: string;
  readonly #isExact: boolean;
  readonly #bins: string;
  #installed: Promise<string> | undefined;
  #npm: ChildProcess | undefined;
  #isClosed = false;

  constructor(parts: NpmPackageParts) {
    const { name, version } = parts.package;
    this.#parts = parts;
    this.#spec = version === undefined ? name : `${name}@${version}`;
    this.#isExact = exactVersion.test(version ?? "");
    this.#bins = join(parts.folder, "node_modules/.bin");
  }

  /** Installs it unless it is there. Rejects with a sentence that goes on "the server's process …". */
  async open(environment: ChildEnvironment): Promise<InstalledProgram> {
    this.#installed ??= this.#find(environment);
    try {
      const program = await this.#installed;
      await access(program);
      return { program, binFolder: this.#bins };
    } catch (error) {
      this.#installed = undefined;
      throw error;
    }
  }

  /** Ends an installation that goes on. */
  close(): void {
    this.#isClosed = true;
    killGroup(this.#npm);
  }

  async #find(environment: ChildEnvironment): Promise<string> {
    const { folder, package: wanted } = this.#parts;
    const marker = join(folder, ".installed");
    const isThere = this.#isExact && (await readText(marker)) === this.#spec;
    if (!isThere) {
      // What an installation left that was cut off, or that of another version.
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      await this.#install(environment);
      await writeFile(marker, this.#spec);
    }
    const name = wanted.program ?? (await this.#findOwnProgram());
    const program = join(this.#bins, name);
    await access(program).catch((cause: unknown) => {
      throw new Error(`cannot be started: ${this.#spec} has no program ${name}; name one of its own in command`, {
        cause,
      });
    });
    return program;
  }

  async #findOwnProgram(): Promise<string> {
    const {
      folder,
      package: { name },
    } = this.#parts;
    const text = await readText(join(folder, "node_modules", name, "package.json"));
    const { bin = {} } = manifestSchema.parse(JSON.parse(text ?? "{}"));
    const own = name.replace(/^@[^/]+\//, "");
    if (typeof bin === "string") return own;
    const names = Object.keys(bin);
    const [first] = names;
    if (first !== undefined && new Set(Object.values(bin)).size === 1) return first;
    if (Object.hasOwn(bin, own)) return own;
    const found = names.length === 0 ? "none" : names.slice(0, 10).join(", ");
    throw new Error(`cannot be started: expected one program in ${this.#spec}, found ${found}; name it in command`);
  }

  async #install({ variables, secrets }: ChildEnvironment): Promise<void> {
    const { folder, timeoutMs, errorLog, clock } = this.#parts;
    if (this.#isClosed) throw new Error("was not wanted any more");
    const offline = this.#isExact ? ["--prefer-offline"] : [];
    const args = ["install", "--prefix", folder, ...quietly, ...offline, "--", this.#spec];
    const npm = spawn("npm", args, {
      cwd: folder,
      env: { ...variables },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    this.#npm = npm;
    const errors = errorLog.open(secrets);
    npm.stderr.on("data", (chunk: Buffer) => errors.push(chunk)).on("error", () => undefined);
    let isLate = false;
    const timer = clock.schedule(timeoutMs, () => {
      isLate = true;
      killGroup(npm);
    });
    try {
      const [code, signal] = await waitForEnd(npm);
      errors.end();
      if (isLate) throw new Error(`cannot be installed: npm was not done with ${this.#spec} within ${timeoutMs} ms`);
      const end = typeof signal === "string" ? `was ended by ${signal}` : `exited with code ${String(code)}`;
      if (code !== 0) throw new Error(`cannot be installed: npm install ${this.#spec} ${end}`);
    } finally {
      timer.cancel();
      this.#npm = undefined;
    }
  }
}

/** Its exit code and the signal that ended it. */
async function waitForEnd(npm: ChildProcess): Promise<unknown[]> {
  try {
    return await once(npm, "close");
  } catch (cause) {
    throw new Error("cannot be installed: there is no npm on its PATH; install Node.js with npm", { cause });
  }
}

function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    return; // Nobody is left in it.
  }
}

async function readText(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text !== undefined && text.length > maxManifestBytes) throw new Error(`cannot be started: ${path} is too large`);
  return text;
}
