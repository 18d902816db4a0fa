// The catalogue of many agents: how fast it is read, how soon a change of a resource is in its bytes, and what it holds
// in memory.
import { startBenchServer } from "./bench-server.ts";
import { measureChanges } from "./catalogue-changes.ts";
import { measureHeap } from "./catalogue-heap.ts";
import { compareToBare, compareToStarlette, type Kind } from "./catalogue-speed.ts";
import { benchEnvironment } from "./environment.ts";
import { agentName, agentWrite } from "./fleet.ts";
import { startRegistryUnderTest } from "./program-under-test.ts";
import { percentile, printReport, reportProgress, type Figure } from "./report.ts";
import { mebibyte } from "./process-usage.ts";

const { BENCH_CATALOGUE_AGENTS: agents, BENCH_HEAP_AGENTS: heapAgents } = benchEnvironment;
const { BENCH_CHANGE_SECONDS: changeSeconds } = benchEnvironment;
const namespace = "fleet";
const maxConcurrentApplies = 8;

async function measure() {
  await using server = await startBenchServer();
  await server.createFleet(namespace);
  reportProgress(`making ${agents} agents`);
  for (let at = 0; at < agents; at += maxConcurrentApplies) {
    const names = Array.from({ length: Math.min(maxConcurrentApplies, agents - at) }, (_, lane) =>
      agentName(at + lane),
    );
    const writes = names.map((name) => agentWrite(namespace, name));
    await Promise.all(writes.map(({ path, body }) => server.client.apply(path, body)));
  }
  await using registry = await startRegistryUnderTest({
    KUBECONFIG: server.access.kubeconfigPath,
    PALLAS_NAMESPACE: namespace,
    PALLAS_INSTANCE: "*",
    PALLAS_ADMIN_PORT: "0",
  });
  reportProgress(`editing agents for ${changeSeconds} s`);
  const before = await registry.usage();
  const options = { namespace, agents, registryUrl: registry.url, seconds: changeSeconds };
  const delays = await measureChanges(server.client, options);
  const { cpuSeconds, rssBytes } = await registry.usage();
  reportProgress("reading the catalogue");
  return {
    delays,
    cpuPercent: ((cpuSeconds - before.cpuSeconds) / changeSeconds) * 100,
    rssBytes,
    bare: await compareToBare(registry),
    starlette: await compareToStarlette(registry),
  };
}

const { delays, cpuPercent, rssBytes, bare, starlette } = await measure();
reportProgress(`filling registries with up to ${heapAgents} agents`);
const [half, whole] = [await measureHeap(Math.ceil(heapAgents / 2)), await measureHeap(heapAgents)];

const labels: Record<Kind, string> = { identity: "identity", gzip: "gzip", notModified: "304" };
const goals: Record<Kind, number> = { identity: 0.9, gzip: 0.9, notModified: 0.6 };
const kinds: Kind[] = ["identity", "gzip", "notModified"];
const speed = kinds.flatMap((kind): Figure[] => [
  { key: `${kind}PerSecond`, label: `${labels[kind]}: answers a second`, value: bare[kind].perSecond },
  {
    key: `${kind}ToBare`,
    label: `${labels[kind]}: ÷ bare node:http`,
    value: bare[kind].ratio,
    unit: "×",
    atLeast: goals[kind],
  },
  {
    key: `${kind}ToBareCpu`,
    label: `${labels[kind]}: the same per second of CPU`,
    value: bare[kind].cpuRatio,
    unit: "×",
  },
]);
const changes = (key: string, label: string, found: readonly number[]): Figure[] => [
  { key: `${key}P50Ms`, label: `event → served bytes, ${label}, p50`, value: percentile(found, 0.5), unit: " ms" },
  {
    key: `${key}P99Ms`,
    label: `event → served bytes, ${label}, p99`,
    value: percentile(found, 0.99),
    unit: " ms",
    atMost: 100,
  },
];
const peer: Figure[] =
  starlette === undefined
    ? []
    : [{ key: "toStarlette", label: "identity: ÷ Starlette", value: starlette, unit: "×", atLeast: 10 }];
printReport({
  name: "registry-catalogue",
  ratio: 1 / bare.gzip.ratio,
  goal: 1 / goals.gzip,
  agents,
  figures: [
    ...speed,
    ...peer,
    ...changes("change", "10 a second", delays.alone),
    ...changes("burst", "50 at once", delays.inBursts),
    { key: "changeCpuPercent", label: "registry CPU meanwhile, of one core", value: cpuPercent, unit: " %" },
    { key: "rssMb", label: "registry RSS", value: rssBytes / mebibyte, unit: " MiB" },
    { key: "heapMb", label: `heap, ${heapAgents} agents`, value: whole / mebibyte, unit: " MiB", atMost: 150 },
    { key: "halfHeapMb", label: "heap, half of them", value: half / mebibyte, unit: " MiB" },
  ],
  notes: [
    "The ratio is that of bare node:http ÷ registry for gzip.",
    ...(starlette === undefined ? ["Starlette was left out: there is no usable Python."] : []),
  ],
});
