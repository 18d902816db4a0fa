// Reads kubeconfigs, with the library that knows their many ways to log in. A module of its own, loaded only where it
// is needed, so that of the library only this part is bundled.
import { KubeConfig } from "@kubernetes/client-node";

/** KUBECONFIG, else ~/.kube/config. */
export function loadKubeconfig(): KubeConfig {
  const found = new KubeConfig();
  found.loadFromDefault();
  return found;
}
