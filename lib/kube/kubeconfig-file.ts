/**
 * Reads kubeconfigs, with the library that knows their many ways to log in. A module of its own, loaded only where it
 * is needed, so that of the library only this part is bundled.
 */
import { KubeConfig } from "@kubernetes/client-node";
import type { ClusterConfig } from "./cluster-config.ts";

/** KUBECONFIG, else ~/.kube/config. */
export function loadKubeconfig(): ClusterConfig {
  const found = new KubeConfig();
  found.loadFromDefault();
  return found;
}
