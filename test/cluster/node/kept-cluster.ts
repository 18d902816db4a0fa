// The cluster that outlives the command that started it: where it keeps its state and how its parts find each other.
// A keeper process (keeper.ts) holds it; the note of the machine says which, and a file says when all works.

import { homedir } from "node:os";
import { readFile, rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";

import type { ClusterDescription } from "./cluster-access.ts";

export function keptClusterDir(env: NodeJS.ProcessEnv = process.env): string {
  const named = env["XDG_STATE_HOME"] ?? "";
  const stateHome = isAbsolute(named) ? named : join(env["HOME"] ?? homedir(), ".local/state"); // a relative one is to be ignored
  return join(stateHome, "pallas/cluster");
}

/** Written by the keeper whenever all works: the cluster's description. */
export const readyPath = (dir: string): string => join(dir, "ready.json");

export const forgetReady = (dir: string): Promise<void> => rm(readyPath(dir), { force: true });

/** Undefined while the cluster is not ready. */
export async function observeReady(dir: string): Promise<ClusterDescription | undefined> {
  try {
    const description: ClusterDescription = JSON.parse(await readFile(readyPath(dir), "utf8"));
    return description;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** What a shell evaluates to use the cluster, by hand and in end-to-end tests. */
export function renderExports({ kubeconfigPath, kubectlPath, loadImage }: ClusterDescription): string {
  const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return [
    `export KUBECONFIG=${quote(kubeconfigPath)} PATH=${quote(dirname(kubectlPath))}:"$PATH"`,
    `export PALLAS_E2E_KUBECONFIG=${quote(kubeconfigPath)}`,
    ...("command" in loadImage ? [`export PALLAS_E2E_LOAD_IMAGE=${quote(loadImage.command)}`] : []),
  ].join("\n");
}
