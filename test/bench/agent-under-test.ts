// The built agent runtime, started as its image starts it: with its flags, and without a compile cache.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LiveConfig, RunConfig } from "../../crds/run-config.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { readImageStart } from "./image-start.ts";
import { startServer, type ServerUnderTest } from "./server-under-test.ts";

export interface AgentUnderTest extends ServerUnderTest {
  readonly adminUrl: string;
}

/** Resolves when it is ready; its scope is the default one, unless `changes` has another. Without `live` there is no such file. */
export async function startAgent(changes: Partial<RunConfig> = {}, live?: LiveConfig): Promise<AgentUnderTest> {
  const { flags, program, env } = readImageStart("agent-runtime");
  const port = await findFreePorts(2);
  const adminPort = port + 1;
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const server = await startServer(async (dir) => {
    await writeFile(join(dir, "run-config.json"), JSON.stringify(renderTestConfig(changes)));
    if (live !== undefined) await writeFile(join(dir, "live-config.json"), JSON.stringify(live));
    return {
      name: "agent",
      file: process.execPath,
      args: [...flags, program],
      env: {
        ...env,
        PALLAS_RUN_CONFIG: join(dir, "run-config.json"),
        PALLAS_LIVE_CONFIG: join(dir, "live-config.json"),
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
