// GET /metrics (MET-1): the registry's own series and, where it aggregates, those of every agent's pod as last scraped.
// No pod is asked on a request.
import { setImmediate } from "node:timers/promises";
import { Hono } from "hono";
import { Gauge } from "prom-client";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { fetchText } from "../../lib/process/fetch-limited.ts";
import type { Metrics } from "../../lib/process/metrics.ts";
import { adminUrlOf } from "../polling/admin-url.ts";
import type { Visit } from "../polling/poller.ts";
import type { Surface } from "../surface.ts";
import { parseExposition } from "./exposition.ts";
import { renderLabels } from "./labels.ts";
import { mergeFamilies } from "./merge.ts";
import { renderPodSeries, type FamilyText } from "./pod-series.ts";

const contentType = "text/plain; version=0.0.4; charset=utf-8";

export const scrapeBodyLimitBytes = 2 * 1024 * 1024;
/** Of one pod. An agent with many tools has some hundreds. */
export const scrapeSampleLimit = 10_000;

/**
 * Makes what asks one pod for its series. It rejects on a bad status, a body over 2 MiB, too many samples, or one
 * malformed line.
 */
export function createScraper(): (endpoint: AgentEndpoint, signal: AbortSignal) => Promise<FamilyText[]> {
  let lastTurn = Promise.resolve();
  return async (endpoint, signal) => {
    const request = { signal, accept: "text/plain;version=0.0.4", limitBytes: scrapeBodyLimitBytes };
    const text = await fetchText(adminUrlOf(endpoint, "metrics"), request);
    // Of answers that come together one is read in each turn of the event loop, so that requests get theirs.
    lastTurn = lastTurn.then(() => setImmediate());
    await lastTurn;
    return renderPodSeries(parseExposition(text, scrapeSampleLimit), endpoint);
  };
}

export interface MetricsSurfaceOptions {
  /** The registry's own. */
  own: Metrics;
  /** undefined: the agents are scraped by Prometheus itself (podMonitor). */
  visits: (() => readonly Visit<readonly FamilyText[]>[]) | undefined;
}

/** Not a public read: Prometheus sends no Origin, and pages of others need no series. */
export function metricsSurface({ own, visits }: MetricsSurfaceOptions): Surface {
  const conflicting =
    visits &&
    new Gauge({
      name: "pallas_registry_conflicting_families",
      help: "Families of pods left out of the last merge because another pod uses the name in another way.",
      registers: [own.registry],
    });
  const app = new Hono();
  app.get("/metrics", async (c) => {
    const parts: (readonly FamilyText[])[] = [asParts((await own.render()).body)];
    for (const { answer } of visits?.() ?? []) if (answer.ok) parts.push(answer.value);
    const { chunks, conflicts } = mergeFamilies(parts);
    conflicting?.set(conflicts);
    return c.body(streamText(chunks), 200, { "Content-Type": contentType, "Cache-Control": "no-store" });
  });
  return { app };
}

/** A thousand pods are tens of megabytes: other requests get their turn between two chunks. */
function streamText(chunks: Iterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const rest = chunks[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      await setImmediate();
      const { done, value } = rest.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

const asParts = (text: string): FamilyText[] =>
  parseExposition(text).map(({ name, type, help, samples }) => ({
    name,
    type,
    help,
    text: samples.map((sample) => `${sample.name}${renderLabels(sample.labels)} ${sample.value}\n`).join(""),
  }));
