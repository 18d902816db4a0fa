// Where a node cluster keeps its files: all below one folder, but for the few places that its programs fix.

import { join } from "node:path";

export interface NodePaths {
  readonly dir: string;
  readonly logsDir: string;
  /** The container runtime's socket. */
  readonly socket: string;
  readonly containerdConfig: string;
  readonly cniDir: string;
  readonly kubeletConfig: string;
  readonly kubeletKubeconfig: string;
  readonly proxyConfig: string;
  readonly dnsManifest: string;
  readonly resolvConf: string;
  readonly imagesDir: string;
}

const maxSocketPathBytes = 107; // of Linux

/** Throws when the folder's name is too long for the sockets in it. */
export function renderNodePaths(dir: string): NodePaths {
  const conf = (name: string): string => join(dir, "conf", name);
  const socket = join(dir, "run/containerd.sock");
  const longest = Buffer.byteLength(`${socket}.ttrpc`);
  if (longest > maxSocketPathBytes) {
    throw new Error(
      `expected socket paths of at most ${maxSocketPathBytes} bytes, found ${longest} in ${dir}; choose a shorter folder`,
    );
  }
  return {
    dir,
    socket,
    logsDir: join(dir, "logs"),
    containerdConfig: conf("containerd.toml"),
    cniDir: conf("cni"),
    kubeletConfig: conf("kubelet.json"),
    kubeletKubeconfig: conf("kubelet.kubeconfig"),
    proxyConfig: conf("kube-proxy.json"),
    dnsManifest: conf("dns.json"),
    resolvConf: conf("resolv.conf"),
    imagesDir: join(dir, "images"),
  };
}
