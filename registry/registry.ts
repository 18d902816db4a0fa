// The registry in one place: a source of resources, what is kept from it, and the surfaces that serve that. Starting
// order and lifetime are here; sockets and signals are main.ts's.
import { Hono } from "hono";
import type { PallasAgent } from "../crds/agent.ts";
import type { PallasInstance } from "../crds/instance.ts";
import { guardHosts } from "../lib/process/http-guard.ts";
import type { DirectHandler } from "../lib/process/http-server.ts";
import type { Logger } from "../lib/process/log.ts";
import { probeRoutes, type Metrics } from "../lib/process/metrics.ts";
import { renderCatalogueEntry } from "../plan/catalogue.ts";
import type { Mode, Rules } from "../plan/rules.ts";
import { publishedAgentUrl } from "../plan/urls.ts";
import { createApp } from "./app.ts";
import { createLister } from "./catalogue/listing.ts";
import { createPublisher } from "./catalogue/publisher.ts";
import { directCatalogue } from "./catalogue/direct.ts";
import { catalogueSurface } from "./catalogue/routes.ts";
import { discoverySurface } from "./discovery/routes.ts";
import { fetchHealthReport, healthSurface } from "./health/routes.ts";
import { registerOwnSeries } from "./metrics/own-series.ts";
import { createScraper, metricsSurface } from "./metrics/routes.ts";
import { createPoller } from "./polling/poller.ts";
import { openApiSurface } from "./openapi/routes.ts";
import { createServerRecords } from "./servers/records.ts";
import { followToolServers } from "./servers/tool-servers.ts";
import { serversSurface } from "./servers/routes.ts";
import type { ResourceSource } from "./source/source.ts";
import { statusSurface } from "./status/routes.ts";

const maxConcurrentScrapes = 16;
/** An agent asks its downstreams and providers before it reports, each with a deadline of its own. */
const healthTimeoutMs = 8_000;

export interface RegistryOptions {
  source: ResourceSource;
  /** Series of the process; the registry adds its own. */
  own: Metrics;
  /** By which its operator, or `pallas up`, judges the resources. */
  rules: Rules;
  metricsMode: "aggregate" | "podMonitor";
  scrapeIntervalMs: number;
  scrapeTimeoutMs: number;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  log: Logger;
}

export interface PallasRegistry {
  app: Hono;
  /** The probes alone, for a port that clients do not use: whoever fills the other keeps no kubelet out (HLT-5). */
  adminApp: Hono;
  /** Answers before `app` what `app` would answer the same. */
  direct: DirectHandler;
  start(): void;
  /** From now on /readyz says no, while everything is still served. */
  setDraining(): void;
  stop(): Promise<void>;
}

/** Where clients reach an agent (CAT-4): on one machine what `pallas up` says, in a cluster what is declared. */
const agentUrlIn =
  (mode: Mode) =>
  (agent: PallasAgent, instance: PallasInstance): string =>
    (mode === "local" ? agent.status?.url : undefined) ?? publishedAgentUrl(agent, instance);

/** Probes alone, for the kubelet: on a port of their own no number of clients can keep it out. */
const createAdminApp = (allowedHosts: readonly string[], ready: () => string | undefined): Hono =>
  new Hono().use(guardHosts({ allowedHosts, allowedOrigins: [] })).route("/", probeRoutes({ ready }));

/** Throws on a malformed entry of the allow-lists. */
export function createRegistry(options: RegistryOptions): PallasRegistry {
  const { source, own, rules, log } = options;
  const agentUrl = agentUrlIn(rules.mode);
  const list = createLister({
    source,
    rules,
    renderEntry: (agent, instance) => renderCatalogueEntry(agent, instance, agentUrl(agent, instance)),
  });
  const records = createServerRecords();
  const toolServers = followToolServers({ source, rules, onListing: records.updateToolServers, log });
  const discovery = discoverySurface(log);
  const status = statusSurface(source);
  const publisher = createPublisher({
    source,
    list,
    onListing(listing) {
      for (const surface of [discovery, records, status]) surface.update(listing);
    },
    log,
  });
  const conflicts = () => [...publisher.conflicts(), ...records.conflicts()];
  const polling = { source, intervalMs: options.scrapeIntervalMs, concurrency: maxConcurrentScrapes, log };
  const reports = createPoller({ ...polling, question: "health", ask: fetchHealthReport, timeoutMs: healthTimeoutMs });
  const scrapes =
    options.metricsMode === "aggregate"
      ? createPoller({ ...polling, question: "metrics", ask: createScraper(), timeoutMs: options.scrapeTimeoutMs })
      : undefined;
  const scraped = scrapes && (() => scrapes.visits());
  registerOwnSeries({ registry: own.registry, source, agentUrl, visits: scraped });

  let draining = false;
  const observeUnready = () => {
    if (draining) return "the registry is shutting down";
    return publisher.current() === undefined ? "the resources are not read yet" : undefined;
  };
  const httpLog = log.child({ logger: "pallas.registry.http" });
  const app = createApp({
    surfaces: [
      catalogueSurface(publisher.current),
      healthSurface({ source, visits: () => reports.visits(), conflicts, observeUnready }),
      metricsSurface({ own, visits: scraped }),
      serversSurface(records),
      discovery,
      openApiSurface(log),
      status,
    ],
    allowedHosts: options.allowedHosts,
    allowedOrigins: options.allowedOrigins,
    log: httpLog,
  });
  const parts = [publisher, toolServers, reports, ...(scrapes ? [scrapes] : [])];
  const { allowedHosts } = options;
  return {
    app,
    adminApp: createAdminApp(allowedHosts, observeUnready),
    direct: directCatalogue({ current: publisher.current, allowedHosts, log: httpLog }),
    start() {
      for (const part of parts) part.start();
      source.start();
    },
    setDraining() {
      draining = true;
    },
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await source.stop();
    },
  };
}
