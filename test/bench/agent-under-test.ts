// The built agent runtime, started as its image starts it: with a compile cache that is warm and a small young generation.
import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunConfig } from "../../crds/run-config.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { benchEnvironment } from "./environment.ts";
import { nodeFlags, startServer, type ServerUnderTest } from "./server-under-test.ts";

const dist = benchEnvironment.BENCH_DIST ?? join(import.meta.dirname, "../../dist");
const benchFlags = benchEnvironment.BENCH_NODE_FLAGS.split(" ").filter((flag) => flag !== "");

export interface AgentUnderTest extends ServerUnderTest {
  readonly adminUrl: string;
}

/** Starts agents and keeps their compile cache between them. */
export interface AgentStarter extends AsyncDisposable {
  start(changes?: Partial<RunConfig>): Promise<AgentUnderTest>;
}

/** The cache is warm when this resolves: one agent has been started and stopped. */
export async function openAgentStarter(): Promise<AgentStarter> {
  const cache = mkdtempSync(join(tmpdir(), "pallas-bench-cache-"));
  const starter: AgentStarter = {
    start: (changes) => startAgent(cache, changes),
    [Symbol.asyncDispose]: () => rm(cache, { recursive: true, force: true }),
  };
  await (await starter.start())[Symbol.asyncDispose]();
  return starter;
}

async function startAgent(cache: string, changes: Partial<RunConfig> = {}): Promise<AgentUnderTest> {
  const port = await findFreePorts(2);
  const adminPort = port + 1;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const server = await startServer(async (dir) => {
    await writeFile(join(dir, "run-config.json"), JSON.stringify(renderTestConfig(changes)));
    return {
      name: "agent",
      file: process.execPath,
      args: [...nodeFlags, ...benchFlags, join(dist, "agent-runtime.js")],
      env: {
        NODE_COMPILE_CACHE: cache,
        PALLAS_RUN_CONFIG: join(dir, "run-config.json"),
        PALLAS_HISTORIES_DIR: join(dir, "histories"),
        PALLAS_HOST: "127.0.0.1",
        PALLAS_PORT: String(port),
        PALLAS_ADMIN_PORT: String(adminPort),
        PALLAS_DRAIN_DELAY_MS: "0",
      },
      url: `http://127.0.0.1:${port}`,
      readyUrl: `${adminUrl}/readyz`,
    };
  });
  return { ...server, adminUrl };
}
