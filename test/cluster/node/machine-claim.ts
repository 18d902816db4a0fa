// Who has the machine: one note at a fixed place, since a machine has one node cluster at a time. It holds what is needed
// to clear the machine after its owner has died, so whoever comes next can do that.

import { readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";

import { withLock } from "../build-lock.ts";
import { clearMachine } from "./machine-clearing.ts";
import { observeKernelSettings } from "./machine-network.ts";
import type { KernelSettings } from "./machine-network.ts";

export interface MachineClaim {
  /** The cluster's folder. */
  readonly dir: string;
  /** Whether the folder goes with the cluster. */
  readonly removeDir: boolean;
  readonly owner: ProcessIdentity;
  /** As they were before the cluster. */
  readonly kernelSettings: KernelSettings;
}

/** A number alone may be another process's by now. */
interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

const claimPath = "/run/pallas-cluster.json";
const lock = { pollMs: 20, timeoutMs: 90_000, onWait: (): void => undefined };

/** Claims the machine for this process. Throws while another cluster runs; what a dead one left is cleared first. */
export async function claimMachine(cluster: Pick<MachineClaim, "dir" | "removeDir">): Promise<MachineClaim> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Error(
      `expected root on Linux to start a node, found user ${process.getuid?.()} on ${process.platform}; ` +
        "use an existing cluster instead: set PALLAS_E2E_KUBECONFIG and PALLAS_E2E_LOAD_IMAGE (test/cluster/README.md)",
    );
  }
  return withLock(`${claimPath}.lock`, lock, async () => {
    const former = await observeClaim();
    if (former !== undefined && isAlive(former.owner)) {
      throw new Error(
        `expected no other node cluster on this machine, found one of process ${former.owner.pid} in ${former.dir}; ` +
          "end it (make cluster-down), or use it as the export lines of make cluster-up say",
      );
    }
    if (former !== undefined) await clearMachine(former);
    const owner = { pid: process.pid, startedAt: readStartTime(process.pid) ?? "" };
    const claim: MachineClaim = { ...cluster, owner, kernelSettings: await observeKernelSettings() };
    await writeFile(claimPath, JSON.stringify(claim));
    return claim;
  });
}

/** Clears the machine of an ended cluster and takes the note away, unless that has been done or it is another's. */
export async function releaseMachine(claim: MachineClaim): Promise<void> {
  await withLock(`${claimPath}.lock`, lock, async () => {
    const current = await observeClaim();
    if (current?.owner.pid !== claim.owner.pid || current.owner.startedAt !== claim.owner.startedAt) return;
    await clearMachine(claim);
    await rm(claimPath, { force: true });
  });
}

export async function observeClaim(): Promise<MachineClaim | undefined> {
  try {
    const claim: MachineClaim = JSON.parse(await readFile(claimPath, "utf8"));
    return claim;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new Error(`expected a note of a cluster in ${claimPath}, found none that can be read; delete it`, {
      cause: error,
    });
  }
}

/** Whether the process is there and no zombie: an orphan may wait long for the system to collect it. */
export const isAlive = ({ pid, startedAt }: ProcessIdentity): boolean => readStartTime(pid) === startedAt;

function readStartTime(pid: number): string | undefined {
  try {
    // The second field, in parentheses, may itself hold spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return undefined; // gone, perhaps while it was read
  }
}
