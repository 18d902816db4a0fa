// How soon two hundred subscribers of the built gateway, in both eras, hear of what the API server tells, and what its heap
// holds after many changes, while one of them is a stopped process, one is slow, and one has a session that is older than
// the gateway's process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSubscriber, type Era, type Subscriber } from "../subscribers/subscriber.ts";
import { startBenchServer, type BenchServer } from "./bench-server.ts";
import { agentNames, agentPath, agentsPath, agentWrite } from "./fleet.ts";
import { createTokens, startGatewayUnderTest } from "./gateway-under-test.ts";
import { percentile, printReport, reportProgress } from "./report.ts";

const namespace = "fleet";
const names = agentNames(10);
const uris = names.map((name) => `resource://agents/${name}/info`);
const subscriberCount = 200;
const tokens = createTokens(4);
const timedEdits = 300;
const editsASecond = 10;
/** Each concerns every subscriber: 200,000 updates. */
const countedEdits = 1_000;
const countedEditsASecond = 50;
const heapGoalMb = 5;
const settleTimeoutMs = 60_000;

interface Heard {
  /** When each change of an agent was heard, in turn. */
  readonly at: Map<string, number[]>;
  subscriber: Subscriber;
}

async function measure(dir: string) {
  await using server = await startBenchServer();
  await server.createFleet(namespace);
  for (const name of names) {
    const { path, body } = agentWrite(namespace, name);
    await server.client.apply(path, body);
  }
  const env = { KUBECONFIG: server.access.kubeconfigPath };
  const options = { dir, instance: "fleet", namespace, tokens, env };
  const early = await openBefore(options);
  await using gateway = await startGatewayUnderTest(options);
  const open = async (at: number, more: { restMs?: number; sessionId?: string } = {}): Promise<Heard> => {
    const heardAt = new Map(uris.map((uri): [string, number[]] => [uri, []]));
    const era: Era = at % 2 === 0 ? "2025" : "2026";
    const token = tokens[Math.floor(at / 2) % tokens.length] ?? "";
    const onHeard = (uri: string) => void heardAt.get(uri)?.push(performance.now());
    const subscriber = await openSubscriber({ url: gateway.url, token, era, uris, onHeard, ...more });
    return { at: heardAt, subscriber };
  };
  const resumed = await open(0, { sessionId: early });
  await until(() => uris.every((uri) => resumed.subscriber.heard.get(uri) === 1));
  const stopped = await startStopped(gateway.url);
  const slow = await open(1, { restMs: 500 });
  const others = [resumed];
  while (others.length < subscriberCount - 2) others.push(await open(others.length));
  for (const { at } of others) for (const list of at.values()) list.length = 0;

  reportProgress(`${timedEdits} changes, ${editsASecond} a second`);
  const before = await gateway.usage();
  const events = await edit(server, { count: timedEdits, perSecond: editsASecond, text: "Timed" });
  const isHeard = ({ at }: Heard) => uris.every((uri) => at.get(uri)?.length === events.get(uri)?.length);
  await until(() => others.every(isHeard));
  const { cpuSeconds } = await gateway.usage();
  const missed = others.filter((each) => !isHeard(each)).length;
  const delays = others.flatMap(({ at }) =>
    uris.flatMap((uri) => (events.get(uri) ?? []).map((eventAt, turn) => (at.get(uri)?.[turn] ?? NaN) - eventAt)),
  );

  reportProgress(`${countedEdits} changes, ${countedEditsASecond} a second`);
  const heapBytes = await gateway.collectedHeapBytes();
  await edit(server, { count: countedEdits, perSecond: countedEditsASecond, text: "Counted" });
  const last = `Counted ${countedEdits / names.length - 1}.`;
  const readers = [...others, slow].map(({ subscriber }) => subscriber);
  const texts = await Promise.all(readers.flatMap((reader) => uris.map((uri) => reader.read(uri))));
  const addedBytes = (await gateway.collectedHeapBytes()) - heapBytes;
  readers.forEach((reader) => reader.close());
  await stopped.end();
  return {
    delays: delays.map((each) => Math.max(0, each)),
    missed,
    stale: texts.filter((text) => JSON.parse(text).description !== last).length,
    cpuPercent: ((cpuSeconds - before.cpuSeconds) / (timedEdits / editsASecond)) * 100,
    heapMb: heapBytes / 1e6,
    addedMb: addedBytes / 1e6,
  };
}

