// A gateway on loopback for tests: real HTTP, its log to read, a token table in a folder, a cluster's issuer in place of an API
// server, and a state that a test sets.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AgentFinding } from "../../lib/auth/authenticate.ts";
import { createClusterIssuer, type TestClusterIssuer } from "../../lib/auth/testing/cluster-issuer.ts";
import { staticTools, type McpTable, type ToolEntry } from "../../lib/mcp/table.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import { listen, type RunningServer } from "../../lib/process/http-server.ts";
import { createLogger } from "../../lib/process/log.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../gateway.ts";
import { openKeptSessions } from "../kept-sessions.ts";
import { createGatewayMetrics, type GatewayMetrics, type Observed } from "../metrics.ts";
import { noPresets } from "../state/presets.ts";
import type { StateSource } from "../state/state.ts";
import { testConfig } from "./resources.ts";

export interface ServedGateway {
  url: string;
  adminUrl: string;
  gateway: Gateway;
  metrics: GatewayMetrics;
  issuer: TestClusterIssuer;
  state: { unready: string | undefined; finding: AgentFinding };
  logs: Record<string, unknown>[];
  /** Puts a token into the table `tokens/{key}`, in place of what is there. */
  allow(key: string, token: string, expiry?: string): Promise<void>;
}

const digestLine = (token: string, expiry = ""): string =>
  `sha256:${createHash("sha256").update(token).digest("hex")} ${expiry}\n`;

export const tableOf = (...tools: ToolEntry[]): McpTable => ({
  server: { name: "pallas-gateway", version: "1" },
  tools: staticTools(tools),
  prompts: [],
});

export interface ServedOptions extends Partial<
  Pick<GatewayOptions, "config" | "table" | "routes" | "publicReads" | "dashboard">
> {
  clock?: Clock;
  /** Whether the cluster's keys cannot be read. */
  hasNoKeys?: boolean;
  /** Where sessions are kept. Default: in a folder of its own. */
  sessionsPath?: string;
}

export async function serveGateway(options: ServedOptions = {}): Promise<ServedGateway> {
  const { config = testConfig(), table = tableOf(), routes = [], clock = systemClock, hasNoKeys = false } = options;
  const folder = await mkdtemp(join(tmpdir(), "gateway-"));
  await mkdir(join(folder, "tokens"));
  const { sessionsPath = join(folder, "sessions.json") } = options;
  const logs: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void logs.push(JSON.parse(line)) };
  const log = createLogger({ logger: "test", level: "DEBUG", destination });
  const issuer = await createClusterIssuer();
  if (hasNoKeys) issuer.breakWith(new Error("down"));
  const state: ServedGateway["state"] = { unready: undefined, finding: undefined };
  const metrics = createGatewayMetrics((): Observed => ({
    ...gateway,
    observeApprovals: () => ({ pending: 0, oldestMs: 0 }),
  }));
  const servers: RunningServer[] = [];
  const gateway = createGateway({
    config,
    table,
    routes,
    ...defined({ publicReads: options.publicReads, dashboard: options.dashboard }),
    state: { ...emptyState(() => state.unready), findAgent: () => state.finding },
    keptSessions: await openKeptSessions({ path: sessionsPath, log, clock }),
    secretsDir: folder,
    server: issuer,
    metrics,
    onDraining: () => servers.forEach((server) => server.setDraining()),
    log,
    clock,
  });
  const on = { port: 0, hostname: "127.0.0.1", log, clock };
  const main = await listen(gateway.app.fetch, { ...on, deadlineMs: 60_000 });
  const admin = await listen(gateway.adminApp.fetch, on);
  servers.push(main, admin);
  const { close } = gateway;
  onTestFinished(async () => {
    await close();
    await Promise.all(servers.map((server) => server.close({ graceMs: 0 })));
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url: main.url,
    adminUrl: admin.url,
    gateway,
    metrics,
    issuer,
    state,
    logs,
    allow: (key, token, expiry) => writeFile(join(folder, "tokens", key), digestLine(token, expiry)),
  };
}

/** An instance of which nothing runs. */
export const emptyState = (observeUnready: () => string | undefined): StateSource => ({
  namespace: "agents",
  instance: "ouranos",
  presets: noPresets,
  getInstance: () => undefined,
  listAgents: () => [],
  getAgent: () => undefined,
  getEndpoint: () => undefined,
  listAdminUrls: () => [],
  listServers: () => [],
  getServer: () => undefined,
  getServerAddress: () => undefined,
  listServerAdminUrls: () => [],
  listRegistrations: () => [],
  listPolicies: () => [],
  getPolicy: () => undefined,
  getPolicySource: () => undefined,
  listApprovals: () => [],
  onChange: () => () => undefined,
  observeUnready,
  findAgent: () => undefined,
  start: () => undefined,
  stop: async () => undefined,
});
