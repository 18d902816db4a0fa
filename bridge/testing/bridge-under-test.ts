// A whole bridge on free ports in this process, before the server of stdio-server.ts or any other, and a client that says what it
// likes in the 2025 era.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  bridgeHealthSchema,
  parseBridgeConfig,
  type BridgeConfig,
  type BridgeHealth,
} from "../../crds/bridge-config.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { listen } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { createBridge, type Bridge, type bridgeLimits } from "../bridge.ts";
import { parseEnvironment } from "../environment.ts";
import { createBridgeMetrics } from "../metrics.ts";

/** Starts the server of the tests; the word says how it behaves. */
export const testedCommand = (mode = "well"): string[] => [
  process.execPath,
  join(import.meta.dirname, "stdio-server.ts"),
  mode,
];

export interface BridgeUnderTestOptions {
  target?: BridgeConfig["target"];
  mode?: string;
  sessions?: Partial<BridgeConfig["sessions"]>;
  tools?: Partial<BridgeConfig["tools"]>;
  timeoutMs?: number;
  bodyLimitBytes?: number;
  limits?: Partial<typeof bridgeLimits>;
  clock?: Clock;
  /** Of the bridge's own process. */
  variables?: Record<string, string>;
  secretsDir?: string;
}

export interface BridgeUnderTest {
  bridge: Bridge;
  url: string;
  adminUrl: string;
  work: string;
  logLines: string[];
  health(): Promise<BridgeHealth>;
  metric(name: string): Promise<number>;
}

/** Ends with the test. */
export async function startBridge(options: BridgeUnderTestOptions = {}): Promise<BridgeUnderTest> {
  const { mode, clock = systemClock, variables = {}, limits = {} } = options;
  const work = await mkdtemp(join(tmpdir(), "pallas-bridge-"));
  const config = renderConfig(options, testedCommand(mode));
  const environment = parseEnvironment({
    PALLAS_BRIDGE_WORK: work,
    PALLAS_SECRETS_DIR: options.secretsDir,
    ...variables,
  });
  const logLines: string[] = [];
  const destination = { write: (line: string) => void logLines.push(line) };
  const log = createLogger({ logger: "pallas.bridge", level: "DEBUG", destination });
  const metrics = createBridgeMetrics(() => bridge);
  const onDraining = () => undefined;
  const own = { PATH: process.env["PATH"], ...variables };
  const bridge = await createBridge({ config, environment, variables: own, metrics, onDraining, limits, log, clock });
  const server = await listen(bridge.app.fetch, { port: 0, hostname: "127.0.0.1", log });
  const admin = await listen(bridge.adminApp.fetch, { port: 0, hostname: "127.0.0.1", log });
  onTestFinished(async () => {
    await bridge.close();
    await Promise.all([server, admin].map((each) => each.close({ graceMs: 0 })));
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  });
  const ask = async (path: string) => await fetch(`${admin.url}${path}`);
  return {
    bridge,
    url: `${server.url}/mcp`,
    adminUrl: admin.url,
    work,
    logLines,
    health: async () => bridgeHealthSchema.parse(await (await ask("/health")).json()),
    async metric(name) {
      const text = await (await ask("/metrics")).text();
      const line = text.split("\n").find((each) => each.startsWith(`${name} `));
      return Number(line?.slice(name.length + 1));
    },
  };
}

function renderConfig(options: BridgeUnderTestOptions, command: string[]): BridgeConfig {
  const config: BridgeConfig = {
    schema: 1,
    server: { name: "tested", namespace: "tests", instance: "ouranos", version: "1.0.0" },
    target: options.target ?? { kind: "command", command, env: [] },
    sessions: { processes: "perSession", max: 16, idleTtlMs: 600_000, ...options.sessions },
    tools: { allow: [], deny: [], ...options.tools },
    timeoutMs: options.timeoutMs ?? 20_000,
    ports: { http: 0, admin: 0 },
    http: { allowedHosts: [], allowedOrigins: [], bodyLimitBytes: options.bodyLimitBytes ?? 4_000_000 },
    drainTimeoutMs: 5_000,
    logLevel: "INFO",
  };
  return parseBridgeConfig(JSON.stringify(config));
}
