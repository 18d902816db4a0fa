// Finds the programs of a real Kubernetes API server for tests: a folder the user names, else the cache, else a build.
// Refuses to guess: a KUBEBUILDER_ASSETS that lacks a program is an error, not a reason to build another.

import { access, constants } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

import { readClusterSources } from "./cluster-sources.ts";
import type { ClusterSources } from "./cluster-sources.ts";
import { buildClusterBinaries } from "./go-build.ts";
import type { Missing } from "./go-build.ts";

/** Absolute paths of the programs. */
export interface ClusterBinaries {
  readonly source: "KUBEBUILDER_ASSETS" | "cache" | "build";
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubectl: string;
  /** Absent in folders made by Kubebuilder's setup-envtest. */
  readonly kubeControllerManager: string | undefined;
}

export interface BinarySearch {
  /** Read for KUBEBUILDER_ASSETS, XDG_CACHE_HOME, HOME and by Go. Default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
  /** The folder of the Go modules. Default: the one beside this file. */
  readonly sourceDir?: string;
  /** Takes one line of progress. Default: standard error. */
  readonly report?: (line: string) => void;
}

/** Finds the programs or builds them (minutes, once). Throws when KUBEBUILDER_ASSETS is set but incomplete. */
export async function findBinaries(search: BinarySearch = {}): Promise<ClusterBinaries | Missing> {
  const installed = await findInstalledBinaries(search);
  if (installed !== undefined) return installed;

  const env = search.env ?? process.env;
  const report = search.report ?? ((line) => process.stderr.write(`${line}\n`));
  const sources = await readClusterSources(search.sourceDir);
  const target = cacheFolder(env, sources);
  const missing = await buildClusterBinaries({ sources, target, env, report });
  if (missing !== undefined) return missing;
  const built = await observeFolder(target, "build");
  if ("etcd" in built) return built;
  throw new Error(`expected ${built.absent.join(", ")} in ${target} after the build; delete that folder and try again`);
}

/** Like `findBinaries`, but never builds: undefined when that would be needed. */
export async function findInstalledBinaries(search: BinarySearch = {}): Promise<ClusterBinaries | undefined> {
  const env = search.env ?? process.env;
  const assets = env["KUBEBUILDER_ASSETS"];
  if (assets !== undefined && assets !== "") return observeAssets(resolve(assets));
  const cached = await observeFolder(cacheFolder(env, await readClusterSources(search.sourceDir)), "cache");
  return "etcd" in cached ? cached : undefined;
}

function cacheFolder(env: NodeJS.ProcessEnv, sources: ClusterSources): string {
  const named = env["XDG_CACHE_HOME"] ?? "";
  const cacheHome = isAbsolute(named) ? named : join(env["HOME"] ?? homedir(), ".cache"); // a relative one is to be ignored
  return join(cacheHome, "pallas", "cluster", sources.cacheKey);
}

async function observeAssets(folder: string): Promise<ClusterBinaries> {
  const found = await observeFolder(folder, "KUBEBUILDER_ASSETS");
  if ("etcd" in found) return found;
  throw new Error(
    `expected etcd, kube-apiserver and kubectl in KUBEBUILDER_ASSETS=${folder}, found no ${found.absent.join(", ")}; ` +
      "add what is missing or unset the variable",
  );
}

async function observeFolder(
  folder: string,
  source: ClusterBinaries["source"],
): Promise<ClusterBinaries | { readonly absent: readonly string[] }> {
  const needed = ["etcd", "kube-apiserver", "kubectl"] as const;
  const present = await Promise.all(needed.map((name) => isExecutable(join(folder, name))));
  const absent = needed.filter((_, index) => present[index] !== true);
  if (absent.length > 0) return { absent };
  const controllerManager = join(folder, "kube-controller-manager");
  return {
    source,
    etcd: join(folder, "etcd"),
    kubeApiserver: join(folder, "kube-apiserver"),
    kubectl: join(folder, "kubectl"),
    kubeControllerManager: (await isExecutable(controllerManager)) ? controllerManager : undefined,
  };
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false, // absent, not executable or not reachable: to the caller all the same
  );
}
