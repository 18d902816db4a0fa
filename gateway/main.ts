// The gateway program: environment → configuration → where it runs → gateway → HTTP, until a signal. Wiring only. It serves
// from the start, so that a start that waits for its resources can be seen.
import "../lib/process/small-heap.ts";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseGatewayConfig } from "../crds/gateway-config.ts";
import { systemClock as clock } from "../lib/process/clock.ts";
import { listen, type RunningServer } from "../lib/process/http-server.ts";
import { captureLibraryOutput } from "../lib/process/library-output.ts";
import { createLogger } from "../lib/process/log.ts";
import { createShutdown } from "../lib/process/shutdown.ts";
import { readWordTable } from "../lib/search/find-word-table.ts";
import { parseEnvironment } from "./environment.ts";
import { createGateway } from "./gateway.ts";
import { openKeptSessions } from "./kept-sessions.ts";
import { createGatewayMetrics, type Observed } from "./metrics.ts";
import { openPlace } from "./place.ts";
import { createServed } from "./served.ts";
import { readDashboard } from "./ui/dashboard-files.ts";
import { createDashboardRoutes } from "./ui/routes.ts";

/** Steps of the shutdown that are not waiting for calls; answers on their way out have a part of it. */
const closeDeadlineMs = 10_000;
const closeGraceMs = 1_000;
/** Of routes that say nothing else. */
const deadlineMs = 60_000;
/** Of the port for probes: a kubelet has one at a time. */
const adminLimits = { requestTimeoutMs: 15_000, maxConnections: 64 };

async function main(): Promise<void> {
  const environment = parseEnvironment(process.env);
  const { PALLAS_HOST: hostname, PALLAS_ADMIN_HOST: adminHost = hostname } = environment;
  const config = parseGatewayConfig(await readFile(environment.PALLAS_GATEWAY_CONFIG, "utf8"));
  const { PALLAS_LOG_LEVEL: level = config.logLevel, PALLAS_ROOT_LOG_LEVEL: rootLevel } = environment;
  const log = createLogger({ logger: "pallas.gateway", level, rootLevel });
  captureLibraryOutput(log);
  const shutdown = createShutdown({ log, deadlineMs: closeDeadlineMs });

  const metrics = createGatewayMetrics((): Observed => ({ ...gateway, ...served }));
  const {
    PALLAS_LOCAL_STATE: localState,
    PALLAS_REGISTRATIONS_FILE: registrationsFile,
    PALLAS_APPROVALS_FILE: approvalsFile,
  } = environment;
  const place = await openPlace({ config, localState, registrationsFile, approvalsFile, metrics, log, clock });
  shutdown.add("state", () => place.close());
  const servers: RunningServer[] = [];
  // Without meanings a search goes by words alone, which needs no table in memory.
  const words = config.embeddings?.kind === "none" ? undefined : await readWordTable();
  // Beside the bundled program.
  const dashboard = await readDashboard(fileURLToPath(new URL("./dashboard", import.meta.url)));
  const served = createServed({
    ...{ config, place, environment, words, metrics, log, clock },
    approvalsApp: dashboard?.approvalsApp,
  });
  const gateway = createGateway({
    ...place,
    ...served,
    dashboard: createDashboardRoutes({
      ...{ dashboard, config, clock, onReport: metrics.countBlocked },
      isLocal: localState !== undefined,
      log: log.child({ logger: "pallas.gateway.ui" }),
    }),
    config,
    keptSessions: await openKeptSessions({ path: environment.PALLAS_SESSIONS_FILE, log, clock }),
    secretsDir: environment.PALLAS_SECRETS_DIR,
    podIp: environment.PALLAS_POD_IP,
    metrics,
    onDraining() {
      for (const server of servers) server.setDraining();
      served.onDraining();
    },
    log,
    clock,
  });
  const { app, adminApp, drain, close } = gateway;
  shutdown.add("servers", async () => {
    await Promise.all([close(), served.close()]);
    await Promise.all(servers.map((server) => server.close({ graceMs: closeGraceMs })));
  });
  const { http: port, admin: adminPort } = config.ports;
  servers.push(await listen(app.fetch, { port, hostname, log, deadlineMs, upgrades: true, clock }));
  servers.push(await listen(adminApp.fetch, { port: adminPort, hostname: adminHost, log, limits: adminLimits }));
  const { PALLAS_DRAIN_DELAY_MS: delayMs } = environment;
  const { drainTimeoutMs: timeoutMs } = config;
  shutdown.add("drain", (signal) => drain.run({ delayMs, timeoutMs, signal }), {
    deadlineMs: delayMs + timeoutMs + closeDeadlineMs,
    endsEarly: true,
  });
  place.state.start();
  const [url, adminUrl] = servers.map((server) => server.url);
  log.info({ url, adminUrl, ...config.instance, management: config.management }, "gateway started");

  const { failed } = await shutdown.finished;
  process.exit(failed.length === 0 ? 0 : 1);
}

try {
  await main();
} catch (error) {
  createLogger({ logger: "pallas.gateway" }).fatal({ err: error }, "gateway cannot start");
  process.exit(1);
}
