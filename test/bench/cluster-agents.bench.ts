// Agents as pods on a real node: how long from the resource to Ready, alone and fifty at once, beside a bare Deployment;
// how soon a killed one is back; and what a pod takes of the memory.
import { setTimeout as delay } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import * as z from "zod";
import { createTransport, type Transport } from "../../lib/kube/transport.ts";
import { agent, instance } from "../faults/space.ts";
import { peersImage } from "../e2e/images/build.ts";
import { openTestbed } from "../e2e/open-testbed.ts";
import { benchEnvironment } from "./environment.ts";
import { mebibyte } from "./process-usage.ts";
import { percentile, printReport, reportProgress } from "./report.ts";

const { BENCH_POD_STARTS: starts, BENCH_PODS: fleet } = benchEnvironment;
const kills = 5;
const namespace = "bench";
const pollMs = 20;
const readyTimeoutMs = 180_000;
const restMs = 15_000;

const readable = z.object({
  metadata: z.object({ name: z.string(), uid: z.string() }),
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).optional() }).optional(),
});
type Readable = z.output<typeof readable>;
const readables = z.object({ items: z.array(readable) });
/** The kubelet's summary API. */
const summary = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      memory: z.object({ workingSetBytes: z.number().optional() }).optional(),
    }),
  ),
});

const isTrue = ({ status }: Readable, condition: string): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === condition && is === "True") ?? false;

await using testbed = await openTestbed();
const kubeConfig = new KubeConfig();
kubeConfig.loadFromFile(testbed.cluster.kubeconfigPath);
const transport: Transport = createTransport({ kubeConfig, userAgent: "pallas-bench" });

const paths = {
  agents: `/apis/pallas.helu.ca/v1alpha1/namespaces/${namespace}/pallasagents`,
  instances: `/apis/pallas.helu.ca/v1alpha1/namespaces/${namespace}/pallasinstances`,
  deployments: `/apis/apps/v1/namespaces/${namespace}/deployments`,
  pods: `/api/v1/namespaces/${namespace}/pods`,
};
const create = (path: string, body: object) => transport.request({ method: "POST", path, body });
const remove = (path: string, query = {}) => transport.request({ method: "DELETE", path, query });
const read = async (path: string): Promise<Readable> =>
  readable.parse(await transport.request({ method: "GET", path }));
const list = async (path: string, labelSelector = ""): Promise<Readable[]> =>
  readables.parse(await transport.request({ method: "GET", path, query: { labelSelector } })).items;

/** Milliseconds from `since` until it is so. */
async function measureUntil(what: string, since: number, isSo: () => Promise<boolean>): Promise<number> {
  while (!(await isSo())) {
    if (performance.now() - since > readyTimeoutMs) throw new Error(`expected within ${readyTimeoutMs} ms: ${what}`);
    await delay(pollMs);
  }
  return performance.now() - since;
}

async function measureStart(path: string, name: string, body: object, condition: string): Promise<number> {
  const since = performance.now();
  await create(path, body);
  return measureUntil(`${name} ${condition}`, since, async () => isTrue(await read(`${path}/${name}`), condition));
}

/** The same pod as an agent's, more or less, by a Deployment of nobody's. */
const bareDeployment = (name: string): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: "bare",
            image: peersImage,
            command: ["node", "/app/tool-server.mjs"],
            env: [{ name: "HOST", value: "0.0.0.0" }],
            readinessProbe: { tcpSocket: { port: 24290 }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
});

async function measureFleet(): Promise<number> {
  const since = performance.now();
  const names = Array.from({ length: fleet }, (_, at) => `fleet-${at}`);
  await Promise.all(names.map((name) => create(paths.agents, agent(name))));
  return measureUntil(`${fleet} agents Ready`, since, async () => {
    const ready = (await list(paths.agents)).filter((each) => isTrue(each, "Ready"));
    return ready.filter(({ metadata }) => metadata.name.startsWith("fleet-")).length === fleet;
  });
}

async function measureMemory(): Promise<number[]> {
  const [node] = await list("/api/v1/nodes");
  const path = `/api/v1/nodes/${node?.metadata.name}/proxy/stats/summary`;
  return summary
    .parse(await transport.request({ method: "GET", path }))
    .pods.filter(({ podRef }) => podRef.namespace === namespace && podRef.name.startsWith("fleet-"))
    .flatMap(({ memory }) => memory?.workingSetBytes ?? []);
}

/** From the kill until another pod of the agent is Ready. */
async function measureKill(name: string): Promise<number> {
  const selector = `pallas.helu.ca/agent=${name}`;
  const [before] = await list(paths.pods, selector);
  const since = performance.now();
  await remove(`${paths.pods}/${before?.metadata.name}`, { gracePeriodSeconds: 0 });
  return measureUntil(`${name} back`, since, async () => {
    const pods = await list(paths.pods, selector);
    return pods.some((pod) => pod.metadata.uid !== before?.metadata.uid && isTrue(pod, "Ready"));
  });
}

await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
// By default an agent asks for 50m of a CPU, of which a small node has room for fewer agents.
await create(paths.instances, instance("team", { agentDefaults: { resources: { requests: { cpu: "10m" } } } }));
const [ours, bare]: [number[], number[]] = [[], []];
reportProgress(`starting ${starts} agents and as many bare Deployments, one at a time`);
for (let at = 0; at <= starts; at += 1) {
  const startMs = await measureStart(paths.agents, `single-${at}`, agent(`single-${at}`), "Ready");
  const bareMs = await measureStart(paths.deployments, `bare-${at}`, bareDeployment(`bare-${at}`), "Available");
  for (const [path, name] of [
    [paths.agents, `single-${at}`],
    [paths.deployments, `bare-${at}`],
  ]) {
    await remove(`${path}/${name}`);
  }
  if (at === 0) continue; // what is read from disk once
  ours.push(startMs);
  bare.push(bareMs);
}
reportProgress(`starting ${fleet} agents at once`);
const fleetMs = await measureFleet();
await delay(restMs);
const memory = await measureMemory();
reportProgress(`killing ${kills} pods`);
const backMs: number[] = [];
for (let at = 0; at < kills; at += 1) backMs.push(await measureKill(`fleet-${at}`));
await transport.close();

const median = (numbers: readonly number[]) => percentile(numbers, 0.5);
printReport({
  name: "cluster-agents",
  ratio: median(ours) / median(bare),
  goal: 3,
  agents: fleet,
  figures: [
    { key: "readyP50Ms", label: "resource → Ready, one at a time, p50", value: median(ours), unit: " ms" },
    { key: "readyP99Ms", label: "— p99", value: percentile(ours, 0.99), unit: " ms", atMost: 3_000 },
    { key: "bareP50Ms", label: "bare Deployment → Available, p50", value: median(bare), unit: " ms" },
    { key: "fleetSeconds", label: `${fleet} agents at once, until all are Ready`, value: fleetMs / 1_000, unit: " s" },
    {
      key: "podMb",
      label: "memory of an agent's pod (working set), p50",
      value: median(memory) / mebibyte,
      unit: " MiB",
    },
    { key: "podMaxMb", label: "— the largest", value: Math.max(...memory) / mebibyte, unit: " MiB" },
    { key: "backP50Ms", label: "pod killed → another Ready, p50", value: median(backMs), unit: " ms" },
    { key: "backMaxMs", label: "— the longest", value: Math.max(...backMs), unit: " ms" },
  ],
  notes: ["The ratio is that of an agent and a bare Deployment of one pod, both with their images on the node."],
});