/** A session of a gateway that has ended since. */
async function openBefore(options: Parameters<typeof startGatewayUnderTest>[0]): Promise<string> {
  await using gateway = await startGatewayUnderTest(options);
  const [token = ""] = tokens;
  const { sessionId, close } = await openSubscriber({ url: gateway.url, token, era: "2025", uris });
  close();
  return sessionId;
}

/** A process that subscribes and is then stopped by a signal. */
async function startStopped(url: string) {
  const program = join(import.meta.dirname, "../subscribers/subscriber-process.ts");
  const args = [program, url, tokens[1] ?? "", "2025", uris[0] ?? ""];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  return {
    async end() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Edits agents in turn at fixed times. Resolves to when a watch heard of each edit, by resource. */
async function edit(
  { client }: BenchServer,
  { count, perSecond, text }: { count: number; perSecond: number; text: string },
): Promise<Map<string, number[]>> {
  const events = new Map(uris.map((uri): [string, number[]] => [uri, []]));
  const known = new Map<string, number>();
  await using watch = await client.watch(agentsPath(namespace), ({ metadata: { name, generation = 0 } }) => {
    const before = known.get(name);
    known.set(name, generation);
    if (before !== undefined && generation > before) {
      events.get(`resource://agents/${name}/info`)?.push(performance.now());
    }
  });
  await until(() => known.size === names.length);
  const startedAt = performance.now();
  const sent = Array.from({ length: count }, async (_, at) => {
    await delay(Math.max(0, startedAt + (at * 1_000) / perSecond - performance.now()));
    const [name = "", turn] = [names[at % names.length], Math.floor(at / names.length)];
    await client.patch(agentPath(namespace, name), JSON.stringify({ spec: { description: `${text} ${turn}.` } }));
  });
  await Promise.race([Promise.all(sent), watch.broken]);
  await until(() => [...events.values()].every((list) => list.length >= count / names.length));
  return events;
}

/** Waits for a while; what is missing then is found by its figures. */
async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + settleTimeoutMs;
  while (!isSo() && performance.now() < deadline) await delay(20);
}

const dir = await mkdtemp(join(tmpdir(), "pallas-bench-"));
try {
  const { delays, missed, stale, cpuPercent, heapMb, addedMb } = await measure(dir);
  const p99Ms = percentile(delays, 0.99);
  printReport({
    name: "gateway-subscribers",
    ratio: addedMb / heapGoalMb,
    goal: 1,
    agents: names.length,
    figures: [
      { key: "p50Ms", label: "event → heard, p50", value: percentile(delays, 0.5), unit: " ms" },
      { key: "p99Ms", label: "event → heard, p99", value: p99Ms, unit: " ms", atMost: 250 },
      { key: "longestMs", label: "event → heard, the longest", value: percentile(delays, 1), unit: " ms" },
      { key: "missed", label: "subscribers who missed a change", value: missed, atMost: 0 },
      { key: "stale", label: "last states that were not read", value: stale, atMost: 0 },
      { key: "cpuPercent", label: "gateway CPU meanwhile, of one core", value: cpuPercent, unit: " %" },
      { key: "heapMb", label: "heap with all of them", value: heapMb, unit: " MB" },
      { key: "addedMb", label: "  more after 200,000 updates", value: addedMb, unit: " MB", atMost: heapGoalMb },
    ],
    notes: [
      `${subscriberCount} subscribers, each to ${uris.length} agents. The ratio is that of the heap's growth ÷ its goal.`,
    ],
  });
} finally {
  await rm(dir, { recursive: true, force: true });
}
