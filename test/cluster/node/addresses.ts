// The names and addresses of the one node. They are fixed, so there is one such cluster on a machine at a time.
// The bridge's address is the node's, the API server's and the pods' gateway: nothing depends on the machine's network.

import { serviceAddresses } from "../server-files.ts";

export const nodeName = "pallas-node";
export const bridgeName = "pallas0";
export const nodeAddress = "10.244.0.1";
export const podAddresses = "10.244.0.0/24";
export const dnsAddress = "10.96.0.10";
/** What clients in pods know the API server by. */
export const apiServiceAddress = "10.96.0.1";
export const apiPort = 6443;

/** The nftables tables of a node: ours, those of kube-proxy and those of netpol. */
export const nftTables = [
  "ip pallas-cluster",
  "ip pallas-netpol",
  "ip6 pallas-netpol",
  "ip kube-proxy",
  "ip6 kube-proxy",
] as const;

/** Pods reach the machine's network under the machine's address; replaced as a whole, so it can be applied again. */
export const renderMasquerade = (): string => `
table ip pallas-cluster
delete table ip pallas-cluster
table ip pallas-cluster {
  chain postrouting {
    type nat hook postrouting priority srcnat;
    ip saddr ${podAddresses} ip daddr != { ${podAddresses}, ${serviceAddresses} } oifname != "${bridgeName}" masquerade
  }
}
`;
