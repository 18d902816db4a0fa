// What beats cost: 10,000 endpoints that others registered in the directory of the built gateway, each of which beats every 30 s. They come
// evenly, over connections that are kept. What counts is the gateway's CPU; nothing may be written.
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiVersion } from "../../crds/names.ts";
import { createTokens, startGatewayUnderTest } from "./gateway-under-test.ts";
import { mebibyte } from "./process-usage.ts";
import { percentile, printReport, reportProgress } from "./report.ts";

const registrations = 1_000;
const endpointsEach = 10;
const intervalSeconds = 30;
const warmUpSeconds = 10;
const maxCores = 0.1;
const tickMs = 30;
const [token = ""] = createTokens(1);
const connections = new Agent({ keepAlive: true, maxSockets: 64 });
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

const instance = {
  ...{ apiVersion, kind: "PallasInstance", metadata: { name: "bench", namespace: "agents" } },
  spec: { registryNamespace: "com.example", defaultModel: "passthrough" },
};

const endpointId = (number: number, position: number): string => `e-${number}-${position}`;
const renderRegistration = (owner: string, number: number) => ({
  ...{ apiVersion, kind: "PallasRegistration", metadata: { name: `registration-${number}`, namespace: "agents" } },
  spec: {
    ...{ instanceRef: { name: "bench" }, owner, name: `Agent ${number}` },
    capabilities: [{ name: "sum", description: "Adds numbers.", tags: ["tool", "mcp"] }],
    endpoints: Array.from({ length: endpointsEach }, (_, position) => ({
      ...{ id: endpointId(number, position), name: `e${position}`, transport: "Http", protocol: "MCP" },
      ...{
        address: `https://a${number}.example/mcp`,
        livenessModel: "Persistent",
        heartbeatIntervalSeconds: intervalSeconds,
      },
    })),
  },
});

/** Resolves with how long its answer took; rejects on another than 204. */
const beat = (url: string, id: string, endpoint: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const target = `${url}/agents/${id}/endpoints/${endpoint}/heartbeat`;
    const sent = request(target, { method: "POST", agent: connections, headers }, (answer) => {
      answer.resume();
      if (answer.statusCode === 204) answer.once("end", () => resolve(performance.now() - startedAt));
      else reject(new Error(`expected 204 of ${target}, found ${answer.statusCode}`));
    });
    sent.once("error", reject);
    sent.end();
  });

/** Beats at their times for so long. */
async function beatAll(url: string, ids: readonly string[], seconds: number): Promise<number[]> {
  const total = Math.round((ids.length * endpointsEach * seconds) / intervalSeconds);
  const pending: Promise<number>[] = [];
  const startedAt = performance.now();
  while (pending.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / (seconds * 1_000)) * total));
    while (pending.length < due) {
      const number = pending.length % ids.length;
      const position = Math.floor(pending.length / ids.length) % endpointsEach;
      pending.push(beat(url, ids[number] ?? "", endpointId(number, position)));
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  return await Promise.all(pending);
}

async function readIds(url: string): Promise<string[]> {
  const ids = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const answer = await fetch(`${url}/discover/agents?pageSize=100&page=${page}`, { headers });
    const { items, hasNextPage } = await answer.json();
    for (const { id, name } of items) ids.set(name, id);
    if (!hasNextPage) break;
  }
  return Array.from({ length: registrations }, (_, number) => ids.get(`Agent ${number}`) ?? "");
}

async function measure(dir: string) {
  const path = join(dir, "registrations.json");
  await writeFile(join(dir, "state.json"), JSON.stringify({ schema: 2, resources: [instance], endpoints: [] }));
  const env = { PALLAS_LOCAL_STATE: join(dir, "state.json") };
  const options = { dir, instance: "bench", namespace: "agents", tokens: [token], env };
  let owner = "";
  {
    await using first = await startGatewayUnderTest(options);
    const answer = await fetch(`${first.url}/agents`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "First" }),
    });
    owner = (await answer.json()).ownerId;
  }
  const all = Array.from({ length: registrations }, (_, number) => renderRegistration(owner, number));
  await writeFile(path, JSON.stringify({ schema: 1, registrations: all }), { mode: 0o600 });
  await using gateway = await startGatewayUnderTest(options);
  const ids = await readIds(gateway.url);
  await beatAll(gateway.url, ids, warmUpSeconds);
  const before = { ...(await gateway.usage()), at: performance.now(), file: (await stat(path)).mtimeMs };
  reportProgress(`${ids.length * endpointsEach} endpoints beat for ${intervalSeconds} s`);
  const times = await beatAll(gateway.url, ids, intervalSeconds);
  const after = { ...(await gateway.usage()), at: performance.now(), file: (await stat(path)).mtimeMs };
  const listedAt = performance.now();
  const { totalCount } = await (await fetch(`${gateway.url}/discover/agents?tags=tool,mcp`, { headers })).json();
  return {
    cores: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / (after.at - before.at),
    beats: times.length,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    rssBytes: after.rssBytes,
    writes: after.file === before.file ? 0 : 1,
    discoverMs: performance.now() - listedAt,
    totalCount,
  };
}

const dir = await mkdtemp(join(tmpdir(), "pallas-bench-"));
try {
  const { cores, beats, p50Ms, p99Ms, rssBytes, writes, discoverMs, totalCount } = await measure(dir);
  printReport({
    ...{ name: "directory-beats", ratio: cores, goal: maxCores, agents: registrations },
    figures: [
      { key: "cores", label: "CPU of the gateway", value: cores, unit: " cores", atMost: maxCores },
      { key: "writes", label: "writes of what is registered", value: writes, atMost: 0 },
      { key: "beats", label: "beats", value: beats },
      { key: "beatP50Ms", label: "a beat, median", value: p50Ms, unit: " ms" },
      { key: "beatP99Ms", label: "a beat, p99", value: p99Ms, unit: " ms" },
      { key: "discoverMs", label: "a page of discovery after it", value: discoverMs, unit: " ms" },
      { key: "alive", label: "alive after it", value: totalCount, atLeast: registrations },
      { key: "rssMiB", label: "memory of the gateway", value: rssBytes / mebibyte, unit: " MiB" },
    ],
    notes: [
      `${registrations} registrations with ${endpointsEach} endpoints each, on ${connections.maxSockets} connections.`,
    ],
  });
} finally {
  connections.destroy();
  await rm(dir, { recursive: true, force: true });
}
