// The cluster with nodes that end-to-end tests use: the one that PALLAS_E2E_KUBECONFIG names, else one of this machine,
// started for them. Refuses to guess: with the variable set, nothing is started.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { findBinaries } from "../binaries.ts";
import { requirePrograms } from "../programs.ts";
import { connectCluster } from "./cluster-access.ts";
import type { ClusterAccess, ClusterDescription } from "./cluster-access.ts";
import { startNodeCluster } from "./node-cluster.ts";

export interface OpenCluster extends ClusterAccess, AsyncDisposable {
  /** Plain data; `connectCluster` makes a cluster's access of it in another process. */
  readonly description: ClusterDescription;
  /** Ends what `openCluster` has started; an existing cluster goes on. */
  stop(): Promise<void>;
}

export async function openCluster(env: NodeJS.ProcessEnv = process.env): Promise<OpenCluster> {
  const kubeconfig = env["PALLAS_E2E_KUBECONFIG"] ?? "";
  return kubeconfig === ""
    ? startNodeCluster()
    : openExistingCluster(resolve(kubeconfig), env["PALLAS_E2E_LOAD_IMAGE"]);
}

async function openExistingCluster(kubeconfigPath: string, loadCommand = ""): Promise<OpenCluster> {
  const binaries = await findBinaries();
  if ("missing" in binaries) throw new Error(binaries.missing);
  const helm = await requirePrograms("chart");
  const cacheDir = await mkdtemp(join(tmpdir(), "pallas-clients-"));
  const unplaced = {
    kubeconfigPath,
    kubectlPath: binaries.kubectl,
    helmPath: join(helm.dir, "helm"),
    cacheDir,
    loadImage: renderLoadImage(loadCommand),
    logsDir: undefined,
  };
  const stop = (): Promise<void> => rm(cacheDir, { recursive: true, force: true });
  try {
    const { kubectl } = connectCluster({ ...unplaced, nodeAddress: "" });
    const template = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}';
    const nodeAddress = await kubectl(["get", "nodes", `--output=jsonpath=${template}`]);
    const description: ClusterDescription = { ...unplaced, nodeAddress };
    return { ...connectCluster(description), description, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw new Error(`expected a cluster behind PALLAS_E2E_KUBECONFIG=${kubeconfigPath}, found none that answers`, {
      cause: error,
    });
  }
}

const renderLoadImage = (command: string): ClusterDescription["loadImage"] =>
  command === ""
    ? {
        missing:
          "expected PALLAS_E2E_LOAD_IMAGE to hold a command that loads an image archive into the cluster and gets its " +
          "path as last argument, found none; set it, for example to `kind load image-archive`",
      }
    : { command };
