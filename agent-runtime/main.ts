// The program of an agent's pod: one agent, one process, one run configuration. Wiring only.
import "../lib/process/small-heap.ts";
import { readFile } from "node:fs/promises";
import type { HealthStatus } from "../crds/health.ts";
import { parseRunConfig } from "../crds/run-config.ts";
import { captureLibraryOutput } from "../lib/process/library-output.ts";
import { createLogger } from "../lib/process/log.ts";
import { createShutdown } from "../lib/process/shutdown.ts";
import { parseEnvironment, type Environment } from "./environment.ts";
import { createLiveConfig } from "./inputs/live-config.ts";
import { placeholderValues, renderExpanded } from "./inputs/placeholders.ts";
import { startRuntime } from "./runtime.ts";
import { readTelemetrySettings, startTelemetry } from "./telemetry/settings.ts";

/** Keeps the health gauges fresh when nobody asks, and the log. */
const reprobeMs = 60_000;
/** For the steps of shutting down that are not waiting for calls. */
const closeDeadlineMs = 10_000;

async function readRunConfig(environment: Environment) {
  const config = parseRunConfig(await readFile(environment.PALLAS_RUN_CONFIG, "utf8"));
  return environment.PALLAS_EXPAND_ENV === "1"
    ? renderExpanded(config, placeholderValues(process.env))
    : { config, unset: [] };
}

async function readCallerToken({ PALLAS_CALLER_TOKEN_FILE: file }: Environment): Promise<string | undefined> {
  return file === undefined ? undefined : (await readFile(file, "utf8")).trim();
}

async function main(): Promise<void> {
  const environment = parseEnvironment(process.env);
  const { config, unset } = await readRunConfig(environment);
  const { PALLAS_LOG_LEVEL: level = config.logLevel, PALLAS_ROOT_LOG_LEVEL: rootLevel } = environment;
  const log = createLogger({ logger: "pallas.agent", level, rootLevel });
  captureLibraryOutput(log);
  for (const { variable, place } of unset) log.warn({ variable, place }, "a variable is not set");

  const shutdown = createShutdown({ log, deadlineMs: closeDeadlineMs });
  const telemetry = await startTelemetry(readTelemetrySettings(environment, config), { config, log });
  shutdown.add("telemetry", () => telemetry.close());
  const runtime = await startRuntime({
    config,
    telemetry,
    readLive: createLiveConfig(environment.PALLAS_LIVE_CONFIG, config, log),
    unset,
    place: environment.PALLAS_EXPAND_ENV === "1" ? "local" : "cluster",
    log,
    secretsDir: environment.PALLAS_SECRETS_DIR,
    textsDir: environment.PALLAS_TEXTS_DIR,
    historiesDir: environment.PALLAS_HISTORIES_DIR,
    host: environment.PALLAS_HOST,
    adminHost: environment.PALLAS_ADMIN_HOST,
    gatewayTokenFile: environment.PALLAS_GATEWAY_TOKEN,
    callerToken: await readCallerToken(environment),
    port: environment.PALLAS_PORT,
    adminPort: environment.PALLAS_ADMIN_PORT,
    podIp: environment.PALLAS_POD_IP,
    slowProbeMs: environment.PALLAS_SLOW_PROBE_MS,
    slowAnswerMs: environment.PALLAS_SLOW_ANSWER_MS,
  });
  shutdown.add("close", () => runtime.close());
  const delayMs = environment.PALLAS_DRAIN_DELAY_MS;
  const drainDeadlineMs = delayMs + config.drainTimeoutMs + closeDeadlineMs;
  shutdown.add("drain", (signal) => runtime.drain({ delayMs, signal }), {
    deadlineMs: drainDeadlineMs,
    endsEarly: true,
  });
  const { name, instance } = config.agent;
  log.info({ agent: name, instance, url: runtime.url, adminUrl: runtime.adminUrl }, "agent started");

  let toldStatus: HealthStatus = "ok";
  const reportHealth = async () => {
    const { status, message } = await runtime.health.check();
    if (status === toldStatus) return;
    toldStatus = status;
    if (status === "ok") log.info({ agent: name }, "agent is healthy again");
    else log.warn({ agent: name, status, reason: message }, "agent is unhealthy");
  };
  void reportHealth();
  const reprobe = setInterval(() => void reportHealth(), reprobeMs);
  const { failed } = await shutdown.finished;
  clearInterval(reprobe);
  process.exit(failed.length === 0 ? 0 : 1);
}

try {
  await main();
} catch (error) {
  const log = createLogger({ logger: "pallas.agent" });
  log.fatal({ err: error }, "agent cannot start");
  process.exit(1);
}
