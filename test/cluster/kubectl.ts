// Runs the kubectl that belongs to a test API server. It sees neither the user's kubeconfig nor the user's preferences
// or discovery cache, so a test behaves the same on every machine.

import { createCommand } from "./cluster-command.ts";
import type { ClusterCommand } from "./cluster-command.ts";

export type Kubectl = ClusterCommand;

export interface KubectlSetup {
  readonly kubectlPath: string;
  readonly kubeconfigPath: string;
  /** Where kubectl keeps what it discovered; may be shared by processes. */
  readonly cacheDir: string;
}

export function createKubectl({ kubectlPath, kubeconfigPath, cacheDir }: KubectlSetup): Kubectl {
  const env = { KUBECONFIG: kubeconfigPath, KUBECACHEDIR: cacheDir, KUBERC: "off" };
  return createCommand({ name: "kubectl", path: kubectlPath, env });
}
