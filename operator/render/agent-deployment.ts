// The Deployment of an agent. Authors reach only the allow-list of spec.pod; the restricted context comes after it.
import type {
  V1Container,
  V1Deployment,
  V1DeploymentStrategy,
  V1PodSecurityContext,
  V1PodSpec,
  V1Volume,
} from "@kubernetes/client-node";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import { agentChildren, annotations, gatewayAudience, mounts, ports, tokenNames } from "../../crds/names.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { Resolved } from "../../plan/resolved.ts";
import { referencedFiles } from "../../plan/run-config.ts";
import type { EffectiveSettings } from "../../plan/settings.ts";
import { renderPlacement, renderPodMetadata } from "./authored-pod.ts";
import { historiesMount, renderHistoriesVolume } from "./histories.ts";
import { renderLabels, renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import { renderOutgoing } from "./outgoing.ts";
import { gracePeriodSeconds, renderFiles, renderResources, renderToken, revisionHistoryLimit } from "./pod-parts.ts";
import { renderProbes } from "./probes.ts";
import { restrictedContainer, restrictedPod } from "./restricted.ts";

/** What Kubernetes gives a rollout by default. */
const leastProgressDeadlineSeconds = 600;
/** From the end of the old pod until the new one serves: its volume moves, its image is pulled, and it starts. */
const startAllowanceSeconds = 180;

/** Where the new pod needs the claim or the room of the old one, nothing moves until the last call has ended. */
const progressDeadlineSeconds = (settings: EffectiveSettings): number =>
  Math.max(leastProgressDeadlineSeconds, gracePeriodSeconds(settings.drainTimeoutMs) + startAllowanceSeconds);

/** At {object}/{key}. */
function renderFileVolumes(config: RunConfig): V1Volume[] {
  const { secrets, texts } = referencedFiles(config);
  return [...renderFiles("secrets", "secret", secrets), ...renderFiles("texts", "configMap", texts)];
}

/** Not `run-config`, as in earlier releases: server-side apply would leave defaults of its old type beside the new one. */
const configVolume = "config";
/** One folder of both, so that the kubelet renews what is read while the agent runs. A live configuration can wait. */
function renderConfigVolume({ agent, hash }: Resolved): V1Volume {
  const { runConfig, liveConfig } = agentChildren(agent.metadata.name);
  const sources = [{ configMap: { name: runConfig(hash) } }, { configMap: { name: liveConfig, optional: true } }];
  return { name: configVolume, projected: { sources, defaultMode: 0o440 } };
}

/** Histories are the agent's own files: the owner of each is set once, and not at every start. */
const claimSecurityContext: V1PodSecurityContext = {
  ...restrictedPod.securityContext,
  fsGroupChangePolicy: "OnRootMismatch",
};

const tokenVolume = "gateway-token";
/** For the instance's gateway, where it has one, and nobody else: the API server does not take it (SEC-1). */
function renderTokenVolumes({ metadata: { name, namespace }, spec }: PallasInstance): V1Volume[] {
  if (spec.gateway === undefined) return [];
  return [renderToken(tokenVolume, gatewayAudience(name, namespace), tokenNames.gateway)];
}

const mountPaths: Readonly<Record<string, string>> = {
  secrets: mounts.secrets,
  texts: mounts.texts,
  [tokenVolume]: mounts.tokens,
};

function renderContainer({ settings, instance }: Resolved, image: string, files: V1Volume[]): V1Container {
  const outgoing = renderOutgoing(instance);
  return {
    name: "agent",
    image,
    imagePullPolicy: "IfNotPresent",
    ports: [
      { name: "mcp", containerPort: ports.agentMcp, protocol: "TCP" },
      { name: "admin", containerPort: ports.agentAdmin, protocol: "TCP" },
    ],
    env: [
      { name: "PALLAS_RUN_CONFIG", value: mounts.runConfig },
      { name: "PALLAS_HISTORIES_DIR", value: mounts.histories },
      { name: "PALLAS_POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
      ...outgoing.env,
    ],
    resources: renderResources(settings.resources),
    ...renderProbes("admin"),
    volumeMounts: [
      { name: configVolume, mountPath: mounts.configs, readOnly: true },
      { name: "tmp", mountPath: "/tmp" },
      historiesMount,
      ...files.map(({ name }) => ({ name, mountPath: mountPaths[name] ?? `/var/run/pallas/${name}`, readOnly: true })),
      ...outgoing.volumeMounts,
    ],
    securityContext: restrictedContainer,
  };
}

function renderPodSpec(resolved: Resolved, image: string): V1PodSpec {
  const { agent, instance, settings, config } = resolved;
  const children = agentChildren(agent.metadata.name);
  const files = [...renderFileVolumes(config), ...renderTokenVolumes(instance)];
  const pullSecrets = instance.spec.imagePullSecrets ?? [];
  return {
    serviceAccountName: children.serviceAccount,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: gracePeriodSeconds(settings.drainTimeoutMs),
    ...renderPlacement(settings.pod),
    ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets } : {}),
    ...restrictedPod,
    ...(agent.spec.storage ? { securityContext: claimSecurityContext } : {}),
    containers: [renderContainer(resolved, image, files)],
    volumes: [
      renderConfigVolume(resolved),
      { name: "tmp", emptyDir: { sizeLimit: "256Mi" } },
      renderHistoriesVolume(agent, settings),
      ...files,
      ...renderOutgoing(instance).volumes,
    ],
  };
}

/** The new pod serves before the old one drains, except where both would need the one claim. */
const renderStrategy = ({ spec }: PallasAgent): V1DeploymentStrategy =>
  spec.storage ? { type: "Recreate" } : { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

/** @param releaseImage for agents of instances that name no image */
export function renderAgentDeployment(resolved: Resolved, releaseImage: string): Rendered<V1Deployment> {
  const { agent, instance, settings } = resolved;
  const image = instance.spec.images?.agent || releaseImage;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      ...renderMetadata(agent, "agent", agentChildren(agent.metadata.name).deployment),
      annotations: { [annotations.image]: image },
    },
    spec: {
      replicas: agent.spec.replicas,
      revisionHistoryLimit,
      progressDeadlineSeconds: progressDeadlineSeconds(settings),
      selector: { matchLabels: renderSelector(agent, "agent") },
      strategy: renderStrategy(agent),
      template: {
        metadata: renderPodMetadata(settings.pod, renderLabels(agent, "agent")),
        spec: renderPodSpec(resolved, image),
      },
    },
  };
}
