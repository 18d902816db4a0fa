// The Deployment of a tool server behind its bridge: one pod, restricted as every pod of Pallas. A package runs as child
// processes of the bridge; a server with an image of its own in a container beside it, where a supervisor that an init
// container laid out joins the two by named pipes. Each secret is in the one container that needs it, as the keys named.
import type { V1Container, V1Deployment, V1EnvVar, V1PodSpec, V1Volume, V1VolumeMount } from "@kubernetes/client-node";
import type { BridgeValue } from "../../crds/bridge-config.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { mounts, ports, serverChildren } from "../../crds/names.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { ResolvedBridge } from "../../plan/resolved-server.ts";
import { bridgeFiles } from "../../plan/server.ts";
import { renderPlacement, renderPodMetadata } from "./authored-pod.ts";
import { renderLabels, renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import { renderOutgoing } from "./outgoing.ts";
import { gracePeriodSeconds, renderFiles, renderResources, revisionHistoryLimit } from "./pod-parts.ts";
import { renderProbes } from "./probes.ts";
import { restrictedContainer, restrictedPod } from "./restricted.ts";

type Container = NonNullable<ResolvedBridge["container"]>;

/** In the image of bridges: a static busybox, and the script that it runs. */
const supervisorFiles = ["/usr/share/pallas/busybox", "/usr/share/pallas/supervisor.sh"];

const workMount: V1VolumeMount = { name: "work", mountPath: mounts.serverWork };
const tmpMount: V1VolumeMount = { name: "tmp", mountPath: "/tmp" };
const pipesMount: V1VolumeMount = { name: "pipes", mountPath: mounts.serverPipes };

/** Caches of packages, what a server installs, and its own files. */
const workVolume: V1Volume = { name: "work", emptyDir: { sizeLimit: "2Gi" } };
const tmpVolume: V1Volume = { name: "tmp", emptyDir: { sizeLimit: "256Mi" } };
/** A copy of the supervisor, and pipes, which hold nothing. */
const pipesVolume: V1Volume = { name: "pipes", emptyDir: { sizeLimit: "16Mi" } };

/** In a server's own container, whose image may have any home or none: its root is read-only. Authors cannot set these. */
const homeVariables: readonly V1EnvVar[] = [
  { name: "HOME", value: mounts.serverWork },
  { name: "TMPDIR", value: tmpMount.mountPath },
  { name: "XDG_CACHE_HOME", value: `${mounts.serverWork}/.cache` },
  { name: "XDG_CONFIG_HOME", value: `${mounts.serverWork}/.config` },
  { name: "XDG_DATA_HOME", value: `${mounts.serverWork}/.local/share` },
  { name: "XDG_STATE_HOME", value: `${mounts.serverWork}/.local/state` },
];

/** As it is written: the kubelet would put the value of a variable X in the place of $(X). */
const literal = (text: string): string => text.replaceAll("$", () => "$$");

const renderValue = (value: BridgeValue): V1EnvVar =>
  "secret" in value
    ? { name: value.name, valueFrom: { secretKeyRef: value.secret } }
    : { name: value.name, value: literal(value.value) };

const renderServerContainer = ({ image, command, args, env, resources }: Container): V1Container => ({
  name: "server",
  image,
  imagePullPolicy: "IfNotPresent",
  command: [`${mounts.serverPipes}/busybox`, "sh", `${mounts.serverPipes}/supervisor.sh`],
  args: [...command, ...args].map(literal),
  env: [...homeVariables, ...env.map(renderValue)],
  resources: renderResources(resources),
  volumeMounts: [workMount, tmpMount, pipesMount],
  securityContext: restrictedContainer,
});

const renderSupervisorCopy = (image: string): V1Container => ({
  name: "supervisor",
  image,
  imagePullPolicy: "IfNotPresent",
  // A static program that copies itself, so that the server's image needs nothing.
  command: [...supervisorFiles.slice(0, 1), "cp", ...supervisorFiles, mounts.serverPipes],
  resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "64Mi" } },
  volumeMounts: [pipesMount],
  securityContext: restrictedContainer,
});

function renderBridgeContainer(
  instance: PallasInstance,
  { resources, container }: ResolvedBridge,
  image: string,
  files: readonly V1Volume[],
): V1Container {
  const outgoing = renderOutgoing(instance);
  return {
    name: "bridge",
    image,
    imagePullPolicy: "IfNotPresent",
    ports: [
      { name: "mcp", containerPort: ports.bridge, protocol: "TCP" },
      { name: "admin", containerPort: ports.bridgeAdmin, protocol: "TCP" },
    ],
    env: [
      { name: "PALLAS_BRIDGE_CONFIG", value: mounts.bridgeConfig },
      { name: "PALLAS_BRIDGE_WORK", value: mounts.serverWork },
      { name: "PALLAS_POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
      ...outgoing.env,
    ],
    resources: renderResources(resources),
    ...renderProbes("admin"),
    volumeMounts: [
      { name: "config", mountPath: mounts.configs, readOnly: true },
      // What runs a server may write; beside one of its own container the bridge only joins the pipes.
      ...(container === undefined ? [workMount, tmpMount] : [pipesMount]),
      ...files.map(({ name }) => ({ name, mountPath: mounts.secrets, readOnly: true })),
      ...outgoing.volumeMounts,
    ],
    securityContext: restrictedContainer,
  };
}

function renderPodSpec(
  server: PallasServer,
  instance: PallasInstance,
  bridge: ResolvedBridge,
  image: string,
): V1PodSpec {
  const { config, hash, container, pod } = bridge;
  const names = serverChildren(server.metadata.name);
  const files = renderFiles("secrets", "secret", bridgeFiles(config));
  const pullSecrets = instance.spec.imagePullSecrets ?? [];
  const bridgeContainer = renderBridgeContainer(instance, bridge, image, files);
  return {
    serviceAccountName: names.serviceAccount,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: gracePeriodSeconds(config.drainTimeoutMs),
    ...renderPlacement(pod),
    ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets } : {}),
    ...restrictedPod,
    ...(container === undefined ? {} : { initContainers: [renderSupervisorCopy(image)] }),
    containers: [bridgeContainer, ...(container === undefined ? [] : [renderServerContainer(container)])],
    volumes: [
      { name: "config", configMap: { name: names.config(hash), defaultMode: 0o440 } },
      tmpVolume,
      workVolume,
      ...(container === undefined ? [] : [pipesVolume]),
      ...files,
      ...renderOutgoing(instance).volumes,
    ],
  };
}

/** @param image of bridges, of the operator's release */
export function renderServerDeployment(
  server: PallasServer,
  instance: PallasInstance,
  bridge: ResolvedBridge,
  image: string,
): Rendered<V1Deployment> {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: renderMetadata(server, "server", serverChildren(server.metadata.name).deployment),
    spec: {
      replicas: server.spec.active ? 1 : 0,
      revisionHistoryLimit,
      selector: { matchLabels: renderSelector(server, "server") },
      // The new pod serves before the old one drains.
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: renderPodMetadata(bridge.pod, renderLabels(server, "server")),
        spec: renderPodSpec(server, instance, bridge, image),
      },
    },
  };
}
