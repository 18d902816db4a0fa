// What the NetworkPolicies of agents, registries and gateways have in common: their form on the wire, name servers, and "anywhere",
// which leaves out what nobody may call (SEC-3, SEC-5).
import type {
  V1IPBlock,
  V1NetworkPolicy,
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1NetworkPolicySpec,
} from "@kubernetes/client-node";
import { covers, refusedRangesIn } from "../../plan/addresses.ts";
import type { Destination } from "../../plan/egress.ts";
import type { Rendered } from "./metadata.ts";

export interface IngressRule {
  /** Absent: everybody. */
  from?: V1NetworkPolicyPeer[];
  ports?: V1NetworkPolicyPort[];
}

/** As it is on the wire, where the client's types say `_from`. */
interface NetworkPolicySpec extends Omit<V1NetworkPolicySpec, "ingress"> {
  ingress: IngressRule[];
}

export type RenderedNetworkPolicy = Omit<Rendered<V1NetworkPolicy>, "spec"> & { spec: NetworkPolicySpec };

export const tcp = (port: number): V1NetworkPolicyPort => ({ protocol: "TCP", port });

/** Name servers listen on 53; OpenShift's on 5353 behind their Service, and a policy sees the port of the pod. */
const dnsPorts = [53, 5353];

/** To any address: caches of name servers sit on link-local ones. */
export const nameServers: V1NetworkPolicyEgressRule = {
  ports: dnsPorts.flatMap((port) => (["UDP", "TCP"] as const).map((protocol) => ({ protocol, port }))),
};

/** A range that may be called: without the addresses that nobody may call, whoever opened it (SEC-5). */
export function reachable({ cidr, except = [] }: V1IPBlock): V1IPBlock {
  const missing = refusedRangesIn(cidr).filter((refused) => !except.some((hole) => covers(hole, refused)));
  const holes = [...except, ...missing];
  return holes.length > 0 ? { cidr, except: holes } : { cidr };
}

export const anywhere: readonly V1NetworkPolicyPeer[] = ["0.0.0.0/0", "::/0"].map((cidr) => ({
  ipBlock: reachable({ cidr }),
}));

/** What a connection there needs. */
export function renderDestination(destination: Destination): V1NetworkPolicyEgressRule {
  switch (destination.kind) {
    case "namespace": {
      // All ports: a policy sees the port of the pod, a URL has that of the Service.
      const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": destination.namespace } };
      return { to: [{ namespaceSelector }], ports: [{ protocol: "TCP" }] };
    }
    case "address":
      return { to: [{ ipBlock: { cidr: destination.cidr } }], ports: [tcp(destination.port)] };
    case "outside":
      return { to: [...anywhere], ports: [tcp(destination.port)] };
  }
}
