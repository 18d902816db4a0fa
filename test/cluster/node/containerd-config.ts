// What containerd and the network plugins of a node read at their start.

import { join } from "node:path";

import { bridgeName, nodeAddress, podAddresses } from "./addresses.ts";
import type { MachineTools } from "./machine-tools.ts";
import type { NodePaths } from "./node-paths.ts";

/** The image that holds a pod's namespaces; containerd never collects it. */
export const pauseImage = "localhost/pallas-pause:1";

const unusedPlugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.nri.v1.nri",
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.erofs",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
];

/** TOML, whose strings and lists of strings are written as in JSON. */
export function renderContainerdConfig({ dir, socket, cniDir }: NodePaths, tools: MachineTools, shim: string): string {
  const text = (value: string): string => JSON.stringify(value);
  const runtime = `plugins."io.containerd.cri.v1.runtime"`;
  return `version = 3
root = ${text(join(dir, "containerd/root"))}
state = ${text(join(dir, "containerd/state"))}
disabled_plugins = ${JSON.stringify(unusedPlugins)}
[grpc]
address = ${text(socket)}
[ttrpc]
address = ${text(`${socket}.ttrpc`)}
[plugins."io.containerd.cri.v1.images"]
snapshotter = "overlayfs"
[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = ${text(pauseImage)}
[${runtime}]
netns_mounts_under_state_dir = true
# Without CAP_SYS_RESOURCE (a virtual machine's init may lack it) no pod would start: runc says only
# "can't get final child's PID from pipe: EOF".
restrict_oom_score_adj = true
[${runtime}.cni]
bin_dirs = [${text(tools.cniPluginsDir)}]
conf_dir = ${text(cniDir)}
use_internal_loopback = true
[${runtime}.containerd]
default_runtime_name = "runc"
[${runtime}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
runtime_path = ${text(shim)}
[${runtime}.containerd.runtimes.runc.options]
BinaryName = ${text(tools.runc)}
Root = ${text(join(dir, "containerd/runc"))}
SystemdCgroup = false
`;
}

/** The name under which the plugins keep their results, in /var/lib/cni/results. */
export const cniNetwork = "pallas";

export function renderCniConfig(dir: string): string {
  const ipam = {
    type: "host-local",
    dataDir: join(dir, "cni"),
    ranges: [[{ subnet: podAddresses, rangeStart: "10.244.0.10", gateway: nodeAddress }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  const bridge = { type: "bridge", bridge: bridgeName, isGateway: true, hairpinMode: true, ipMasq: false, ipam };
  return JSON.stringify({ cniVersion: "1.0.0", name: cniNetwork, plugins: [bridge] });
}
