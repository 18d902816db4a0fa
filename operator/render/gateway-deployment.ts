// The Deployment of an instance's gateway. Its pods hold a token, for what its Role names, the hashes of tokens that it
// takes, and the key of its embeddings; what callers bring and what models know is in other pods.
import type { V1Container, V1Deployment, V1EnvVar, V1PodSpec, V1Volume } from "@kubernetes/client-node";
import { agentsAudience, gatewayConfigName, gatewayName, mounts, ports, tokenNames } from "../../crds/names.ts";
import { gatewayFiles, type ResolvedGateway } from "../../plan/gateway.ts";
import { limitsVariable, renderLimits, type Rules } from "../../plan/rules.ts";
import { renderLabels, renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import { renderOutgoing } from "./outgoing.ts";
import {
  gracePeriodSeconds,
  renderFiles,
  renderResources,
  renderSpread,
  renderToken,
  revisionHistoryLimit,
} from "./pod-parts.ts";
import { renderProbes } from "./probes.ts";
import { restrictedContainer, restrictedPod } from "./restricted.ts";

const tokensVolume = "tokens";
const agentsTokenVolume = "agents-token";

const renderEnvironment = ({ instance }: ResolvedGateway, image: string, rules: Rules): V1EnvVar[] => [
  { name: "PALLAS_GATEWAY_CONFIG", value: mounts.gatewayConfig },
  { name: "PALLAS_POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
  { name: "PALLAS_IMAGE", value: image },
  // It writes nothing that the operator would refuse, and so judges by the same rules.
  { name: limitsVariable, value: renderLimits(rules) },
  ...renderOutgoing(instance).env,
];

function renderContainer(gateway: ResolvedGateway, image: string, rules: Rules, tokens: V1Volume[]): V1Container {
  return {
    name: "gateway",
    image,
    imagePullPolicy: "IfNotPresent",
    ports: [
      { name: "http", containerPort: ports.gateway, protocol: "TCP" },
      { name: "admin", containerPort: ports.gatewayAdmin, protocol: "TCP" },
    ],
    env: renderEnvironment(gateway, image, rules),
    resources: renderResources(gateway.resources),
    ...renderProbes("admin"),
    volumeMounts: [
      { name: "config", mountPath: mounts.configs, readOnly: true },
      { name: "tmp", mountPath: "/tmp" },
      { name: agentsTokenVolume, mountPath: mounts.tokens, readOnly: true },
      ...tokens.map(({ name }) => ({ name, mountPath: mounts.secrets, readOnly: true })),
      ...renderOutgoing(gateway.instance).volumeMounts,
    ],
    securityContext: restrictedContainer,
  };
}

function renderPodSpec(gateway: ResolvedGateway, image: string, rules: Rules): V1PodSpec {
  const { instance, replicas, config, hash } = gateway;
  const { name, namespace } = instance.metadata;
  const pullSecrets = instance.spec.imagePullSecrets ?? [];
  const tokens = renderFiles(tokensVolume, "secret", gatewayFiles(config));
  return {
    serviceAccountName: gatewayName(name),
    automountServiceAccountToken: true,
    terminationGracePeriodSeconds: gracePeriodSeconds(config.drainTimeoutMs),
    ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets } : {}),
    ...(replicas > 1 ? { topologySpreadConstraints: [renderSpread(instance, "gateway")] } : {}),
    ...restrictedPod,
    containers: [renderContainer(gateway, image, rules, tokens)],
    volumes: [
      { name: "config", configMap: { name: gatewayConfigName(name, hash), defaultMode: 0o440 } },
      { name: "tmp", emptyDir: { sizeLimit: "64Mi" } },
      renderToken(agentsTokenVolume, agentsAudience(name, namespace), tokenNames.agents),
      ...tokens,
      ...renderOutgoing(instance).volumes,
    ],
  };
}

/** @param releaseImage for instances that name no image */
export function renderGatewayDeployment(
  gateway: ResolvedGateway,
  releaseImage: string,
  rules: Rules,
): Rendered<V1Deployment> {
  const { instance, replicas } = gateway;
  const image = instance.spec.images?.gateway || releaseImage;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: renderMetadata(instance, "gateway", gatewayName(instance.metadata.name)),
    spec: {
      replicas,
      revisionHistoryLimit,
      selector: { matchLabels: renderSelector(instance, "gateway") },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: renderLabels(instance, "gateway") },
        spec: renderPodSpec(gateway, image, rules),
      },
    },
  };
}
