// The Deployment of an instance's registry: the one pod that holds a token, for reading what its Role names.
import type { V1Container, V1Deployment, V1EnvVar } from "@kubernetes/client-node";
import type { PallasInstance } from "../../crds/instance.ts";
import { ports, registryName } from "../../crds/names.ts";
import { parseDurationMs } from "../../crds/units.ts";
import { limitsVariable, renderLimits, type Rules } from "../../plan/rules.ts";
import { externalHost } from "../../plan/urls.ts";
import { renderLabels, renderMetadata, renderSelector, type Rendered } from "./metadata.ts";
import { renderSpread } from "./pod-parts.ts";
import { renderProbes } from "./probes.ts";
import { restrictedContainer, restrictedPod } from "./restricted.ts";

function renderEnvironment(instance: PallasInstance, rules: Rules): V1EnvVar[] {
  const { http, logLevel = "INFO", registry } = instance.spec;
  const host = externalHost(instance);
  const hosts = [...(host === undefined ? [] : [host]), ...(http?.allowedHosts ?? [])];
  const origins = http?.allowedOrigins ?? [];
  return [
    { name: "PALLAS_NAMESPACE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } } },
    { name: "PALLAS_POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
    { name: "PALLAS_INSTANCE", value: instance.metadata.name },
    { name: "PALLAS_LOG_LEVEL", value: logLevel },
    // It lists what is accepted, and so judges by the same rules (CAT-6).
    { name: limitsVariable, value: renderLimits(rules) },
    { name: "PALLAS_METRICS_MODE", value: registry?.metrics?.mode ?? "aggregate" },
    { name: "PALLAS_SCRAPE_INTERVAL_MS", value: String(parseDurationMs(registry?.metrics?.interval ?? "15s")) },
    { name: "PALLAS_SCRAPE_TIMEOUT_MS", value: String(parseDurationMs(registry?.metrics?.timeout ?? "2s")) },
    ...(hosts.length > 0 ? [{ name: "PALLAS_ALLOWED_HOSTS", value: hosts.join(",") }] : []),
    ...(origins.length > 0 ? [{ name: "PALLAS_ALLOWED_ORIGINS", value: origins.join(",") }] : []),
  ];
}

const renderContainer = (instance: PallasInstance, image: string, rules: Rules): V1Container => ({
  name: "registry",
  image,
  imagePullPolicy: "IfNotPresent",
  ports: [
    { name: "http", containerPort: ports.registry, protocol: "TCP" },
    { name: "admin", containerPort: ports.registryAdmin, protocol: "TCP" },
  ],
  env: renderEnvironment(instance, rules),
  resources: { requests: { cpu: "50m", memory: "128Mi" }, limits: { memory: "512Mi" } },
  ...renderProbes("admin"),
  volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  securityContext: restrictedContainer,
});

export function renderRegistryDeployment(
  instance: PallasInstance,
  image: string,
  rules: Rules,
): Rendered<V1Deployment> {
  const name = registryName(instance.metadata.name);
  const pullSecrets = instance.spec.imagePullSecrets ?? [];
  const replicas = instance.spec.registry?.replicas ?? 1;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: renderMetadata(instance, "registry", name),
    spec: {
      replicas,
      revisionHistoryLimit: 3,
      selector: { matchLabels: renderSelector(instance, "registry") },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: renderLabels(instance, "registry") },
        spec: {
          serviceAccountName: name,
          automountServiceAccountToken: true,
          terminationGracePeriodSeconds: 30,
          ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets } : {}),
          ...(replicas > 1 ? { topologySpreadConstraints: [renderSpread(instance, "registry")] } : {}),
          ...restrictedPod,
          containers: [renderContainer(instance, image, rules)],
          volumes: [{ name: "tmp", emptyDir: { sizeLimit: "64Mi" } }],
        },
      },
    },
  };
}
