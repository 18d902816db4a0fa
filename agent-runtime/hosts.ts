// The Host names under which an agent may be addressed (SEC-4): its Service, its pod, this machine, and what is configured.
import type { RunConfig } from "../crds/run-config.ts";
import { loopbackHosts } from "../lib/process/http-guard.ts";

/** For both ports: kubelet probes and scrapers use the pod's address. */
export function renderAllowedHosts(config: Pick<RunConfig, "agent" | "http">, podIp?: string): string[] {
  const { name, namespace } = config.agent;
  const service = [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
  return [...service, ...loopbackHosts, ...(podIp === undefined ? [] : [podIp]), ...config.http.allowedHosts];
}
