// What a node cluster reads at its start: certificates, kubeconfigs and configuration. Written anew at every start, so a
// cluster that is taken up again gets new keys; its data stays.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { renderCertificateKubeconfig } from "../certificate-kubeconfig.ts";
import { createAuthority } from "../certificates.ts";
import { pki, writeServerFiles } from "../server-files.ts";
import type { ServerFiles } from "../server-files.ts";
import { apiPort, apiServiceAddress, dnsAddress, nodeAddress, nodeName } from "./addresses.ts";
import { renderCniConfig, renderContainerdConfig } from "./containerd-config.ts";
import { renderDnsManifest } from "./dns-manifest.ts";
import { renderKubeletConfig, renderProxyConfig } from "./kubelet-config.ts";
import type { MachineTools } from "./machine-tools.ts";
import type { NodePaths } from "./node-paths.ts";

interface NodeFilesRequest {
  readonly paths: NodePaths;
  readonly etcdPort: number;
  readonly tools: MachineTools;
  /** The path of containerd-shim-runc-v2. */
  readonly shim: string;
}

export async function writeNodeFiles({ paths, etcdPort, tools, shim }: NodeFilesRequest): Promise<ServerFiles> {
  const { dir } = paths;
  const authority = createAuthority("pallas-cluster-ca");
  const files = await writeServerFiles({
    dir,
    ports: { api: apiPort, etcd: etcdPort },
    address: nodeAddress,
    serverNames: ["kubernetes", "kubernetes.default", nodeAddress, apiServiceAddress],
    authority,
    auditDir: join(dir, "audit"),
  });
  const kubelet = authority.issue({
    commonName: `system:node:${nodeName}`,
    organization: "system:nodes",
    serverNames: [nodeName, nodeAddress],
  });
  const kubeletClient = authority.issue({ commonName: "kube-apiserver", organization: "system:masters" });
  await rm(join(dir, "conf"), { recursive: true, force: true });
  for (const folder of [paths.cniDir, paths.imagesDir]) await mkdir(folder, { recursive: true });
  const write = async (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600 });
  await Promise.all([
    write(pki(dir, "kubelet.crt"), kubelet.certificatePem),
    write(pki(dir, "kubelet.key"), kubelet.keyPem),
    write(pki(dir, "kubelet-client.crt"), kubeletClient.certificatePem),
    write(pki(dir, "kubelet-client.key"), kubeletClient.keyPem),
    write(paths.kubeletKubeconfig, renderCertificateKubeconfig(files.url, authority, kubelet)),
    write(paths.kubeletConfig, renderKubeletConfig(paths)),
    write(paths.proxyConfig, renderProxyConfig(files.kubeconfigPath)),
    write(paths.containerdConfig, renderContainerdConfig(paths, tools, shim)),
    write(join(paths.cniDir, "10-pallas.conflist"), renderCniConfig(dir)),
    write(paths.dnsManifest, renderDnsManifest()),
    write(paths.resolvConf, `nameserver ${dnsAddress}\n`),
  ]);
  return files;
}
