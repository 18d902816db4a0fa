// The NetworkPolicy of an agent: nothing in and nothing out, but for what it is there for (SEC-3). Peers without a
// namespace selector are pods of the agent's own namespace: a label in another one opens nothing, since whoever may
// make pods there could set it. The operator alone may sit anywhere, and reaches no more than metrics and health.
import type { V1NetworkPolicyEgressRule, V1NetworkPolicyPeer, V1NetworkPolicyPort } from "@kubernetes/client-node";
import type { PallasInstance } from "../../crds/instance.ts";
import { agentChildren, labels, operatorLabels, ports } from "../../crds/names.ts";
import { destinationsOf } from "../../plan/egress.ts";
import type { Resolved } from "../../plan/resolved.ts";
import type { EffectiveSettings } from "../../plan/settings.ts";
import { clusterServerUrl } from "../../plan/urls.ts";
import { renderMetadata, renderNamedPeers, renderSelector } from "./metadata.ts";
import {
  nameServers,
  reachable,
  renderDestination,
  tcp,
  type IngressRule,
  type RenderedNetworkPolicy,
} from "./policy-rules.ts";

type ExtraPeer = EffectiveSettings["networkPolicy"]["from"][number];

const extraPorts = ({ ports: wanted = [] }: ExtraPeer): { ports?: V1NetworkPolicyPort[] } =>
  wanted.length === 0 ? {} : { ports: wanted.map(({ protocol = "TCP", ...range }) => ({ protocol, ...range })) };

const extraPeer = ({ podSelector, namespaceSelector, ipBlock }: ExtraPeer): V1NetworkPolicyPeer => ({
  ...(podSelector ? { podSelector } : {}),
  ...(namespaceSelector ? { namespaceSelector } : {}),
  ...(ipBlock ? { ipBlock } : {}),
});

const reachablePeer = (peer: ExtraPeer): V1NetworkPolicyPeer =>
  extraPeer(peer.ipBlock ? { ...peer, ipBlock: reachable(peer.ipBlock) } : peer);

/** It sends people's calls on, and asks what runs; and an agent's own token is for it. */
const gatewayPods = (instance: PallasInstance): V1NetworkPolicyPeer[] =>
  instance.spec.gateway === undefined ? [] : [{ podSelector: { matchLabels: renderSelector(instance, "gateway") } }];

function renderIngress({ instance, callers, settings }: Resolved): IngressRule[] {
  return [
    {
      from: [
        { podSelector: { matchLabels: { [labels.client]: "true" } } },
        ...(callers.length > 0 ? [renderNamedPeers(instance, "agent", callers)] : []),
        ...gatewayPods(instance),
      ],
      ports: [tcp(ports.agentMcp)],
    },
    {
      from: [
        { podSelector: { matchLabels: renderSelector(instance, "registry") } },
        { namespaceSelector: {}, podSelector: { matchLabels: { ...operatorLabels } } },
        ...gatewayPods(instance),
      ],
      ports: [tcp(ports.agentAdmin)],
    },
    ...settings.networkPolicy.from.map((peer) => ({ from: [extraPeer(peer)], ...extraPorts(peer) })),
  ];
}

function renderEgress({ agent, instance, config, settings, bridges }: Resolved): V1NetworkPolicyEgressRule[] {
  const called = config.agents.map(({ name }) => name);
  const bridgeUrls = bridges.map((server) => clusterServerUrl(server, agent.metadata.namespace));
  return [
    nameServers,
    ...(called.length > 0 ? [{ to: [renderNamedPeers(instance, "agent", called)], ports: [tcp(ports.agentMcp)] }] : []),
    ...(bridges.length > 0
      ? [{ to: [renderNamedPeers(instance, "server", bridges)], ports: [tcp(ports.bridge)] }]
      : []),
    ...gatewayPods(instance).map((gateway) => ({ to: [gateway], ports: [tcp(ports.gateway)] })),
    ...destinationsOf(config, instance, bridgeUrls).map(renderDestination),
    ...settings.networkPolicy.to.map((peer) => ({ to: [reachablePeer(peer)], ...extraPorts(peer) })),
  ];
}

/** Undefined where spec.networkPolicy switches it off. */
export function renderNetworkPolicy(resolved: Resolved): RenderedNetworkPolicy | undefined {
  const { agent, settings } = resolved;
  if (!settings.networkPolicy.enabled) return undefined;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: renderMetadata(agent, "agent", agentChildren(agent.metadata.name).networkPolicy),
    spec: {
      podSelector: { matchLabels: renderSelector(agent, "agent") },
      policyTypes: ["Ingress", "Egress"],
      ingress: renderIngress(resolved),
      egress: renderEgress(resolved),
    },
  };
}
