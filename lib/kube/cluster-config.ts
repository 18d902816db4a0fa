// Finds the API server and who we are to it: in a pod by its service account, elsewhere by a kubeconfig. The library
// that reads kubeconfigs and their many ways to log in takes 15 MB, so it is loaded only where there is one to read.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { isIPv6 } from "node:net";
import { join } from "node:path";

/** What is asked of a configuration; a `KubeConfig` of client-node is one. */
export interface ClusterConfig {
  getCurrentContext(): string;
  getCurrentCluster(): {
    readonly name: string;
    readonly server: string;
    readonly proxyUrl?: string | undefined;
  } | null;
  getCurrentUser?(): { readonly token?: string; readonly authProvider?: unknown } | null;
  /** Adds TLS material and headers, read anew each time: tokens and certificates are rotated. */
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the kubelet puts them. */
const accountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

/** KUBECONFIG, else the pod's service account, else ~/.kube/config: the order of Kubernetes' own controllers. */
export async function findClusterConfig(environment: Environment = process.env): Promise<ClusterConfig> {
  const inPod = (environment["KUBECONFIG"] ?? "") === "" ? readPodConfig(environment, accountDir) : undefined;
  if (inPod) return inPod;
  const { loadKubeconfig } = await import("./kubeconfig-file.ts");
  return loadKubeconfig();
}

/** Undefined outside of pods, and in those without a service account's token. */
export function readPodConfig(environment: Environment, dir: string): ClusterConfig | undefined {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "443" } = environment;
  const [tokenPath, caPath] = [join(dir, "token"), join(dir, "ca.crt")];
  if (host === "" || !existsSync(tokenPath)) return undefined;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    getCurrentContext: () => "pod",
    getCurrentCluster: () => ({ name: "pod", server }),
    async applyToHTTPSOptions(options) {
      const [token, ca] = await Promise.all([readFile(tokenPath, "utf8"), readFile(caPath)]);
      Object.assign(options, { ca, headers: { authorization: `Bearer ${token.trim()}` } });
    },
  };
}
