// Takes a cluster's every trace off the machine, however it ended: processes, containers, network, mounts, control
// groups, kernel settings, and the files that its programs keep at fixed places. Each step does nothing where there is
// nothing, and leaves alone what is not the cluster's.

import { existsSync } from "node:fs";
import { readdir, readFile, readlink, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { nftTables } from "./addresses.ts";
import { killClusterProcesses } from "./cluster-processes.ts";
import { cniNetwork } from "./containerd-config.ts";
import { unmountBelow } from "./cluster-mounts.ts";
import { applyKernelSettings, removeBridge, removeNftTables } from "./machine-network.ts";
import type { KernelSettings } from "./machine-network.ts";

interface Cluster {
  readonly dir: string;
  readonly removeDir: boolean;
  readonly kernelSettings: KernelSettings;
}

export async function clearMachine({ dir, removeDir, kernelSettings }: Cluster): Promise<void> {
  await killClusterProcesses(dir);
  await removeNftTables(nftTables);
  await removeBridge();
  await applyKernelSettings(kernelSettings);
  await unmountBelow(dir);
  await removeControlGroups();
  await removeFixedFiles(dir);
  if (removeDir) await rm(dir, { recursive: true, force: true, maxRetries: 3 });
}

/** Control groups of pods, in the one hierarchy or in each; those with processes in them refuse to go. */
async function removeControlGroups(): Promise<void> {
  const root = "/sys/fs/cgroup";
  const hierarchies = [root, ...(await listFolder(root)).map((name) => join(root, name))];
  for (const hierarchy of hierarchies) await removeEmptyFolders(join(hierarchy, "kubepods"));
}

async function removeEmptyFolders(dir: string): Promise<void> {
  if (!existsSync(dir)) return;
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolders(join(dir, entry.name));
  }
  await removeIfEmpty(dir);
}

async function removeFixedFiles(dir: string): Promise<void> {
  await removeWhere("/var/log/containers", async (path) => (await readlink(path)).startsWith(`${dir}/`));
  await removeWhere("/var/lib/cni/results", async (path) => path.includes(`/${cniNetwork}-`));
  await removeWhere("/var/lib/kubelet/device-plugins", async (path) =>
    /\/kubelet(\.sock|_internal_checkpoint)$/.test(path),
  );
  const listening = await readFile("/proc/net/unix", "utf8");
  await removeWhere("/run/containerd/s", async (path) => !listening.includes(path));
  // From the inside out; what others still use is not empty and stays.
  const folders = ["/var/log/containers", "/var/lib/cni/results", "/var/lib/cni", "/var/lib/kubelet/device-plugins"];
  const outer = ["/var/lib/kubelet", "/run/containerd/s", "/run/containerd/runc/k8s.io", "/run/containerd/runc"];
  for (const folder of [...folders, ...outer, "/run/containerd"]) await removeIfEmpty(folder);
}

async function removeWhere(dir: string, isOurs: (path: string) => Promise<boolean>): Promise<void> {
  for (const name of await listFolder(dir)) {
    const path = join(dir, name);
    if (await isOurs(path)) await rm(path, { force: true });
  }
}

async function listFolder(dir: string): Promise<string[]> {
  return existsSync(dir) ? readdir(dir) : [];
}

async function removeIfEmpty(dir: string): Promise<void> {
  await rmdir(dir).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "ENOTEMPTY" && code !== "EBUSY") throw error;
  });
}
