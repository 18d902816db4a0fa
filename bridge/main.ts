// The bridge program: environment → configuration → bridge → HTTP, until a signal. Wiring only. It serves from the start, so that
// a server which does not start can be seen.
import "../lib/process/small-heap.ts";
import { readFile } from "node:fs/promises";
import { parseBridgeConfig } from "../crds/bridge-config.ts";
import { systemClock as clock } from "../lib/process/clock.ts";
import { listen, type RunningServer } from "../lib/process/http-server.ts";
import { captureLibraryOutput } from "../lib/process/library-output.ts";
import { createLogger } from "../lib/process/log.ts";
import { createShutdown } from "../lib/process/shutdown.ts";
import { createBridge } from "./bridge.ts";
import { parseEnvironment } from "./environment.ts";
import { createBridgeMetrics, type Observed } from "./metrics.ts";

/** Steps of the shutdown that are not waiting for calls; answers on their way out have a part of it. */
const closeDeadlineMs = 10_000;
const closeGraceMs = 1_000;
/** Of the port for probes: a kubelet has one at a time. */
const adminLimits = { requestTimeoutMs: 15_000, maxConnections: 64 };

async function main(): Promise<void> {
  const environment = parseEnvironment(process.env);
  const { PALLAS_HOST: hostname, PALLAS_ADMIN_HOST: adminHost = hostname } = environment;
  const config = parseBridgeConfig(await readFile(environment.PALLAS_BRIDGE_CONFIG, "utf8"));
  const { PALLAS_LOG_LEVEL: level = config.logLevel, PALLAS_ROOT_LOG_LEVEL: rootLevel } = environment;
  const log = createLogger({ logger: "pallas.bridge", level, rootLevel });
  captureLibraryOutput(log);
  const shutdown = createShutdown({ log, deadlineMs: closeDeadlineMs });

  const metrics = createBridgeMetrics((): Observed => bridge);
  const servers: RunningServer[] = [];
  const onDraining = () => servers.forEach((server) => server.setDraining());
  const bridge = await createBridge({ config, environment, variables: process.env, metrics, onDraining, log, clock });
  shutdown.add("server", async () => {
    await bridge.close();
    await Promise.all(servers.map((server) => server.close({ graceMs: closeGraceMs })));
  });
  const { http: port, admin: adminPort } = config.ports;
  servers.push(await listen(bridge.app.fetch, { port, hostname, log }));
  servers.push(await listen(bridge.adminApp.fetch, { port: adminPort, hostname: adminHost, log, limits: adminLimits }));
  const { PALLAS_DRAIN_DELAY_MS: delayMs } = environment;
  const { drainTimeoutMs: timeoutMs } = config;
  shutdown.add("drain", (signal) => bridge.drain.run({ delayMs, timeoutMs, signal }), {
    deadlineMs: delayMs + timeoutMs + closeDeadlineMs,
    endsEarly: true,
  });
  const [url, adminUrl] = servers.map((server) => server.url);
  log.info({ url, adminUrl, server: config.server.name, target: config.target.kind }, "bridge started");

  const { failed } = await shutdown.finished;
  process.exit(failed.length === 0 ? 0 : 1);
}

try {
  await main();
} catch (error) {
  createLogger({ logger: "pallas.bridge" }).fatal({ err: error }, "bridge cannot start");
  process.exit(1);
}
