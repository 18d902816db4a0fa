// A real Kubernetes cluster of one node on this machine: etcd, API server, controllers, scheduler, containerd, kubelet,
// kube-proxy, DNS, and NetworkPolicies that hold. One on a machine at a time; as root, on Linux. It ends with this
// process, however that ends, and leaves nothing behind.

import { mkdirSync, mkdtempSync } from "node:fs";
import { mkdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

import { findFreePorts } from "../../../lib/process/testing/free-ports.ts";
import { findBinaries } from "../binaries.ts";
import { createCommand } from "../cluster-command.ts";
import { createComponents } from "../components.ts";
import type { Components } from "../components.ts";
import { createProcessGroup } from "../process-group.ts";
import type { ProcessGroup } from "../process-group.ts";
import { requirePrograms } from "../programs.ts";
import type { ServerFiles } from "../server-files.ts";
import { nodeAddress } from "./addresses.ts";
import { connectCluster } from "./cluster-access.ts";
import type { ClusterAccess, ClusterDescription } from "./cluster-access.ts";
import { waitForApi, waitForNode } from "./cluster-readiness.ts";
import { claimMachine, releaseMachine } from "./machine-claim.ts";
import type { MachineClaim } from "./machine-claim.ts";
import { applyKernelSettings, applyMachineNetwork } from "./machine-network.ts";
import { requireMachineTools } from "./machine-tools.ts";
import { renderNodeCommand } from "./node-commands.ts";
import type { NodeComponent, NodePrograms } from "./node-commands.ts";
import { writeNodeFiles } from "./node-files.ts";
import { renderNodePaths } from "./node-paths.ts";
import type { NodePaths } from "./node-paths.ts";
import { importSystemImages } from "./system-images.ts";

interface NodeClusterOptions {
  /** Holds all files and is kept at the end; a start in a folder of before takes its objects up. Default: a temporary folder. */
  readonly dir?: string;
  /** Takes one line of progress. Default: standard error. */
  readonly report?: (line: string) => void;
}

export interface NodeCluster extends ClusterAccess, AsyncDisposable {
  readonly description: ClusterDescription;
  /** The process ids of what runs now. */
  pids(): ReadonlyMap<NodeComponent, number>;
  /** Ends a component as a crash would (SIGKILL) and leaves it so; containers go on. */
  kill9(component: NodeComponent): Promise<void>;
  /** Starts what has ended and waits until all works. */
  revive(): Promise<void>;
  /** Ends everything and clears the machine. */
  stop(): Promise<void>;
}

const runtimeTimeoutS = 20;

/** Starts a cluster and resolves when pods run and names resolve (6 to 8 s). */
export async function startNodeCluster(options: NodeClusterOptions = {}): Promise<NodeCluster> {
  const report = options.report ?? ((line) => process.stderr.write(`${line}\n`));
  const [programs, { dir: helmDir }] = await Promise.all([requireNodePrograms(), requirePrograms("chart")]);
  const tools = await requireMachineTools(report);
  const removeDir = options.dir === undefined;
  const dir = removeDir ? mkdtempSync(join(tmpdir(), "pallas-node-")) : resolve(options.dir);
  const { paths, claim } = await openFolder(dir, removeDir);
  const orphanCommand = [process.execPath, join(import.meta.dirname, "clear.ts"), String(process.pid)];
  const group = createProcessGroup({ dir, removeDir: false, orphanCommand });
  const stop = (): Promise<void> => stopCluster({ claim, group, paths, programs });
  try {
    await applyMachineNetwork();
    const etcdPort = await findFreePorts();
    const shim = join(programs.nodeDir, "containerd-shim-runc-v2");
    const files = await writeNodeFiles({ paths, etcdPort, tools, shim });
    const components = createComponents<NodeComponent>(group, (name) =>
      renderNodeCommand(name, programs, paths, files),
    );
    const clients = await linkClients(join(dir, "bin"), [
      programs.server.kubectl,
      join(helmDir, "helm"),
      join(programs.nodeDir, "ctr"),
    ]);
    const description: ClusterDescription = {
      kubeconfigPath: files.kubeconfigPath,
      kubectlPath: join(clients, "kubectl"),
      helmPath: join(clients, "helm"),
      cacheDir: join(dir, "cache"),
      loadImage: { command: `'${join(clients, "ctr")}' -a '${paths.socket}' -n k8s.io images import` },
      nodeAddress,
      logsDir: paths.logsDir,
    };
    const access = connectCluster(description);
    await startComponents({ access, claim, components, files, group, paths, programs });
    return {
      ...access,
      description,
      pids: components.pids,
      kill9: components.kill9,
      async revive() {
        components.revive();
        await waitForNode(files, components, group);
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openFolder(dir: string, removeDir: boolean): Promise<{ paths: NodePaths; claim: MachineClaim }> {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const opened = { paths: renderNodePaths(dir), claim: await claimMachine({ dir, removeDir }) };
    // Of a dead cluster: numbers of processes that may be others' by now, and what was noted of calls.
    for (const stale of ["run", "audit"]) await rm(join(dir, stale), { recursive: true, force: true });
    await mkdir(join(dir, "audit"));
    return opened;
  } catch (error) {
    if (removeDir) await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

interface Start {
  readonly access: ClusterAccess;
  readonly claim: MachineClaim;
  readonly components: Components<NodeComponent>;
  readonly files: ServerFiles;
  readonly group: ProcessGroup;
  readonly paths: NodePaths;
  readonly programs: NodePrograms;
}

async function startComponents({ access, claim, components, files, group, paths, programs }: Start): Promise<void> {
  for (const name of ["etcd", "kube-apiserver", "containerd"] as const) components.start(name);
  const runtime = callRuntime(paths, programs);
  const runtimeReady = async (): Promise<void> => {
    await runtime("ready");
    await runtime("clear"); // pods of a cluster that died in this folder
    await importSystemImages(access, paths, programs.nodeDir);
  };
  await Promise.all([
    waitForApi(files, components, group).then(() => components.start("kube-controller-manager")),
    runtimeReady(),
  ]);
  for (const name of ["kubelet", "kube-proxy", "kube-scheduler", "netpol"] as const) components.start(name);
  await access.kubectl(["apply", "--server-side", "--force-conflicts", `--filename=${paths.dnsManifest}`]);
  await waitForNode(files, components, group);
  // kubelet has set them so that an oops of the kernel takes the machine down.
  const { "kernel.panic": panic = "0", "kernel.panic_on_oops": panicOnOops = "0" } = claim.kernelSettings;
  await applyKernelSettings({ "kernel.panic": panic, "kernel.panic_on_oops": panicOnOops });
}

type Stop = Pick<Start, "claim" | "group" | "paths" | "programs">;

async function stopCluster({ claim, group, paths, programs }: Stop): Promise<void> {
  // In order as far as it goes: a pod that containerd stops itself leaves less to clear. kubelet would start them anew.
  await group.end("kubelet");
  await callRuntime(paths, programs)("clear").catch(() => undefined);
  await group.close();
  await releaseMachine(claim);
}

function callRuntime({ socket }: NodePaths, { nodeDir }: NodePrograms): (action: "ready" | "clear") => Promise<string> {
  const cri = createCommand({ name: "cri", path: join(nodeDir, "cri") });
  return (action) => cri([`--socket=${socket}`, `--timeout=${runtimeTimeoutS}s`, action]);
}

/** One folder for what people put on their PATH. */
async function linkClients(dir: string, programs: readonly string[]): Promise<string> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir);
  for (const program of programs) await symlink(program, join(dir, basename(program)));
  return dir;
}

async function requireNodePrograms(): Promise<NodePrograms> {
  const server = await findBinaries();
  if ("missing" in server) throw new Error(server.missing);
  const { kubeControllerManager } = server;
  if (kubeControllerManager === undefined) {
    throw new Error(
      `expected kube-controller-manager beside ${server.kubeApiserver}; add it or unset KUBEBUILDER_ASSETS`,
    );
  }
  const { dir: nodeDir } = await requirePrograms("node");
  return { server: { ...server, kubeControllerManager }, nodeDir };
}
