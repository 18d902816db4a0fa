// What the test API server is built from, and the name under which the result is cached: any change of the pinned
// modules, of main.go or of the compiler flags gives another name, so a stale binary is never used.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A Go program of the test cluster: built in `module` (a folder of test/cluster/go) into `output`. */
interface GoProgram {
  readonly output: string;
  readonly module: string;
  readonly arguments: readonly string[];
}

export interface ClusterSources {
  /** The folder with the Go modules. */
  readonly dir: string;
  readonly kubernetesVersion: string;
  readonly cacheKey: string;
  readonly programs: readonly GoProgram[];
}

const sourceFiles = ["etcd/go.mod", "etcd/go.sum", "kube/go.mod", "kube/go.sum", "kube/main.go"] as const;

/** Reads the Go modules in `dir`. Throws when one is missing or kube/go.mod pins no Kubernetes version. */
export async function readClusterSources(dir = join(import.meta.dirname, "go")): Promise<ClusterSources> {
  const files = await Promise.all(
    sourceFiles.map(async (name) => ({ name, text: await readFile(join(dir, name), "utf8") })),
  );
  const kubernetesVersion = parseKubernetesVersion(files.find((file) => file.name === "kube/go.mod")?.text ?? "");
  const programs = renderPrograms(kubernetesVersion);
  const flags = { name: "flags", text: JSON.stringify(programs) };
  const platform = `${process.platform}-${process.arch}`;
  return { dir, kubernetesVersion, programs, cacheKey: renderCacheKey(kubernetesVersion, platform, [...files, flags]) };
}

/** The cache folder's name, for example `v1.36.3-linux-x64-0123456789ab`. */
export function renderCacheKey(
  kubernetesVersion: string,
  platform: string,
  inputs: readonly { readonly name: string; readonly text: string }[],
): string {
  const hash = createHash("sha256");
  for (const { name, text } of inputs) hash.update(JSON.stringify([name, text]));
  return `${kubernetesVersion}-${platform}-${hash.digest("hex").slice(0, 12)}`;
}

/** The version of k8s.io/kubernetes that a go.mod requires. */
export function parseKubernetesVersion(goMod: string): string {
  const version = /^\s*k8s\.io\/kubernetes (v\d+\.\d+\.\d+)$/m.exec(goMod)?.[1];
  if (version === undefined) {
    throw new Error("expected a line `k8s.io/kubernetes vX.Y.Z` in test/cluster/go/kube/go.mod, found none; pin one");
  }
  return version;
}

function renderPrograms(kubernetesVersion: string): GoProgram[] {
  const [major, minor] = kubernetesVersion.slice(1).split(".");
  const stamp = {
    gitVersion: kubernetesVersion,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z", // fixed, so that equal sources give equal bytes
  };
  const stampFlags = Object.entries(stamp).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  const compile = (ldflags: readonly string[]): string[] => [
    "-trimpath",
    "-ldflags",
    ["-s", "-w", ...ldflags].join(" "),
  ];
  return [
    { output: "etcd", module: "etcd", arguments: [...compile([]), "go.etcd.io/etcd/server/v3"] },
    { output: "kube", module: "kube", arguments: [...compile(stampFlags), "."] },
  ];
}
