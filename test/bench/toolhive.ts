// A peer for comparison: the operator of ToolHive, which makes an MCP server of each MCPServer as ours does of each
// agent, on the same API server and with as many resources. Built with Go from the pinned module in toolhive/.
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { cacheFolder } from "../cache-folder.ts";
import { createProcessGroup } from "../cluster/process-group.ts";
import type { ApiObject } from "./bare-client.ts";
import { eventsIn, renderWrites, totalOf, writesBetween, type BenchServer } from "./bench-server.ts";
import { mebibyte, readUsage } from "./process-usage.ts";
import type { Figure } from "./report.ts";

const run = promisify(execFile);
const moduleDir = join(import.meta.dirname, "toolhive");
const moduleName = "github.com/stacklok/toolhive";
const buildTimeoutMs = 1_800_000;
const workTimeoutMs = 900_000;
const maxConcurrentWrites = 8;
const settleMs = 10_000;
const namespace = "toolhive";
const plural = "mcpservers";
const path = `/apis/toolhive.stacklok.dev/v1beta1/namespaces/${namespace}/${plural}`;

interface Peer {
  readonly program: string;
  readonly version: string;
  readonly crdDir: string;
}

/** Builds it into the cache, or says why not. */
async function buildPeer(): Promise<Peer | { readonly missing: string }> {
  const options = { cwd: moduleDir, timeout: buildTimeoutMs, maxBuffer: 64 * mebibyte };
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "-buildvcs=false", GOWORK: "off" };
  try {
    const go = (...args: string[]) => run("nice", ["-n", "10", "go", ...args], { ...options, env });
    const { stdout } = await go("list", "-m", "-f", "{{.Version}} {{.Dir}}", moduleName);
    const [version = "", sources = ""] = stdout.trim().split(" ");
    const dir = cacheFolder(["bench"]);
    await mkdir(dir, { recursive: true });
    const program = join(dir, `thv-operator-${version}`);
    await go("build", "-o", program, `${moduleName}/cmd/thv-operator`);
    return { program, version, crdDir: join(sources, "deploy/charts/operator-crds/files/crds") };
  } catch (error) {
    return { missing: error instanceof Error ? error.message.slice(0, 300) : String(error) };
  }
}

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
  const peer = await buildPeer();
  if ("missing" in peer) {
    return { figures: [], note: `ToolHive was left out: it could not be built with Go: ${peer.missing}` };
  }
  const crds = (await readdir(peer.crdDir)).map((file) => `--filename=${join(peer.crdDir, file)}`);
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
