// A registry some of whose pods are hostile beside one whose pods are sound: how long the kubelet and readers of the
// catalogue wait for an answer, the two asked in turns.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cataloguePath } from "../../crds/catalogue.ts";
import type { AgentEndpoint, LocalState } from "../../crds/local-state.ts";
import { metricNames } from "../../crds/metric-names.ts";
import { parseExposition } from "../../registry/metrics/exposition.ts";
import { makeAgent, makeInstance } from "../../registry/testing/resources.ts";
import { startProgram, startRegistryUnderTest, type ProgramUnderTest } from "./program-under-test.ts";
import { percentile, printReport, reportProgress } from "./report.ts";

const [sound, hostile] = [20, 20];
/** Far more often than the 15 s that it is by default. */
const scrapeIntervalMs = 2_000;
const warmUpMs = 6_000;
const [turns, turnMs, betweenMs] = [12, 4_000, 4];
const goal = 2;
const paths = { livez: "/livez", catalogue: cataloguePath } as const;

type Times = Record<keyof typeof paths, number[]>;

const endpointsAt = (url: string, kind: string, count: number): AgentEndpoint[] =>
  Array.from({ length: count }, (_, at) => {
    const agent = `${kind}-${at}`;
    return { namespace: "agents", instance: "ouranos", agent, pod: `${agent}-1`, adminUrl: `${url}/${at}` };
  });

async function startRegistry(folder: string, name: string, endpoints: AgentEndpoint[]): Promise<ProgramUnderTest> {
  const agents = endpoints.map(({ agent }) => makeAgent(agent));
  const state: LocalState = { schema: 2, resources: [makeInstance(), ...agents], endpoints, bridges: [] };
  const path = join(folder, `${name}.json`);
  await writeFile(path, JSON.stringify(state));
  return startRegistryUnderTest({
    PALLAS_LOCAL_STATE: path,
    PALLAS_SCRAPE_INTERVAL_MS: String(scrapeIntervalMs),
    PALLAS_SCRAPE_TIMEOUT_MS: "1000",
  });
}

/** Until the answer is whole. */
function timeOf(url: string, agent: Agent): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`expected 200 from ${url}, found ${response.statusCode}`));
      response.resume().on("end", () => resolve(performance.now() - startedAt));
    }).on("error", reject);
  });
}

async function takeTurn(url: string, times: Times, agent: Agent): Promise<void> {
  for (const endsAt = performance.now() + turnMs; performance.now() < endsAt;) {
    times.livez.push(await timeOf(`${url}${paths.livez}`, agent));
    times.catalogue.push(await timeOf(`${url}${paths.catalogue}`, agent));
    await delay(betweenMs);
  }
}

/** Pods by whether their last scrape gave their series. */
async function readScrapes(url: string): Promise<{ up: number; down: number }> {
  const families = parseExposition(await (await fetch(`${url}/metrics`)).text());
  const samples = families.find(({ name }) => name === metricNames.agentScrapeUp)?.samples ?? [];
  const up = samples.filter(({ value }) => value === "1").length;
  return { up, down: samples.length - up };
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), "pallas-bench-"));
  try {
    const start = (name: string) =>
      startProgram({ name, file: process.execPath, args: [join(import.meta.dirname, `${name}.ts`)] });
    await using soundPods = await start("agent-pods");
    await using hostilePods = await start("hostile-pods");
    const endpoints = endpointsAt(soundPods.url, "agent", sound);
    await using calm = await startRegistry(folder, "calm", endpoints);
    const all = [...endpoints, ...endpointsAt(hostilePods.url, "hostile", hostile)];
    await using beset = await startRegistry(folder, "beset", all);
    await delay(warmUpMs);
    const agent = new Agent({ keepAlive: true });
    const times = { calm: { livez: [], catalogue: [] }, beset: { livez: [], catalogue: [] } } satisfies Record<
      string,
      Times
    >;
    for (let turn = 0; turn < turns; turn += 1) {
      await takeTurn(calm.url, times.calm, agent);
      await takeTurn(beset.url, times.beset, agent);
    }
    agent.destroy();
    return { times, scrapes: await readScrapes(beset.url), usage: await beset.usage() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

reportProgress(`asking two registries in turns, ${(2 * turns * turnMs) / 1_000} s`);
const { times, scrapes, usage } = await measure();
const p99 = (numbers: readonly number[]) => percentile(numbers, 0.99);
const ratioOf = (path: keyof typeof paths) => p99(times.beset[path]) / p99(times.calm[path]);
printReport({
  name: "registry-hostile",
  ratio: Math.max(ratioOf("livez"), ratioOf("catalogue")),
  goal,
  agents: sound + hostile,
  figures: [
    { key: "soundUp", label: "sound pods whose series are there", value: scrapes.up, atLeast: sound },
    { key: "hostileDown", label: "hostile pods with scrape_up 0", value: scrapes.down, atLeast: hostile },
    { key: "livezCalmP99Ms", label: "GET /livez, p99, calm", value: p99(times.calm.livez), unit: " ms" },
    { key: "livezP99Ms", label: "GET /livez, p99, beset", value: p99(times.beset.livez), unit: " ms" },
    { key: "catalogueCalmP99Ms", label: "catalogue, p99, calm", value: p99(times.calm.catalogue), unit: " ms" },
    { key: "catalogueP99Ms", label: "catalogue, p99, beset", value: p99(times.beset.catalogue), unit: " ms" },
    {
      key: "worstMs",
      label: "the longest of all, beset",
      value: percentile([...times.beset.livez, ...times.beset.catalogue], 1),
      unit: " ms",
    },
    { key: "rssMb", label: "RSS, beset", value: usage.rssBytes / 1024 ** 2, unit: " MiB" },
  ],
  notes: [
    `${hostile} pods send a line without end, 2 MiB of hostile lines or wrong types, or nothing at all, every ${scrapeIntervalMs / 1_000} s.`,
    "The ratio is the larger of the two p99 beside that of a registry without them.",
  ],
});
