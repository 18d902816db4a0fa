// What kubelet and kube-proxy of a node read at their start. JSON, which is YAML too.

import { join } from "node:path";

import { caPath, pki } from "../server-files.ts";
import { dnsAddress, nodeAddress, nodeName, podAddresses } from "./addresses.ts";
import type { NodePaths } from "./node-paths.ts";

export function renderKubeletConfig({ dir, socket, resolvConf }: NodePaths): string {
  return JSON.stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: nodeAddress,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: caPath(dir) },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: pki(dir, "kubelet.crt"),
    tlsPrivateKeyFile: pki(dir, "kubelet.key"),
    containerRuntimeEndpoint: `unix://${socket}`,
    cgroupDriver: "cgroupfs", // no systemd is asked
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    clusterDNS: [dnsAddress],
    clusterDomain: "cluster.local",
    resolvConf,
    podLogsDir: join(dir, "kubelet/pod-logs"),
    volumePluginDir: join(dir, "kubelet/volume-plugins"),
    syncFrequency: "5s", // so that a changed Secret is in its volume within seconds, not a minute
    oomScoreAdj: 0, // a negative one needs CAP_SYS_RESOURCE
    healthzPort: 0,
    systemReserved: { memory: "2Gi" }, // so that pods together cannot take the whole machine
    // A machine with a full disk must not lose its images: nothing here can pull them again.
    evictionHard: {
      "memory.available": "200Mi",
      "nodefs.available": "1%",
      "nodefs.inodesFree": "1%",
      "imagefs.available": "1%",
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
  });
}

export function renderProxyConfig(kubeconfig: string): string {
  return JSON.stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    hostnameOverride: nodeName,
    clientConnection: { kubeconfig },
    clusterCIDR: podAddresses,
    nodePortAddresses: ["primary"],
    oomScoreAdj: 0,
    healthzBindAddress: `${nodeAddress}:10256`,
    metricsBindAddress: `${nodeAddress}:10249`,
    nftables: { minSyncPeriod: "100ms" },
    // Zero leaves the machine's own limits as they are.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  });
}
