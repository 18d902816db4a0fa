// Command blocks of the pages in docs/, run as their reader would: by bash, with the cluster's kubectl and helm on PATH.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { ClusterAccess } from "../cluster/node/cluster-access.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

/** Those in order. Blocks with a word after `sh` are for some readers only: kind, images, the Prometheus operator. */
export async function readBlocks(page: string): Promise<string[]> {
  const text = await readFile(join(root, "docs", page), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

/** The one block of the page that has these words. */
export async function readBlock(page: string, words: string): Promise<string> {
  const found = (await readBlocks(page)).filter((block) => block.includes(words));
  if (found.length !== 1 || found[0] === undefined) {
    throw new Error(`expected one block of docs/${page} with "${words}", found ${found.length}`);
  }
  return found[0];
}

export interface PageShell extends AsyncDisposable {
  /** Its home, and empty at first. */
  readonly folder: string;
  /** What the script prints; it starts in `cwd`, the checkout unless told otherwise, and ends with its first failure. */
  run(script: string, options: { readonly timeoutMs: number; readonly cwd?: string }): Promise<string>;
}

export async function openPageShell(cluster: ClusterAccess): Promise<PageShell> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-page-"));
  const programs = await mkdtemp(join(tmpdir(), "pallas-page-programs-"));
  await symlink(cluster.kubectlPath, join(programs, "kubectl"));
  await symlink(cluster.helmPath, join(programs, "helm"));
  const env = {
    ...process.env,
    PATH: [programs, process.env["PATH"]].join(delimiter),
    KUBECONFIG: cluster.kubeconfigPath,
    HOME: folder,
  };
  return {
    folder,
    async run(script, { timeoutMs, cwd = root }) {
      const { stdout } = await run("bash", ["-c", `set -euo pipefail\n${script}`], { cwd, env, timeout: timeoutMs });
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([folder, programs].map((path) => rm(path, { recursive: true })));
    },
  };
}
