// GET /metrics (MET-1): the registry's own series and, where it aggregates, those of every agent's pod as last scraped.
// No pod is asked on a request.
import { setImmediate } from "node:timers/promises";
import { Hono } from "hono";
import { Gauge } from "prom-client";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { fetchText } from "../../lib/outgoing/fetch-limited.ts";
import type { Metrics } from "../../lib/process/metrics.ts";
import { runInTurns, type Steps } from "../../lib/process/steps.ts";
import { adminUrlOf } from "../polling/admin-url.ts";
import type { Visit } from "../polling/poller.ts";
import type { Surface } from "../surface.ts";
import { parseExposition, parseExpositionInSteps, type ExpositionLimits } from "./exposition.ts";
import { renderLabels } from "./labels.ts";
import { mergeFamilies } from "./merge.ts";
import { renderPodSeries, type FamilyText } from "./pod-series.ts";

const contentType = "text/plain; version=0.0.4; charset=utf-8";

export const maxScrapeBodyBytes = 2 * 1024 * 1024;
/** Of one pod. An agent with many tools has some hundreds of samples in some dozens of families. */
export const scrapeLimits: ExpositionLimits = { lineChars: 16 * 1024, samples: 10_000, families: 1_000 };

/**
 * Makes what asks one pod for its series. It rejects on a bad status, a body over 2 MiB, too much in it, one malformed
 * line, or a name of ours with another type.
 */
export function createScraper(): (endpoint: AgentEndpoint, signal: AbortSignal) => Promise<FamilyText[]> {
  let last: Promise<unknown> = Promise.resolve();
  return async (endpoint, signal) => {
    const request = { signal, accept: "text/plain;version=0.0.4", maxBytes: maxScrapeBodyBytes };
    const text = await fetchText(adminUrlOf(endpoint, "metrics"), request);
    // Of answers that come together one is read at a time, in steps, so that requests get their turn.
    const read = last.then(() => runInTurns(readPodSeries(text, endpoint)));
    last = read.catch(() => undefined);
    return read;
  };
}

function* readPodSeries(text: string, endpoint: AgentEndpoint): Steps<FamilyText[]> {
  return yield* renderPodSeries(yield* parseExpositionInSteps(text, scrapeLimits), endpoint);
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
      help: "Families of pods, in the last answer, whose names others use in another way: served without a type, or left out.",
      registers: [own.registry],
    });
  const app = new Hono();
  app.get("/metrics", async (c) => {
    const pods = (visits?.() ?? []).flatMap(({ answer }) => (answer.ok ? [answer.value] : []));
    const { chunks, conflicts } = mergeFamilies(asParts((await own.render()).body), pods);
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
