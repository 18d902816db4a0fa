// A server of a benchmark as a process of its own, looked at from outside. It says its URL itself, and cannot outlive
// the benchmark.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createProcessGroup } from "../cluster/process-group.ts";
import { readImageStart } from "./image-start.ts";
import { readCollectedHeap } from "./inspected-heap.ts";
import { readUsage, type ProcessUsage } from "./process-usage.ts";

export interface ProgramUnderTest extends AsyncDisposable {
  /** As the program has said it, without a trailing slash. */
  readonly url: string;
  usage(): Promise<ProcessUsage>;
  /** Bytes in use on a Node program's heap after a full collection. Opens its debugger: nothing may be timed afterwards. */
  collectedHeapBytes(): Promise<number>;
}

export interface ProgramOptions {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const startTimeoutMs = 60_000;
const pollMs = 50;

/** Resolves with the first http URL that it prints. */
export async function startProgram({ name, file, args, env = {} }: ProgramOptions): Promise<ProgramUnderTest> {
  const group = createProcessGroup({ dir: mkdtempSync(join(tmpdir(), "pallas-bench-")), removeDir: true });
  const program = group.start(name, file, args, env);
  const readLog = () => group.readLogTail(name, Number.POSITIVE_INFINITY);
  const find = async (what: string, pattern: RegExp): Promise<string> => {
    const deadline = Date.now() + startTimeoutMs;
    for (;;) {
      const found = pattern.exec(await readLog())?.[0];
      if (found !== undefined) return found;
      if (!program.isRunning() || Date.now() > deadline) {
        const tail = await group.readLogTail(name);
        await group.close();
        throw new Error(`expected ${name} to say ${what} within ${startTimeoutMs} ms; the end of its log:\n${tail}`);
      }
      await delay(pollMs);
    }
  };
  return {
    url: await find("its URL", /http:\/\/[\w.]+:\d+/),
    usage: () => readUsage(program.pid),
    async collectedHeapBytes() {
      process.kill(program.pid, "SIGUSR1");
      return readCollectedHeap(await find("where its debugger listens", /ws:\/\/\S+/));
    },
    async [Symbol.asyncDispose]() {
      await program.end("SIGTERM"); // may be called twice
      await group.close();
    },
  };
}

/** The built registry; resolves when it has read its resources. */
export async function startRegistryUnderTest(env: Readonly<Record<string, string>>): Promise<ProgramUnderTest> {
  const image = readImageStart("registry");
  const registry = await startProgram({
    name: "registry",
    file: process.execPath,
    args: ["--inspect-port=127.0.0.1:0", ...image.flags, image.program],
    env: { ...image.env, PALLAS_HOST: "127.0.0.1", PALLAS_PORT: "0", PALLAS_DRAIN_DELAY_MS: "0", ...env },
  });
  const deadline = Date.now() + startTimeoutMs;
  while ((await fetch(`${registry.url}/readyz`)).status !== 200) {
    if (Date.now() > deadline) throw new Error(`expected the registry to be ready within ${startTimeoutMs} ms`);
    await delay(pollMs);
  }
  return registry;
}
