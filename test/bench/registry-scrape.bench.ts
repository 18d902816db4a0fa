// The registry as the one place to scrape: many pods of which some hang and some send garbage. How long /metrics takes
// and whether everyone else is in it, and how long other requests may have to wait while pods are scraped.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LocalState } from "../../crds/local-state.ts";
import { metricNames } from "../../crds/metric-names.ts";
import { parseExposition, type Sample } from "../../registry/metrics/exposition.ts";
import { makeAgent, makeInstance } from "../../registry/testing/resources.ts";
import { startProgram, startRegistryUnderTest } from "./program-under-test.ts";
import { percentile, printReport, reportProgress } from "./report.ts";
import { mebibyte } from "./process-usage.ts";

const [pods, hung, garbage] = [200, 10, 5];
const scrapeIntervalMs = 2_000;
/** Each is a scrape of the registry, of which the first counts for nothing. */
const rounds = 15;
const roundMs = 2_000;
const pageGoalMs = 2_000;

const labelOf = ({ labels }: Sample, name: string) => labels.find((label) => label.name === name)?.raw;
const podOf = (sample: Sample) => labelOf(sample, "pod");

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), "pallas-bench-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function measure() {
  await using folder = await temporaryFolder();
  await using agents = await startProgram({
    name: "agent-pods",
    file: process.execPath,
    args: [join(import.meta.dirname, "agent-pods.ts"), String(hung), String(garbage)],
  });
  const names = Array.from({ length: pods }, (_, at) => `agent-${at}`);
  const state: LocalState = {
    schema: 2,
    resources: [makeInstance(), ...names.map((name) => makeAgent(name))],
    endpoints: names.map((agent, at) => {
      return { namespace: "agents", instance: "ouranos", agent, pod: `${agent}-1`, adminUrl: `${agents.url}/${at}` };
    }),
    bridges: [],
  };
  const path = join(folder.path, "state.json");
  await writeFile(path, JSON.stringify(state));
  await using registry = await startRegistryUnderTest({
    PALLAS_LOCAL_STATE: path,
    PALLAS_SCRAPE_INTERVAL_MS: String(scrapeIntervalMs),
    PALLAS_SCRAPE_TIMEOUT_MS: "1000",
  });
  const before = await registry.usage();
  const startedAt = performance.now();
  const pageMs: number[] = [];
  const lagMs: number[] = [];
  let text = "";
  for (let round = 0; round <= rounds; round += 1) {
    await delay(roundMs);
    const askedAt = performance.now();
    text = await (await fetch(`${registry.url}/metrics`)).text();
    if (round === 0) continue;
    pageMs.push(performance.now() - askedAt);
    // Of the time since the last page: prom-client begins anew with each.
    const lag = parseExposition(text)
      .find(({ name }) => name === "nodejs_eventloop_lag_p99_seconds")
      ?.samples.find((sample) => podOf(sample) === undefined);
    lagMs.push(Number(lag?.value) * 1_000);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const usage = await registry.usage();
  const samples = parseExposition(text).flatMap((family) => family.samples);
  const up = samples.filter(({ name }) => name === metricNames.agentScrapeUp);
  const present = samples.filter(({ name }) => name === "process_cpu_seconds_total").map(podOf);
  return {
    pageMs,
    lagMs,
    pageBytes: text.length,
    series: samples.length,
    missing: pods - hung - garbage - new Set(present.filter((pod) => pod !== undefined)).size,
    marked: up.filter(({ value }) => value === "0").length,
    cpuPercent: ((usage.cpuSeconds - before.cpuSeconds) / seconds) * 100,
    rssBytes: usage.rssBytes,
  };
}

reportProgress(`scraping ${pods} pods every ${scrapeIntervalMs} ms`);
const found = await measure();
printReport({
  name: "registry-scrape",
  ratio: percentile(found.pageMs, 1) / pageGoalMs,
  goal: 1,
  agents: pods,
  figures: [
    { key: "missingPods", label: "sound pods that are not there", value: found.missing, atMost: 0 },
    { key: "markedDown", label: "pods with scrape_up 0", value: found.marked, atLeast: hung + garbage },
    { key: "pageP50Ms", label: "GET /metrics, p50", value: percentile(found.pageMs, 0.5), unit: " ms" },
    {
      key: "pageMaxMs",
      label: "GET /metrics, the longest",
      value: percentile(found.pageMs, 1),
      unit: " ms",
      atMost: pageGoalMs,
    },
    {
      key: "lagP99Ms",
      label: "event-loop delay p99, median round",
      value: percentile(found.lagMs, 0.5),
      unit: " ms",
      atMost: 50,
    },
    { key: "lagWorstMs", label: "event-loop delay p99, worst round", value: percentile(found.lagMs, 1), unit: " ms" },
    { key: "pageMb", label: "size of the page", value: found.pageBytes / mebibyte, unit: " MiB" },
    { key: "series", label: "series in it", value: found.series },
    { key: "cpuPercent", label: "registry CPU meanwhile, of one core", value: found.cpuPercent, unit: " %" },
    { key: "rssMb", label: "registry RSS", value: found.rssBytes / mebibyte, unit: " MiB" },
  ],
  notes: [
    `${hung} of the pods hang, ${garbage} send garbage. The ratio is the longest GET /metrics ÷ its goal.`,
    "An idle loop shows about 10 ms of delay: that is how often it is looked at.",
  ],
});
