// The Host names under which a bridge may be addressed (SEC-4): its Service, its pod, this machine, and what is configured.
import type { BridgeConfig } from "../crds/bridge-config.ts";
import { serverChildren } from "../crds/names.ts";
import { loopbackHosts } from "../lib/process/http-guard.ts";

/** For both ports: kubelet probes and scrapers use the pod's address. */
export function renderAllowedHosts({ server, http }: Pick<BridgeConfig, "server" | "http">, podIp?: string): string[] {
  const { service } = serverChildren(server.resource ?? server.name);
  const qualified = `${service}.${server.namespace}`;
  const names = [service, qualified, `${qualified}.svc`, `${qualified}.svc.cluster.local`];
  return [...names, ...loopbackHosts, ...(podIp === undefined ? [] : [podIp]), ...http.allowedHosts];
}
