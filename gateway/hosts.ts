// The Host names under which a gateway may be addressed (SEC-4): its Service, its pod, this machine, and what is configured.
import type { GatewayConfig } from "../crds/gateway-config.ts";
import { gatewayName } from "../crds/names.ts";
import { loopbackHosts } from "../lib/process/http-guard.ts";

/** For both ports: kubelet probes and scrapers use the pod's address. */
export function renderAllowedHosts({ instance, http }: Pick<GatewayConfig, "instance" | "http">, podIp?: string) {
  const service = gatewayName(instance.name);
  const qualified = `${service}.${instance.namespace}`;
  const names = [service, qualified, `${qualified}.svc`, `${qualified}.svc.cluster.local`];
  return [...names, ...loopbackHosts, ...(podIp === undefined ? [] : [podIp]), ...http.allowedHosts];
}
