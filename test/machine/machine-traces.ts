// What a node cluster has on the machine, looked at from outside: after its end each list must be empty.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";

import { bridgeName, nftTables } from "../cluster/node/addresses.ts";
import { findMounts } from "../cluster/node/cluster-mounts.ts";
import { findClusterProcesses } from "../cluster/node/cluster-processes.ts";
import { observeClaim } from "../cluster/node/machine-claim.ts";
import { observeKernelSettings } from "../cluster/node/machine-network.ts";
import { requireProgram } from "../tools/find-program.ts";

const run = promisify(execFile);

export interface MachineTraces {
  readonly processes: readonly number[];
  readonly mounts: readonly string[];
  readonly links: readonly string[];
  readonly tables: readonly string[];
  readonly controlGroups: readonly string[];
  /** Files at places that the cluster's programs fix. */
  readonly files: readonly string[];
  readonly claimedBy: number | undefined;
  readonly kernelSettings: Readonly<Record<string, string>>;
}

export async function observeTraces(dir: string): Promise<MachineTraces> {
  const links = await readdir("/sys/class/net");
  const { stdout } = await run(requireProgram("nft"), ["list", "tables"], { timeout: 10_000 });
  const found = await run("find", ["/sys/fs/cgroup", "-ignore_readdir_race", "-type", "d", "-name", "kubepods*"], {
    timeout: 10_000,
  });
  const places = ["/run/containerd", "/var/lib/kubelet", "/var/lib/cni", "/var/log/containers"];
  return {
    processes: findClusterProcesses(dir),
    mounts: await findMounts(dir),
    links: links.filter((name) => name === bridgeName || name.startsWith("veth")),
    tables: nftTables.filter((table) => stdout.split("\n").includes(`table ${table}`)),
    controlGroups: found.stdout.split("\n").filter((line) => line !== ""),
    files: places.filter((place) => existsSync(place)),
    claimedBy: (await observeClaim())?.owner.pid,
    kernelSettings: await observeKernelSettings(),
  };
}
