// The NetworkPolicy of a gateway (SEC-3). Everybody may reach it, since it asks each caller who they are, and nobody but
// the kubelet its probes and metrics, unless whoever installed the operator names them. It connects to name servers, the API
// server, its registry, its agents and tool servers, where the keys are by which it checks tokens, where it browses, and its
// embeddings.
import type { NetworkPolicyPeer } from "../../crds/agent-settings.ts";
import { gatewayName, ports } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";
import { gatewayDestinations } from "../../plan/egress.ts";
import type { ResolvedGateway } from "../../plan/gateway.ts";
import { renderMetadata, renderPeers, renderSelector } from "./metadata.ts";
import { anywhere, nameServers, renderDestination, tcp, type RenderedNetworkPolicy } from "./policy-rules.ts";

/** Undefined where the instance's agents have none by default. */
export function renderGatewayNetworkPolicy(
  { instance, config }: ResolvedGateway,
  apiServerPorts: readonly number[],
  metricsFrom: readonly NetworkPolicyPeer[],
  servers: Iterable<PallasServer>,
): RenderedNetworkPolicy | undefined {
  if (instance.spec.agentDefaults?.networkPolicy?.enabled === false) return undefined;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: renderMetadata(instance, "gateway", gatewayName(instance.metadata.name)),
    spec: {
      podSelector: { matchLabels: renderSelector(instance, "gateway") },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        { ports: [tcp(ports.gateway)] },
        ...(metricsFrom.length > 0 ? [{ from: [...metricsFrom], ports: [tcp(ports.gatewayAdmin)] }] : []),
      ],
      egress: [
        nameServers,
        { to: [...anywhere], ports: apiServerPorts.map(tcp) },
        { to: [renderPeers(instance, "agent")], ports: [tcp(ports.agentMcp), tcp(ports.agentAdmin)] },
        { to: [renderPeers(instance, "server")], ports: [tcp(ports.bridge), tcp(ports.bridgeAdmin)] },
        { to: [renderPeers(instance, "registry")], ports: [tcp(ports.registry)] },
        ...gatewayDestinations(config, instance, servers).map(renderDestination),
      ],
    },
  };
}
