// The command line of each program of a node cluster.

import { join } from "node:path";

import type { ClusterBinaries } from "../binaries.ts";
import type { Command } from "../components.ts";
import {
  pki,
  renderApiServerArguments,
  renderControllerManagerArguments,
  renderEtcdArguments,
} from "../server-files.ts";
import type { ServerFiles } from "../server-files.ts";
import { bridgeName, nodeAddress, nodeName } from "./addresses.ts";
import type { NodePaths } from "./node-paths.ts";

export const nodeComponents = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "containerd",
  "kubelet",
  "kube-proxy",
  "netpol",
] as const;

export type NodeComponent = (typeof nodeComponents)[number];

export interface NodePrograms {
  readonly server: ClusterBinaries & { readonly kubeControllerManager: string };
  /** The folder of the set `node`. */
  readonly nodeDir: string;
}

export function renderNodeCommand(
  component: NodeComponent,
  { server, nodeDir }: NodePrograms,
  paths: NodePaths,
  files: ServerFiles,
): Command {
  const kubeconfig = `--kubeconfig=${files.kubeconfigPath}`;
  switch (component) {
    case "etcd":
      return [server.etcd, renderEtcdArguments(files)];
    case "kube-apiserver":
      return [server.kubeApiserver, [...renderApiServerArguments(files), ...renderNodeServerArguments(files)]];
    case "kube-controller-manager":
      return [server.kubeControllerManager, renderControllerManagerArguments(files)];
    case "kube-scheduler":
      return [
        join(nodeDir, component),
        [kubeconfig, "--secure-port=0", "--leader-elect=false", "--kube-api-qps=500", "--kube-api-burst=1000"],
      ];
    case "containerd":
      return [join(nodeDir, component), ["--config", paths.containerdConfig]];
    case "kubelet":
      return [
        join(nodeDir, component),
        [
          `--config=${paths.kubeletConfig}`,
          `--kubeconfig=${paths.kubeletKubeconfig}`,
          `--root-dir=${join(paths.dir, "kubelet")}`,
          `--hostname-override=${nodeName}`,
          `--node-ip=${nodeAddress}`,
        ],
      ];
    case "kube-proxy":
      return [join(nodeDir, component), [`--config=${paths.proxyConfig}`]];
    case "netpol":
      return [join(nodeDir, component), [kubeconfig, `--bridge=${bridgeName}`]];
  }
}

/** What differs from a server without nodes; of a flag that is given twice the last one counts. */
const renderNodeServerArguments = ({ dir, caPath }: ServerFiles): string[] => [
  `--bind-address=${nodeAddress}`,
  `--advertise-address=${nodeAddress}`,
  "--endpoint-reconciler-type=lease",
  "--enable-admission-plugins=NodeRestriction",
  "--allow-privileged=true",
  "--kubelet-preferred-address-types=InternalIP",
  `--kubelet-certificate-authority=${caPath}`,
  `--kubelet-client-certificate=${pki(dir, "kubelet-client.crt")}`,
  `--kubelet-client-key=${pki(dir, "kubelet-client.key")}`,
];
