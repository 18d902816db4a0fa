// How the operator brings up a namespace full of agents, what it costs, and that it does nothing at rest. Its time is
// judged against a bare client that sends the same writes to the same server. The two take turns, so that a machine which
// is slow for a while is slow for both.
import { setTimeout as delay } from "node:timers/promises";
import { agentType } from "../../crds/kinds.ts";
import { bringIntoService, serveHealth, type HealthEndpoints } from "./agents-in-service.ts";
import {
  eventsIn,
  renderWrites,
  startBenchServer,
  totalOf,
  writesBetween,
  type BenchServer,
  type Writes,
} from "./bench-server.ts";
import { bareBurst, burst, type Burst } from "./burst.ts";
import { benchEnvironment } from "./environment.ts";
import { agentName, agentNames, childWrites, findMissingChildren } from "./fleet.ts";
import { startOperatorUnderTest, type OperatorUnderTest } from "./operator-under-test.ts";
import { quantileBetween } from "./prometheus-text.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { measureToolhive } from "./toolhive.ts";
import { mebibyte } from "./process-usage.ts";

const { BENCH_AGENTS: agents, BENCH_REST_SECONDS: restSeconds, BENCH_TURNS: turns } = benchEnvironment;
const fleet = "fleet";
const names = agentNames(agents);
const timeRatioGoal = 1.25;
const warmUpAgents = 100;
const quietPollMs = 2_000;
const quietTimeoutMs = 300_000;

/** What one turn took. */
interface Turn extends Burst {
  readonly operatorCpu: number;
  readonly serverCpu: number;
  readonly loaderCpu: number;
}

async function measureTurn(
  server: BenchServer,
  operator: OperatorUnderTest,
  work: () => Promise<Burst>,
): Promise<Turn> {
  const [operatorCpu, serverCpu, loaderCpu] = [await operator.usage(), await server.cpuSeconds(), process.cpuUsage()];
  const done = await work();
  const { user, system } = process.cpuUsage(loaderCpu);
  return {
    ...done,
    operatorCpu: (await operator.usage()).cpuSeconds - operatorCpu.cpuSeconds,
    serverCpu: (await server.cpuSeconds()) - serverCpu,
    loaderCpu: (user + system) / 1e6,
  };
}

const sum = (all: readonly Turn[], key: Exclude<keyof Turn, "waitedSeconds">): number =>
  all.reduce((total, turn) => total + turn[key], 0);

/** Resolves with what has been written so far, when nobody has written anything for a while. */
async function untilQuiet(server: BenchServer): Promise<Writes> {
  const deadline = performance.now() + quietTimeoutMs;
  for (let before = await server.writes(); ;) {
    await delay(quietPollMs);
    const now = await server.writes();
    if (totalOf(now) === totalOf(before)) return now;
    if (performance.now() > deadline) {
      throw new Error(`expected writes to end within ${quietTimeoutMs} ms, found them going on`);
    }
    before = now;
  }
}

async function measureLoad(server: BenchServer, operator: OperatorUnderTest) {
  const [queue, reconciles] = [await operator.queueSeconds(), await operator.reconciles()];
  const writes = new Map<string, number>();
  const bare: Turn[] = [];
  const own: Turn[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const part = names.slice((turn * agents) / turns, ((turn + 1) * agents) / turns);
    const before = await untilQuiet(server);
    own.push(await measureTurn(server, operator, () => burst(server.client, { namespace: fleet, names: part })));
    const missing = await findMissingChildren(server.client, fleet, part);
    if (missing.length > 0) {
      throw new Error(`expected all children, found ${missing.length} missing, first ${missing[0]}`);
    }
    for (const [kind, count] of writesBetween(before, await untilQuiet(server))) {
      writes.set(kind, (writes.get(kind) ?? 0) + count);
    }
    bare.push(await measureTurn(server, operator, () => bareBurst(server.client, "bare", part)));
    const [operatorSeconds, bareSeconds] = [own.at(-1)?.seconds ?? 0, bare.at(-1)?.seconds ?? 0];
    reportProgress(
      `turn ${turn + 1}/${turns}, ${part.length} agents: operator ${operatorSeconds.toFixed(1)} s, bare client ${bareSeconds.toFixed(1)} s`,
    );
  }
  writes.delete(agentType.plural); // the loader's: the operator writes statuses only
  const queueP99Seconds = quantileBetween(queue, await operator.queueSeconds(), 0.99);
  const reconciled = (await operator.reconciles()) - reconciles;
  return { bare, own, writes, queueP99Seconds, reconciled, usage: await operator.usage() };
}

async function measureRest(server: BenchServer, operator: OperatorUnderTest, health: HealthEndpoints) {
  await bringIntoService(server.client, fleet, names);
  const writes = await untilQuiet(server);
  const [usage, asked, startedAt] = [await operator.usage(), health.asked(), performance.now()];
  await delay(restSeconds * 1_000);
  const after = await operator.usage();
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    writes: writesBetween(writes, await server.writes()),
    asked: health.asked() - asked,
    cpuPercent: ((after.cpuSeconds - usage.cpuSeconds) / seconds) * 100,
    usage: after,
  };
}

/** What an operator with nothing to look after needs. */
async function measureEmpty(server: BenchServer) {
  await server.createNamespace("empty");
  await using operator = await startOperatorUnderTest(server.access, { namespace: "empty" });
  const { rssBytes } = await operator.usage();
  return { rssBytes, heapBytes: await operator.collectedHeapBytes() };
}

