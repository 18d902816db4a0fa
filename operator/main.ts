// The operator program: environment → connection → caches → controllers → until a signal. Metrics and probes are
// served from the start, so that a start that waits for the API server can be seen.
import { KubeConfig } from "@kubernetes/client-node";
import { Hono } from "hono";
import * as z from "zod";
import { ports } from "../crds/names.ts";
import { createKubeMetrics } from "../lib/kube/metrics.ts";
import { createTransport } from "../lib/kube/transport.ts";
import { readEnvironment } from "../lib/process/environment.ts";
import { listen } from "../lib/process/http-server.ts";
import { createLogger, parseLogLevel } from "../lib/process/log.ts";
import { createMetrics, probeRoutes } from "../lib/process/metrics.ts";
import { createShutdown } from "../lib/process/shutdown.ts";
import { createCaches } from "./caches.ts";
import { createChildWriter } from "./children.ts";
import { createControllers } from "./controllers.ts";

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ""),
);

const environment = readEnvironment(
  z.object({
    PALLAS_NAMESPACES: list
      .optional()
      .describe("namespaces to look after, separated by commas; unset: the whole cluster"),
    PALLAS_AGENT_IMAGE: z.string().describe("image of agents"),
    PALLAS_REGISTRY_IMAGE: z.string().describe("image of registries"),
    PALLAS_ALLOWED_IMAGES: list.default([]).describe("repositories that spec.images may name, separated by commas"),
    PALLAS_ADMIN_PORT: z.coerce
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(ports.operatorAdmin)
      .describe("port of metrics and probes"),
    PALLAS_HOST: z.string().default("0.0.0.0").describe("address to listen on"),
    PALLAS_WORKERS: z.coerce.number().int().min(1).max(100).default(8).describe("reconciles at once, per kind"),
    PALLAS_LOG_LEVEL: z.string().default("INFO").describe("TRACE, DEBUG, INFO, WARNING or ERROR"),
  }),
  process.env,
);

const log = createLogger({ logger: "pallas.operator", level: parseLogLevel(environment.PALLAS_LOG_LEVEL) });
const shutdown = createShutdown({ log, deadlineMs: 15_000 });
const metrics = createMetrics();
const kubeMetrics = createKubeMetrics(metrics.registry);

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const transport = createTransport({ kubeConfig, userAgent: "pallas-operator", metrics: kubeMetrics });
shutdown.add("connections", () => transport.close());

const caches = createCaches(transport, environment.PALLAS_NAMESPACES, log);
shutdown.add("caches", () => caches.stop());

const unsynced = () =>
  caches.agents.hasSynced && caches.instances.hasSynced ? undefined : "the first lists are not read yet";
const admin = new Hono().route("/", probeRoutes({ ready: unsynced })).get("/metrics", async (context) => {
  const { body, contentType } = await metrics.render();
  return context.body(body, 200, { "content-type": contentType });
});
const server = await listen(admin.fetch, {
  port: environment.PALLAS_ADMIN_PORT,
  hostname: environment.PALLAS_HOST,
  log,
});
shutdown.add("admin server", async () => {
  await server.close({ graceMs: 1_000 });
});

const children = createChildWriter(transport, caches, log);
const images = { agent: environment.PALLAS_AGENT_IMAGE, registry: environment.PALLAS_REGISTRY_IMAGE };
const controllers = createControllers({
  caches,
  children,
  transport,
  images,
  allowedImages: environment.PALLAS_ALLOWED_IMAGES,
  now: () => new Date(),
  log,
  metrics: kubeMetrics,
  workers: environment.PALLAS_WORKERS,
});
const running = Promise.all(controllers.map((controller) => controller.run(shutdown.signal)));
shutdown.add("controllers", async () => {
  await running;
});
caches.start();
log.info({ namespaces: environment.PALLAS_NAMESPACES ?? "all", adminPort: server.port }, "operator started");

const { failed } = await shutdown.finished;
process.exit(failed.length === 0 ? 0 : 1);
