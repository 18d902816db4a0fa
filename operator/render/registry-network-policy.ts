// The NetworkPolicy of a registry (SEC-3). Everybody may read it, and nobody but the kubelet, which policies never keep
// out, its probes. It connects to name servers, the API server and its agents' admin ports: what a hostile pod may make
// it do ends there.
import type { PallasInstance } from "../../crds/instance.ts";
import { ports, registryName } from "../../crds/names.ts";
import { renderMetadata, renderPeers, renderSelector } from "./metadata.ts";
import { anywhere, nameServers, tcp, type RenderedNetworkPolicy } from "./policy-rules.ts";

/** Where API servers listen, behind their Service and as it shows itself; a policy may see either. */
export const usualApiServerPorts: readonly number[] = [443, 6443];

/**
 * Undefined where the instance's agents have none by default. The API server is no pod that could be selected, and its
 * address is not known here: its ports are open to any address but link-local and metadata ones.
 */
export function renderRegistryNetworkPolicy(
  instance: PallasInstance,
  apiServerPorts: readonly number[],
): RenderedNetworkPolicy | undefined {
  if (instance.spec.agentDefaults?.networkPolicy?.enabled === false) return undefined;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: renderMetadata(instance, "registry", registryName(instance.metadata.name)),
    spec: {
      podSelector: { matchLabels: renderSelector(instance, "registry") },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ ports: [tcp(ports.registry)] }],
      egress: [
        nameServers,
        { to: [...anywhere], ports: apiServerPorts.map(tcp) },
        { to: [renderPeers(instance, "agent")], ports: [tcp(ports.agentAdmin)] },
      ],
    },
  };
}
