// What NetworkPolicies say, asked of pairs of pods: the part of the API's semantics that a network plugin enforces.
// Numeric ports only, since none of ours has a name; a rule it cannot read is an error, not a "no".
import type { V1LabelSelector, V1NetworkPolicyPeer, V1NetworkPolicyPort } from "@kubernetes/client-node";
import { containsRange, parseAddress, parseRange, singleAddress } from "../../../plan/addresses.ts";
import type { RenderedNetworkPolicy } from "../policy-rules.ts";

export type Policy = Pick<RenderedNetworkPolicy, "spec"> & { metadata: { namespace: string } };

/** A pod, or with no namespace an address outside the cluster. */
export interface Endpoint {
  namespace?: string;
  labels?: Record<string, string>;
  ip: string;
}

type Direction = "Ingress" | "Egress";
type Protocol = "TCP" | "UDP";

function selects(
  { matchLabels = {}, matchExpressions = [] }: V1LabelSelector,
  labels: Record<string, string>,
): boolean {
  const holds = ({ key, operator, values = [] }: (typeof matchExpressions)[number]): boolean => {
    const value = labels[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
      default:
        throw new Error(`expected an operator of label selectors, found "${operator}"`);
    }
  };
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every(holds);
}

function isInBlock({ cidr, except = [] }: NonNullable<V1NetworkPolicyPeer["ipBlock"]>, ip: string): boolean {
  const address = parseAddress(ip);
  if (!address) throw new Error(`expected an IP address, found "${ip}"`);
  const holds = (text: string): boolean => {
    const range = parseRange(text);
    if (!range) throw new Error(`expected a range of addresses, found "${text}"`);
    return containsRange(range, singleAddress(address));
  };
  return holds(cidr) && !except.some(holds);
}

function isPeer(peer: V1NetworkPolicyPeer, policyNamespace: string, other: Endpoint): boolean {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (ipBlock) return isInBlock(ipBlock, other.ip);
  if (!podSelector && !namespaceSelector) throw new Error("expected a peer that names somebody, found an empty one");
  if (other.namespace === undefined) return false;
  const inNamespace = namespaceSelector
    ? selects(namespaceSelector, { "kubernetes.io/metadata.name": other.namespace })
    : other.namespace === policyNamespace;
  return inNamespace && selects(podSelector ?? {}, other.labels ?? {});
}

const isPort = ({ protocol = "TCP", port, endPort }: V1NetworkPolicyPort, wanted: number, over: string): boolean => {
  if (typeof port === "string") throw new Error(`expected a numeric port, found "${port}"`);
  return protocol === over && (port === undefined || (wanted >= port && wanted <= (endPort ?? port)));
};

interface Question {
  subject: Endpoint;
  other: Endpoint;
  port: number;
  protocol: Protocol;
}

function isAllowed(policies: readonly Policy[], direction: Direction, question: Question): boolean {
  const { subject, other, port, protocol } = question;
  const applying = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === subject.namespace &&
      spec.policyTypes?.includes(direction) === true &&
      selects(spec.podSelector ?? {}, subject.labels ?? {}),
  );
  // A pod that no policy is about is open; what several policies allow adds up.
  if (applying.length === 0) return true;
  return applying.some(({ metadata, spec }) => {
    const rules =
      direction === "Ingress"
        ? spec.ingress.map(({ from: peers, ports }) => ({ peers, ports }))
        : (spec.egress ?? []).map(({ to: peers, ports }) => ({ peers, ports }));
    return rules.some(
      ({ peers = [], ports = [] }) =>
        (peers.length === 0 || peers.some((peer) => isPeer(peer, metadata.namespace, other))) &&
        (ports.length === 0 || ports.some((each) => isPort(each, port, protocol))),
    );
  });
}

/** Whether a connection from `from` to a port of `to` passes both ends' policies. */
export function mayReach(
  policies: readonly Policy[],
  from: Endpoint,
  to: Endpoint,
  port: number,
  protocol: Protocol = "TCP",
): boolean {
  return (
    isAllowed(policies, "Egress", { subject: from, other: to, port, protocol }) &&
    isAllowed(policies, "Ingress", { subject: to, other: from, port, protocol })
  );
}
