// Finds the programs of a real Kubernetes API server for tests: a folder the user names, else the cache, else a build.
// Refuses to guess: a KUBEBUILDER_ASSETS that lacks a program is an error, not a reason to build another.

import { join, resolve } from "node:path";

import type { Missing } from "./go-build.ts";
import { findAbsent, findInstalledPrograms, findPrograms } from "./programs.ts";
import type { ProgramSearch } from "./programs.ts";

/** Absolute paths of the programs. */
export interface ClusterBinaries {
  readonly source: "KUBEBUILDER_ASSETS" | "cache" | "build";
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
  /** Absent in folders made by Kubebuilder's setup-envtest. */
  readonly kubeControllerManager: string | undefined;
}

const otherCure = "set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver, kube-controller-manager and kubectl";

/** Finds the programs or builds them (minutes, once). Throws when KUBEBUILDER_ASSETS is set but incomplete. */
export async function findBinaries(search: ProgramSearch = {}): Promise<ClusterBinaries | Missing> {
  const assets = await observeAssets(search);
  if (assets !== undefined) return assets;
  const found = await findPrograms("api-server", { otherCure, ...search });
  return "missing" in found ? found : renderBinaries(found.dir, found.source);
}

/** Like `findBinaries`, but never builds: undefined when that would be needed. */
export async function findInstalledBinaries(search: ProgramSearch = {}): Promise<ClusterBinaries | undefined> {
  const assets = await observeAssets(search);
  if (assets !== undefined) return assets;
  const found = await findInstalledPrograms("api-server", search);
  return found && renderBinaries(found.dir, found.source);
}

async function observeAssets({ env = process.env }: ProgramSearch): Promise<ClusterBinaries | undefined> {
  const named = env["KUBEBUILDER_ASSETS"];
  if (named === undefined || named === "") return undefined;
  const dir = resolve(named);
  const absent = await findAbsent(dir, ["etcd", "kube-apiserver", "kubectl"]);
  if (absent.length > 0) {
    throw new Error(
      `expected etcd, kube-apiserver and kubectl in KUBEBUILDER_ASSETS=${dir}, found no ${absent.join(", ")}; ` +
        "add what is missing or unset the variable",
    );
  }
  const hasControllers = (await findAbsent(dir, ["kube-controller-manager"])).length === 0;
  const binaries = renderBinaries(dir, "KUBEBUILDER_ASSETS");
  return hasControllers ? binaries : { ...binaries, kubeControllerManager: undefined };
}

const renderBinaries = (dir: string, source: ClusterBinaries["source"]): ClusterBinaries => ({
  source,
  etcd: join(dir, "etcd"),
  kubeApiserver: join(dir, "kube-apiserver"),
  kubectl: join(dir, "kubectl"),
  kubeControllerManager: join(dir, "kube-controller-manager"),
});
