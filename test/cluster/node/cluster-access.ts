// What an end-to-end test needs to use a cluster with nodes, whoever has started it. The description is plain data, so it
// can go from the process that starts the cluster to those that test.

import { join } from "node:path";

import { createCommand } from "../cluster-command.ts";
import type { ClusterCommand } from "../cluster-command.ts";
import { createKubectl } from "../kubectl.ts";

export interface ClusterDescription {
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  readonly helmPath: string;
  /** Where kubectl and helm keep what they find out. */
  readonly cacheDir: string;
  /** A shell command that gets an image archive's path as its last argument; or why there is none. */
  readonly loadImage: { readonly command: string } | { readonly missing: string };
  /** Where NodePorts answer. */
  readonly nodeAddress: string;
  /** Logs of the cluster's programs; undefined where they are not at hand. */
  readonly logsDir: string | undefined;
}

export interface ClusterAccess extends ClusterDescription {
  readonly kubectl: ClusterCommand;
  readonly helm: ClusterCommand;
  /** Brings a docker or OCI archive to the node's images. */
  importImage(archivePath: string): Promise<void>;
}

const importTimeoutMs = 300_000;

export function connectCluster(description: ClusterDescription): ClusterAccess {
  const { kubeconfigPath, kubectlPath, helmPath, cacheDir, loadImage } = description;
  const helmFolders = { HELM_CACHE_HOME: "cache", HELM_CONFIG_HOME: "config", HELM_DATA_HOME: "data" };
  const helmEnv = Object.entries(helmFolders).map(([name, folder]) => [name, join(cacheDir, "helm", folder)]);
  const shell = createCommand({ name: "sh", path: "/bin/sh" });
  return {
    ...description,
    kubectl: createKubectl({ kubectlPath, kubeconfigPath, cacheDir: join(cacheDir, "kubectl") }),
    helm: createCommand({
      name: "helm",
      path: helmPath,
      env: { KUBECONFIG: kubeconfigPath, ...Object.fromEntries(helmEnv) },
    }),
    async importImage(archivePath) {
      if ("missing" in loadImage) throw new Error(loadImage.missing);
      await shell(["-c", `${loadImage.command} "$1"`, "sh", archivePath], { timeoutMs: importTimeoutMs });
    },
  };
}
