// The registry's own series: its process, who is configured, and how scraping goes (MET-2). Read from the source and
// the last scrapes when they are rendered; nothing is counted along.
import { Gauge, type Registry } from "prom-client";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { metricNames, podLabels } from "../../crds/metric-names.ts";
import { ports } from "../../crds/names.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { gatewayReplicas } from "../../plan/gateway.ts";
import type { Visit } from "../polling/poller.ts";
import { instanceKeyOf, resourceKey, type ResourceSource } from "../source/source.ts";

export interface OwnSeriesOptions {
  registry: Registry;
  source: Pick<ResourceSource, "instances" | "agents" | "unreadable">;
  agentUrl: (agent: PallasAgent, instance: PallasInstance) => string;
  /** The last scrapes; undefined where Prometheus scrapes the agents itself. */
  visits: (() => readonly Visit<unknown>[]) | undefined;
}

/** Registers them; once per prom-client registry. */
export function registerOwnSeries({ registry, source, agentUrl, visits }: OwnSeriesOptions): void {
  const registers = [registry];
  new Gauge({ name: metricNames.up, help: "1 while the process runs.", registers }).set(1);
  new Gauge({
    name: metricNames.agentInfo,
    help: "1 for every configured agent, running or not; port is that of its published URL.",
    labelNames: ["agent", "port", "namespace", "pallas_instance"],
    registers,
    collect() {
      this.reset();
      const instances = new Map(source.instances().map((instance) => [resourceKey(instance), instance]));
      for (const agent of source.agents()) {
        const instance = instances.get(instanceKeyOf(agent));
        const port = instance === undefined ? String(ports.agentMcp) : portOf(agentUrl(agent, instance));
        const { namespace, name } = agent.metadata;
        this.set({ agent: name, port, namespace, pallas_instance: agent.spec.instanceRef.name }, 1);
      }
    },
  });
  new Gauge({
    name: metricNames.agentSpecReplicas,
    help: "Pods that the agent is to have; 0 where it is scaled to none on purpose.",
    labelNames: ["namespace", "pallas_instance", "agent"],
    registers,
    collect() {
      this.reset();
      for (const { metadata, spec } of source.agents()) {
        const { namespace, name } = metadata;
        this.set({ namespace, pallas_instance: spec.instanceRef.name, agent: name }, spec.replicas);
      }
    },
  });
  new Gauge({
    name: metricNames.gatewaySpecReplicas,
    help: "Pods that the gateway of the instance is to have, where it has one.",
    labelNames: ["namespace", "pallas_instance"],
    registers,
    collect() {
      this.reset();
      for (const instance of source.instances()) {
        const { namespace, name } = instance.metadata;
        const replicas = gatewayReplicas(instance);
        if (replicas !== undefined) this.set({ namespace, pallas_instance: name }, replicas);
      }
    },
  });
  new Gauge({
    name: "pallas_registry_unreadable_resources",
    help: "Resources left out because they do not parse.",
    registers,
    collect() {
      this.set(source.unreadable().length);
    },
  });
  if (visits !== undefined) registerScrapeSeries(registry, visits);
}

function registerScrapeSeries(registry: Registry, visits: () => readonly Visit<unknown>[]): void {
  const scrapeGauge = (name: string, help: string, valueOf: (visit: Visit<unknown>) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: podLabels,
      registers: [registry],
      collect() {
        this.reset();
        for (const visit of visits()) {
          const { namespace, instance, agent, pod } = visit.endpoint;
          const value = valueOf(visit);
          if (value !== undefined) this.set({ namespace, pallas_instance: instance, agent, pod }, value);
        }
      },
    });
  scrapeGauge(metricNames.agentScrapeUp, "1 when the last scrape of the pod gave its series.", ({ answer }) =>
    answer.ok ? 1 : 0,
  );
  scrapeGauge(
    metricNames.agentScrapeSeconds,
    "How long the last scrape of the pod took, its failure included.",
    ({ durationMs }) => durationMs / 1_000,
  );
  scrapeGauge(
    metricNames.agentScrapeAge,
    "How long ago the last scrape began that gave the pod's series; absent until there is one.",
    ({ answeredAtMs }) => (answeredAtMs === undefined ? undefined : (systemClock.now() - answeredAtMs) / 1_000),
  );
}

/** The port that clients of the URL connect to. */
function portOf(url: string): string {
  if (!URL.canParse(url)) return String(ports.agentMcp);
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}
