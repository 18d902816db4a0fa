// The registry program: environment → source of resources → registry → HTTP, until a signal. Wiring only. It serves
// from the start, so that a start that waits for its resources can be seen.
import { setTimeout as sleep } from "node:timers/promises";
import { findClusterConfig } from "../lib/kube/cluster-config.ts";
import { createKubeMetrics } from "../lib/kube/metrics.ts";
import { createTransport } from "../lib/kube/transport.ts";
import { listen } from "../lib/process/http-server.ts";
import { captureLibraryOutput } from "../lib/process/library-output.ts";
import { createLogger, type Logger } from "../lib/process/log.ts";
import { createMetrics, type Metrics } from "../lib/process/metrics.ts";
import { createShutdown, type Shutdown } from "../lib/process/shutdown.ts";
import { parseEnvironment, type Environment } from "./environment.ts";
import { renderAllowedHosts } from "./hosts.ts";
import { createRegistry } from "./registry.ts";
import { createFileSource } from "./source/file.ts";
import type { ResourceSource } from "./source/source.ts";
import { createWatchSource } from "./source/watch.ts";

/** Steps of the shutdown; a response in flight may take as long. */
const closeDeadlineMs = 10_000;
/** Nothing that the registry takes has a body of note. */
const limits = { requestTimeoutMs: 15_000 };
/** Of the port for probes: a kubelet has one at a time. */
const adminLimits = { ...limits, maxConnections: 64 };

async function createSource(
  environment: Environment,
  own: Metrics,
  shutdown: Shutdown,
  log: Logger,
): Promise<ResourceSource> {
  const { localState, namespace, instances } = environment;
  if (localState !== undefined) return createFileSource({ path: localState, log });
  const kubeConfig = await findClusterConfig();
  const metrics = createKubeMetrics(own.registry);
  const transport = createTransport({ kubeConfig, userAgent: "pallas-registry", metrics });
  shutdown.add("connections", () => transport.close());
  return createWatchSource({ transport, namespace, instances, log });
}

async function main(): Promise<void> {
  const environment = parseEnvironment(process.env);
  const { namespace, instances, podIp, allowedHosts: configured } = environment;
  const { logLevel: level, rootLogLevel: rootLevel } = environment;
  const log = createLogger({ logger: "pallas.registry", level, rootLevel });
  captureLibraryOutput(log);
  const shutdown = createShutdown({ log, deadlineMs: closeDeadlineMs });
  const own = createMetrics();
  const registry = createRegistry({
    source: await createSource(environment, own, shutdown, log),
    own,
    rules: environment.rules,
    metricsMode: environment.metricsMode,
    scrapeIntervalMs: environment.scrapeIntervalMs,
    scrapeTimeoutMs: environment.scrapeTimeoutMs,
    allowedHosts: renderAllowedHosts({ instances: instances ?? [], namespace, podIp, configured }),
    allowedOrigins: environment.allowedOrigins,
    log,
  });
  shutdown.add("registry", () => registry.stop());

  const { host: hostname, port, adminPort } = environment;
  const server = await listen(registry.app.fetch, { port, hostname, log, limits, direct: registry.direct });
  const servers = [server];
  if (adminPort !== undefined) {
    servers.push(await listen(registry.adminApp.fetch, { port: adminPort, hostname, log, limits: adminLimits }));
  }
  shutdown.add("servers", async () => {
    await Promise.all(servers.map((each) => each.close({ graceMs: closeDeadlineMs / 2 })));
  });
  const { drainDelayMs } = environment;
  const drain = async (signal: AbortSignal) => {
    registry.setDraining();
    server.setDraining();
    await sleep(drainDelayMs, undefined, { signal });
  };
  shutdown.add("drain", drain, { deadlineMs: drainDelayMs + closeDeadlineMs });
  registry.start();
  const [url, adminUrl] = servers.map((each) => each.url);
  log.info({ url, adminUrl, namespace: namespace ?? "all", instances: instances ?? "all" }, "registry started");

  const { failed } = await shutdown.finished;
  process.exit(failed.length === 0 ? 0 : 1);
}

try {
  await main();
} catch (error) {
  createLogger({ logger: "pallas.registry" }).fatal({ err: error }, "registry cannot start");
  process.exit(1);
}
