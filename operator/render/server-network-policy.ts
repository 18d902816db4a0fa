// The NetworkPolicy of a tool server's pods (SEC-3): the agents that name it and its instance's gateway may call it, the operator,
// that gateway and whoever reads metrics may ask how it is; it connects to name servers and where its spec says. Peers without a
// namespace selector are pods of its own namespace.
import type { NetworkPolicyPeer } from "../../crds/agent-settings.ts";
import { operatorLabels, ports, serverChildren } from "../../crds/names.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasServer } from "../../crds/server.ts";
import { serverDestinations } from "../../plan/egress.ts";
import { renderMetadata, renderNamedPeers, renderPeers, renderSelector } from "./metadata.ts";
import { nameServers, renderDestination, tcp, type RenderedNetworkPolicy } from "./policy-rules.ts";

export interface ServerPeers {
  /** Names of the agents that name it. */
  readonly callers: readonly string[];
  readonly metricsFrom: readonly NetworkPolicyPeer[];
}

/** Undefined where the instance's agents have none by default. */
export function renderServerNetworkPolicy(
  server: PallasServer,
  instance: PallasInstance,
  { callers, metricsFrom }: ServerPeers,
): RenderedNetworkPolicy | undefined {
  if (instance.spec.agentDefaults?.networkPolicy?.enabled === false) return undefined;
  const gateway = instance.spec.gateway === undefined ? [] : [renderPeers(instance, "gateway")];
  const calling = [...(callers.length === 0 ? [] : [renderNamedPeers(instance, "agent", callers)]), ...gateway];
  const operator = { namespaceSelector: {}, podSelector: { matchLabels: { ...operatorLabels } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: renderMetadata(server, "server", serverChildren(server.metadata.name).networkPolicy),
    spec: {
      podSelector: { matchLabels: renderSelector(server, "server") },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        // A rule that names nobody would let everybody in.
        ...(calling.length === 0 ? [] : [{ from: calling, ports: [tcp(ports.bridge)] }]),
        { from: [operator, ...gateway, ...metricsFrom], ports: [tcp(ports.bridgeAdmin)] },
      ],
      egress: [nameServers, ...serverDestinations(server, instance).map(renderDestination)],
    },
  };
}
