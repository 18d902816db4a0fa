// Bridges before one and the same stdio server, each as a process of its own that is looked at from outside: the built one, and
// those that others have published.
import { mkdtempSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BridgeConfig } from "../../crds/bridge-config.ts";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { createProcessGroup } from "../cluster/process-group.ts";
import { findScript, openNpmPackages } from "../compat/npm-packages.ts";
import { readImageStart } from "./image-start.ts";
import { readUsage, type ProcessUsage } from "./process-usage.ts";

export const bridges = ["pallas", "mcp-proxy", "supergateway"] as const;
export type BridgeName = (typeof bridges)[number];

export interface BridgeUnderTest extends AsyncDisposable {
  readonly url: string;
  /** Of the bridge alone, without the server's processes. */
  usage(): Promise<ProcessUsage>;
}

/** What is measured with. */
export const serverCommand = [process.execPath, join(import.meta.dirname, "bare/stdio-server.ts")];

const startTimeoutMs = 60_000;

export async function startBridgeUnderTest(name: BridgeName): Promise<BridgeUnderTest> {
  const port = await findFreePorts(2);
  const dir = mkdtempSync(join(tmpdir(), "pallas-bench-"));
  const { args, env } = name === "pallas" ? await renderOwn(dir, port) : await renderOther(name, port);
  const group = createProcessGroup({ dir, removeDir: true });
  const program = group.start(name, process.execPath, args, env);
  const url = `http://127.0.0.1:${port}/mcp`;
  const deadline = Date.now() + startTimeoutMs;
  while (!(await answers(url))) {
    if (!program.isRunning() || Date.now() > deadline) {
      const tail = await group.readLogTail(name);
      await group.close();
      throw new Error(`expected ${name} to answer at ${url}, found it silent; the end of its log:\n${tail}`);
    }
    await delay(100);
  }
  return {
    url,
    usage: () => readUsage(program.pid),
    async [Symbol.asyncDispose]() {
      await program.end("SIGTERM");
      await group.close();
    },
  };
}

async function renderOwn(dir: string, port: number) {
  const config: BridgeConfig = {
    schema: 1,
    server: { name: "bench", namespace: "agents", instance: "bench", version: "1.0.0" },
    target: { kind: "command", command: serverCommand, env: [] },
    sessions: { processes: "perSession", max: 64, idleTtlMs: 600_000 },
    tools: { allow: [], deny: [] },
    timeoutMs: 60_000,
    ports: { http: port, admin: port + 1 },
    http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: 4_194_304 },
    drainTimeoutMs: 1_000,
    logLevel: "INFO",
  };
  await writeFile(join(dir, "bridge.json"), JSON.stringify(config));
  const { flags, program, env } = readImageStart("bridge");
  return {
    args: [...flags, program],
    env: {
      ...env,
      PALLAS_BRIDGE_CONFIG: join(dir, "bridge.json"),
      PALLAS_BRIDGE_WORK: join(dir, "work"),
      PALLAS_HOST: "127.0.0.1",
      PALLAS_DRAIN_DELAY_MS: "0",
    },
  };
}

async function renderOther(name: Exclude<BridgeName, "pallas">, port: number) {
  const script = await findScript(await openNpmPackages("bridges"), name);
  const args =
    name === "mcp-proxy"
      ? [script, "--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--", ...serverCommand]
      : [
          script,
          ...["--stdio", serverCommand.join(" "), "--outputTransport", "streamableHttp", "--stateful"],
          ...["--port", String(port), "--logLevel", "none"],
        ];
  return { args, env: {} };
}

/** Whatever it answers. */
async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { method: "POST", body: "{}" })).body?.cancel();
    return true;
  } catch {
    return false;
  }
}
