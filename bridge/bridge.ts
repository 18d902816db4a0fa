// A bridge put together from its configuration: what it serves on its two ports, without the ports. Everything it is made of gets
// what it needs as an argument; two of them in one process share nothing.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Hono } from "hono";
import type { BridgeConfig } from "../crds/bridge-config.ts";
import { createDrain, type Drain } from "../lib/mcp/drain.ts";
import { createInFlight } from "../lib/mcp/in-flight.ts";
import { JsonRpcError, renderRpcFailure, rpcCodes } from "../lib/mcp/json-rpc.ts";
import { serveEras } from "../lib/mcp/serve-eras.ts";
import type { StreamLeg } from "../lib/mcp/serve-2026.ts";
import type { Clock } from "../lib/process/clock.ts";
import type { Logger } from "../lib/process/log.ts";
import { createMemoryBudget, deriveBudgetBytes } from "../lib/process/memory-budget.ts";
import { createAdminApp, createApp, type BridgeRoutes } from "./app.ts";
import {
  createSecretReader,
  readChildEnvironment,
  renderBaseEnvironment,
  renderWorkFolders,
  type Environment,
} from "./environment.ts";
import { renderAllowedHosts } from "./hosts.ts";
import type { BridgeMetrics, Observed } from "./metrics.ts";
import { createNpmLaunch } from "./npm/npm-launch.ts";
import { InstalledPackage } from "./npm/npm-package.ts";
import { createPipedLaunch } from "./pipes/piped-process.ts";
import { SupervisorLink } from "./pipes/supervisor-link.ts";
import { RemoteServer } from "./remote/remote-server.ts";
import type { Served } from "./served.ts";
import { StdioServer } from "./stdio-server.ts";
import { createChildLaunch } from "./stdio/child-process.ts";
import { createErrorLog, type ErrorLog } from "./stdio/error-log.ts";

export const bridgeLimits = {
  /** Of one message of the server; of a larger one its caller is told that it was too large. */
  maxMessageBytes: 16 * 1024 * 1024,
  /** For a process to answer `initialize`: its package may have to be fetched first. */
  startTimeoutMs: 120_000,
  /** Within it npm has to be done. */
  installTimeoutMs: 110_000,
  /** Without a stream and a request, before a session may have to make room. */
  abandonedAfterMs: 60_000,
};

/** For the supervisor beside it, whose container starts after the bridge's or has an image to fetch. */
const supervisorTimeoutMs = 60_000;

export interface BridgeOptions {
  readonly config: BridgeConfig;
  readonly environment: Environment;
  /** Of the bridge's own process. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly metrics: BridgeMetrics;
  /** Called at the first moment of draining. */
  readonly onDraining: () => void;
  readonly limits?: Partial<typeof bridgeLimits>;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface Bridge extends Observed {
  readonly app: Hono<BridgeRoutes>;
  readonly adminApp: Hono;
  readonly drain: Drain;
  /** Ends sessions, streams and the server's processes. */
  close(): Promise<void>;
}

/** A bridge that listens nowhere yet, and starts its server. Throws on a malformed entry of the allow-lists. */
export async function createBridge(options: BridgeOptions): Promise<Bridge> {
  const { config, metrics, log, clock } = options;
  const errorLog = createErrorLog({ log: log.child({ logger: "pallas.bridge.server" }), clock });
  const served = await openServed(options, errorLog);
  let isClosed = false;
  const mcp = serveEras(
    {
      load2025: async () => served.leg2025,
      load2026: () => served.load2026().catch(renderUnavailableLeg),
      isClosed: () => isClosed,
    },
    {
      log: log.child({ logger: "pallas.mcp" }),
      bodyLimitBytes: config.http.bodyLimitBytes,
      bodyBudget: createMemoryBudget(deriveBudgetBytes()),
      callers: "anyone",
    },
  );
  const close = async () => {
    isClosed = true;
    await served.close();
  };
  const inFlight = createInFlight();
  const drain = createDrain({
    program: "the bridge",
    calls: { ...inFlight, abortAll: () => void close() },
    onBegin: options.onDraining,
    log,
    clock,
  });
  const allowedHosts = renderAllowedHosts(config, options.environment.PALLAS_POD_IP);
  const { allowedOrigins } = config.http;
  const health = () => served.health();
  return {
    app: createApp({ allowedHosts, allowedOrigins, drain, inFlight, mcp, log }),
    adminApp: createAdminApp({
      allowedHosts,
      ready: () => (drain.isDraining() ? "the bridge is shutting down" : served.observeUnready()),
      health,
      stderr: errorLog.lines,
      metrics,
    }),
    drain,
    countProcesses: () => health().processes,
    countSessions: served.leg2025.sessionCount,
    isUp: () => health().status === "ok",
    close,
  };
}

async function openServed(options: BridgeOptions, errorLog: ErrorLog): Promise<Served> {
  const { config, environment, metrics, log, clock } = options;
  const { maxMessageBytes, ...times } = { ...bridgeLimits, ...options.limits };
  const { target } = config;
  const readSecret = createSecretReader(environment.PALLAS_SECRETS_DIR);
  const output = { maxMessageBytes, counts: metrics };
  if (target.kind === "remote") {
    return new RemoteServer({ config, target, readSecret, maxMessageBytes, metrics, log, clock });
  }
  const stdio = { config, errorLog, ...times, metrics, log, clock };
  if (target.kind === "pipes") {
    const { folder } = target;
    const link = new SupervisorLink(folder, clock);
    const launch = createPipedLaunch({ folder, link, timeoutMs: supervisorTimeoutMs, errorLog, clock, ...output });
    return new StdioServer({ ...stdio, launch, onClosed: () => link.close() });
  }
  const work = await openWorkFolder(environment.PALLAS_BRIDGE_WORK);
  const base = renderBaseEnvironment(environment, options.variables);
  const readEnvironment = () => readChildEnvironment(base, target.env, readSecret);
  const child = { readEnvironment, errorLog, clock, ...output };
  if (target.kind === "command") {
    const launch = createChildLaunch({ ...child, command: target.command, cwd: target.cwd ?? work });
    return new StdioServer({ ...stdio, launch });
  }
  const folder = join(work, "package");
  const installed = new InstalledPackage({
    ...child,
    package: target.package,
    folder,
    timeoutMs: times.installTimeoutMs,
  });
  const launch = createNpmLaunch({ ...child, installed, args: target.args, cwd: work });
  return new StdioServer({ ...stdio, launch, onClosing: () => installed.close() });
}

async function openWorkFolder(work: string): Promise<string> {
  await Promise.all([work, ...renderWorkFolders(work)].map((folder) => mkdir(folder, { recursive: true })));
  return work;
}

/** Says why the server cannot be had. */
function renderUnavailableLeg(error: unknown): StreamLeg {
  if (!(error instanceof JsonRpcError)) throw error;
  const failure = { status: 503, code: rpcCodes.serverError, message: error.message, headers: { "Retry-After": "5" } };
  return {
    isOf2025: async () => false,
    handle: async () => renderRpcFailure(failure),
    afterCall: (_inbound, onEnd) => onEnd(),
    sessionCount: () => 0,
    close: async () => undefined,
  };
}
