// A peer for comparison: the operator of ToolHive, which makes an MCP server of each MCPServer as ours does of each
// agent, on the same API server and with as many resources. Built with Go from the pinned module in toolhive/.
import { mkdtempSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createProcessGroup } from "../cluster/process-group.ts";
import type { ApiObject } from "./bare-client.ts";
import { eventsIn, renderWrites, totalOf, writesBetween, type BenchServer } from "./bench-server.ts";
import { buildToolhive } from "./peer-build.ts";
import { mebibyte, readUsage } from "./process-usage.ts";
import type { Figure } from "./report.ts";

const workTimeoutMs = 900_000;
const maxConcurrentWrites = 8;
const settleMs = 10_000;
const namespace = "toolhive";
const plural = "mcpservers";
const path = `/apis/toolhive.stacklok.dev/v1beta1/namespaces/${namespace}/${plural}`;

const manifest = (name: string) => ({
  apiVersion: "toolhive.stacklok.dev/v1beta1",
  kind: "MCPServer",
  metadata: { name, namespace },
  spec: { image: "example.com/mcp/server:1", transport: "streamable-http", proxyPort: 8080, mcpPort: 8080 },
});

/** Seconds from the first apply until each has its Deployment and its Service. */
async function load({ client }: BenchServer, names: readonly string[]): Promise<number> {
  const deployments = new Set<string>();
  const services = new Set<string>();
  const into =
    (seen: Set<string>) =>
    ({ metadata }: ApiObject) =>
      void seen.add(metadata.uid);
  await using first = await client.watch(`/apis/apps/v1/namespaces/${namespace}/deployments`, into(deployments));
  await using second = await client.watch(`/api/v1/namespaces/${namespace}/services`, into(services));
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    for (let position = 0; position < names.length; position += maxConcurrentWrites) {
      const part = names.slice(position, position + maxConcurrentWrites);
      await Promise.all(part.map((name) => client.apply(`${path}/${name}`, JSON.stringify(manifest(name)))));
    }
    while (Math.min(deployments.size, services.size) < names.length) {
      if (performance.now() - startedAt > workTimeoutMs) {
        throw new Error(
          `expected ${names.length} Deployments and Services, found ${deployments.size} and ${services.size}`,
        );
      }
      await delay(50);
    }
  };
  await Promise.race([work(), first.broken, second.broken]);
  return (performance.now() - startedAt) / 1_000;
}

export interface PeerReport {
  readonly figures: readonly Figure[];
  readonly note: string;
}

/** The peer's figures, or none and why. */
export async function measureToolhive(server: BenchServer, names: readonly string[]): Promise<PeerReport> {
  const peer = await buildToolhive("thv-operator");
  if ("missing" in peer) {
    return { figures: [], note: `ToolHive was left out: it could not be built with Go: ${peer.missing}` };
  }
  const crdDir = join(peer.sources, "deploy/charts/operator-crds/files/crds");
  const crds = (await readdir(crdDir)).map((file) => `--filename=${join(crdDir, file)}`);
  await server.access.kubectl(["apply", "--server-side", ...crds]);
  await server.access.kubectl(["wait", "--for=condition=Established", "--timeout=60s", ...crds]);
  await server.createNamespace(namespace);
  const group = createProcessGroup({ dir: mkdtempSync(join(tmpdir(), "pallas-bench-")), removeDir: true });
  try {
    const flags = ["--metrics-bind-address=0", "--health-probe-bind-address=0"];
    const operator = group.start("thv-operator", peer.program, flags, {
      KUBECONFIG: server.access.kubeconfigPath,
      WATCH_NAMESPACE: namespace,
      POD_NAMESPACE: namespace,
      CI: "true", // it asks nobody for updates
    });
    await delay(settleMs);
    const before = await server.writes();
    const usage = await readUsage(operator.pid);
    const seconds = await load(server, names);
    // Right now: while no controller makes its Deployments available, it writes statuses again and again.
    const written = new Map(writesBetween(before, await server.writes()));
    const after = await readUsage(operator.pid);
    written.set(plural, (written.get(plural) ?? 0) - names.length); // the loader's own
    const own = totalOf(written) - eventsIn(written);
    const label = `ToolHive ${peer.version}`;
    const figures: Figure[] = [
      { key: "toolhiveSeconds", label: `${label}: Deployments and Services`, value: seconds, unit: " s" },
      { key: "toolhiveWrites", label: `${label}: writes a resource until then`, value: own / names.length },
      {
        key: "toolhiveCpuMs",
        label: `${label}: CPU a resource`,
        value: ((after.cpuSeconds - usage.cpuSeconds) / names.length) * 1e3,
        unit: " ms",
      },
      { key: "toolhiveRssMb", label: `${label}: RSS`, value: after.rssBytes / mebibyte, unit: " MiB" },
    ];
    return { figures, note: `${label} writes a resource: ${renderWrites(written, names.length)}.` };
  } catch (error) {
    const tail = await group.readLogTail("thv-operator").catch(() => "no log");
    throw new Error(`ToolHive did not do its work; the end of its log:\n${tail}`, { cause: error });
  } finally {
    await group.close();
  }
}
