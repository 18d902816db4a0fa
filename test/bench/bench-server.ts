// A real API server with the project's CRDs for one benchmark, and what it counts. Its controllers are left out: for each
// agent they would make a ReplicaSet, a Pod and EndpointSlices and write several statuses, and take the machine from both
// the operator and the client it is measured against.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { callApi } from "../cluster/api-call.ts";
import { startApiServer, type ApiServer } from "../cluster/api-server.ts";
import { createBareClient, type BareClient } from "./bare-client.ts";
import { agentsPath, instanceWrite } from "./fleet.ts";
import { parseMetrics, type Sample } from "./prometheus-text.ts";
import { readUsage } from "./process-usage.ts";

export interface BenchServer extends AsyncDisposable {
  readonly access: ApiServer;
  readonly client: BareClient;
  /** A namespace with the instance that the agents belong to. */
  createFleet(namespace: string): Promise<void>;
  createNamespace(name: string): Promise<void>;
  /** Writes it has answered so far by kind, such as `pallasagents/status`, whatever the answer; Leases aside. */
  writes(): Promise<Writes>;
  /** Of kube-apiserver and etcd together. */
  cpuSeconds(): Promise<number>;
}

export type Writes = ReadonlyMap<string, number>;

const crdDir = join(import.meta.dirname, "../../crds");
const reads = new Set(["GET", "LIST", "WATCH", "WATCHLIST", "CONNECT", "HEAD"]);
/** Who lives holds its Lease; the server itself makes an IPAddress for each Service. */
const uncounted = new Set(["leases", "ipaddresses"]);

const watchableTimeoutMs = 30_000;
const pollMs = 200;

/** A new kind can be written a moment before it can be watched, and until then the server answers 429. */
async function untilWatchable(access: ApiServer): Promise<void> {
  const path = `${agentsPath("default")}?watch=1&resourceVersion=0&timeoutSeconds=1`;
  const deadline = performance.now() + watchableTimeoutMs;
  for (;;) {
    const { status, body } = await callApi(access, { path });
    if (status === 200) return;
    if (performance.now() > deadline) throw new Error(`expected 200 for ${path}, found ${status}: ${body}`);
    await delay(pollMs);
  }
}

export async function startBenchServer(): Promise<BenchServer> {
  const names = (await readdir(crdDir)).filter((name) => name.endsWith(".yaml"));
  const access = await startApiServer({ crdPaths: names.map((name) => join(crdDir, name)) });
  await untilWatchable(access);
  const client = await createBareClient(access);
  const createNamespace = async (name: string): Promise<void> => {
    const manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await client.apply(`/api/v1/namespaces/${name}`, JSON.stringify(manifest));
  };
  return {
    access,
    client,
    createNamespace,
    async createFleet(namespace) {
      await createNamespace(namespace);
      const { path, body } = instanceWrite(namespace);
      await client.apply(path, body);
    },
    async writes() {
      return countWrites(parseMetrics(await client.getText("/metrics", "text/plain"), ["apiserver_request_total"]));
    },
    async cpuSeconds() {
      const usages = await Promise.all([...access.pids().values()].map(readUsage));
      return usages.reduce((sum, usage) => sum + usage.cpuSeconds, 0);
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await access.stop();
    },
  };
}

/** Samples of the server's apiserver_request_total, as `BenchServer.writes` counts them. */
export function countWrites(samples: readonly Sample[]): Writes {
  const found = new Map<string, number>();
  for (const { labels, value } of samples) {
    const { verb = "", resource = "", subresource = "", code = "" } = labels;
    if (reads.has(verb) || uncounted.has(resource)) continue;
    const kind = [resource, subresource].filter((part) => part !== "").join("/");
    const key = code.startsWith("2") ? kind : `${kind} (${code})`;
    found.set(key, (found.get(key) ?? 0) + value);
  }
  return found;
}

/** What was written between two readings, kinds without any left out. */
export function writesBetween(before: Writes, after: Writes): Writes {
  const counts = [...after].map(([kind, count]): [string, number] => [kind, count - (before.get(kind) ?? 0)]);
  return new Map(counts.filter(([, count]) => count !== 0));
}

export const totalOf = (writes: Writes): number => [...writes.values()].reduce((sum, count) => sum + count, 0);

/** Events are written besides, when there is time. */
export const eventsIn = (writes: Writes): number => writes.get("events") ?? 0;

/** `configmaps 1, services 1.02`: counts for each of `per` things. */
export const renderWrites = (writes: Writes, per: number): string =>
  [...writes].map(([kind, count]) => `${kind} ${Number((count / per).toPrecision(3))}`).join(", ");
