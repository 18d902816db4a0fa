// The Host names under which the registry may be addressed (SEC-4): its Services, its pod, this machine, and what is
// configured.
import { registryName } from "../crds/names.ts";
import { loopbackHosts } from "../lib/process/http-guard.ts";

export interface HostOptions {
  /** Instances served by name; where all are served, the Service's names must be configured. */
  instances: readonly string[];
  namespace?: string | undefined;
  podIp?: string | undefined;
  configured: readonly string[];
}

export function renderAllowedHosts({ instances, namespace, podIp, configured }: HostOptions): string[] {
  const services = instances.map(registryName).flatMap((name) => {
    if (namespace === undefined) return [name];
    const qualified = `${name}.${namespace}`;
    return [name, qualified, `${qualified}.svc`, `${qualified}.svc.cluster.local`];
  });
  return [...services, ...loopbackHosts, ...(podIp === undefined ? [] : [podIp]), ...configured];
}
