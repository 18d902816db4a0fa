// A server as a process of its own on a free port of loopback, looked at from outside. It cannot outlive the benchmark.
import { mkdtempSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { build as bundle } from "esbuild";
import { programOptions } from "../../build.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { createProcessGroup } from "../cluster/process-group.ts";
import { readImageStart } from "./image-start.ts";
import { readUsage, type ProcessUsage } from "./process-usage.ts";

export interface ServerUnderTest extends AsyncDisposable {
  readonly url: string;
  /** From spawn until it answered. */
  readonly startMs: number;
  /** What it had used by then. */
  readonly startUsage: ProcessUsage;
  usage(): Promise<ProcessUsage>;
}

export interface ServerCommand {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Base URL of what is measured. */
  readonly url: string;
  /** Any answer but a 5xx says that it serves. */
  readonly readyUrl: string;
}

const startTimeoutMs = 120_000;
const pollMs = 5;

/** Starts the program; resolves when it serves. `render` gets an empty folder that is removed in the end. */
export async function startServer(render: (dir: string) => Promise<ServerCommand>): Promise<ServerUnderTest> {
  const dir = mkdtempSync(join(tmpdir(), "pallas-bench-"));
  const group = createProcessGroup({ dir, removeDir: true });
  try {
    const { name, file, args, env = {}, url, readyUrl } = await render(dir);
    const startedAt = performance.now();
    const running = group.start(name, file, args, env);
    while (!(await isServing(readyUrl))) {
      if (!running.isRunning() || performance.now() - startedAt > startTimeoutMs) {
        throw new Error(`expected ${name} to serve ${readyUrl}; the end of its log:\n${await group.readLogTail(name)}`);
      }
      await delay(pollMs);
    }
    return {
      url,
      startMs: performance.now() - startedAt,
      startUsage: await readUsage(running.pid),
      usage: () => readUsage(running.pid),
      async [Symbol.asyncDispose]() {
        await running.end("SIGTERM");
        await group.close();
      },
    };
  } catch (error) {
    await group.close();
    throw error;
  }
}

/** A server of bare/ with more arguments than its port, bundled as an agent is and started with the same flags: unbundled it would take a third more memory. */
export async function startBareServer(
  kind: "echo" | "sdk-2025" | "sdk-2026" | "mcp-table" | "tool-servers" | "catalogue-servers",
  more: readonly string[] = [],
): Promise<ServerUnderTest> {
  const port = await findFreePorts();
  const url = `http://127.0.0.1:${port}`;
  return startServer(async (dir) => {
    const program = join(dir, `${kind}.js`);
    await bundle({ ...programOptions, entryPoints: [join(import.meta.dirname, `bare/${kind}.ts`)], outfile: program });
    const { flags, env } = readImageStart("agent-runtime");
    return {
      name: kind,
      file: process.execPath,
      args: [...flags, program, String(port), ...more],
      env,
      url,
      readyUrl: url,
    };
  });
}

/** Not by fetch, which would keep a connection to a program that is about to be measured. */
function isServing(url: string): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  const request = get(url, { agent: false }, (response) => {
    response.resume();
    answered.resolve((response.statusCode ?? 500) < 500);
    request.destroy(); // an event stream does not end by itself
  });
  request.on("error", () => answered.resolve(false));
  return answered.promise;
}