async function measure() {
  await using server = await startBenchServer();
  for (const namespace of ["warm", "bare", fleet]) await server.createFleet(namespace);
  reportProgress(`warming up with ${warmUpAgents} agents`);
  await bareBurst(server.client, "warm", agentNames(warmUpAgents));
  const empty = await measureEmpty(server);
  await using health = await serveHealth();
  const env = { PALLAS_AGENT_HEALTH_URL: health.urlTemplate };
  await using operator = await startOperatorUnderTest(server.access, { namespace: fleet, env });
  const load = await measureLoad(server, operator);
  reportProgress(`operator at rest, ${restSeconds} s`);
  const rest = await measureRest(server, operator, health);
  const heap = await operator.collectedHeapBytes();
  await operator[Symbol.asyncDispose]();
  const peer = benchEnvironment.BENCH_TOOLHIVE === "1" ? await measureToolhive(server, names) : undefined;
  return { peer, load, rest, empty, heapPerAgent: (heap - empty.heapBytes) / agents };
}

const { peer, load, rest, empty, heapPerAgent } = await measure();
const { bare, own, writes } = load;
const ratios = own.map(({ seconds }, turn) => seconds / (bare[turn]?.seconds ?? Number.NaN));
const ratio = percentile(ratios, 0.5);
const allCpu = (all: readonly Turn[]) => sum(all, "operatorCpu") + sum(all, "serverCpu") + sum(all, "loaderCpu");
const children = childWrites(fleet, agentName(0)).length;
const perAgent = (totalOf(writes) - eventsIn(writes)) / agents;
const figures: Figure[] = [
  { key: "operatorSeconds", label: "operator: all children and statuses", value: sum(own, "seconds"), unit: " s" },
  { key: "bareSeconds", label: "bare client: the same writes", value: sum(bare, "seconds"), unit: " s" },
  { key: "timeRatio", label: "operator ÷ bare client, median turn", value: ratio, atMost: timeRatioGoal },
  { key: "leastRatio", label: "the same, best turn", value: Math.min(...ratios) },
  { key: "mostRatio", label: "the same, worst turn", value: Math.max(...ratios) },
  { key: "cpuRatio", label: "the same in CPU time of all processes", value: allCpu(own) / allCpu(bare) },
  { key: "writesPerAgent", label: `writes an agent, ${children} children`, value: perAgent, atMost: children + 2 },
  { key: "eventsPerAgent", label: "Events an agent, beside them", value: eventsIn(writes) / agents },
  { key: "reconcilesPerAgent", label: "reconciles an agent", value: load.reconciled / agents },
  { key: "queueP99Seconds", label: "queue p99 during the bursts", value: load.queueP99Seconds, unit: " s" },
  {
    key: "bareQueueP99Seconds",
    label: "the same in the bare client's queue",
    value: percentile(
      bare.flatMap(({ waitedSeconds }) => waitedSeconds),
      0.99,
    ),
    unit: " s",
  },
  {
    key: "operatorCpuMs",
    label: "operator CPU an agent",
    value: (sum(own, "operatorCpu") / agents) * 1e3,
    unit: " ms",
  },
  {
    key: "serverCpuMs",
    label: "API server and etcd CPU an agent",
    value: (sum(own, "serverCpu") / agents) * 1e3,
    unit: " ms",
  },
  {
    key: "bareCpuMs",
    label: "bare client CPU an agent, loader in it",
    value: (sum(bare, "loaderCpu") / agents) * 1e3,
    unit: " ms",
  },
  {
    key: "bareServerCpuMs",
    label: "API server and etcd CPU an agent, bare",
    value: (sum(bare, "serverCpu") / agents) * 1e3,
    unit: " ms",
  },
  {
    key: "rssMb",
    label: "operator RSS after all agents",
    value: load.usage.rssBytes / mebibyte,
    unit: " MiB",
    atMost: 150,
  },
  { key: "peakRssMb", label: "operator RSS, the most", value: load.usage.peakRssBytes / mebibyte, unit: " MiB" },
  { key: "emptyRssMb", label: "operator RSS without agents", value: empty.rssBytes / mebibyte, unit: " MiB" },
  { key: "heapKbPerAgent", label: "heap an agent, after a collection", value: heapPerAgent / 1024, unit: " KiB" },
  { key: "emptyHeapMb", label: "heap without agents", value: empty.heapBytes / mebibyte, unit: " MiB" },
  {
    key: "restWrites",
    label: `writes in ${restSeconds} s at rest, Leases aside`,
    value: totalOf(rest.writes),
    atMost: 0,
  },
  { key: "restAsked", label: "health questions meanwhile", value: rest.asked },
  { key: "restCpuPercent", label: "CPU at rest, of one core", value: rest.cpuPercent, unit: " %", atMost: 3 },
  {
    key: "restRssMb",
    label: "operator RSS at the end of the rest",
    value: rest.usage.rssBytes / mebibyte,
    unit: " MiB",
  },
];
printReport({
  name: "operator-scale",
  ratio,
  goal: timeRatioGoal,
  agents,
  figures: [...figures, ...(peer?.figures ?? [])],
  notes: [
    ...(peer ? [peer.note] : []),
    `Writes an agent: ${renderWrites(writes, agents)}; at rest in all: ${renderWrites(rest.writes, 1) || "none"}.`,
    "Real kube-apiserver and etcd (without fsync) on the same machine, without the controllers of Kubernetes.",
  ],
});
