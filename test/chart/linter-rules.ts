// The checks that kube-linter has on by default, told anew as predicates under its names, so that they can be run where
// it cannot be had. One is wider than there: spreading over nodes counts as anti-affinity.
import type { V1Container, V1PodDisruptionBudgetSpec, V1PodSpec, V1ServicePort } from "@kubernetes/client-node";
import type { Manifest } from "./rendered-chart.ts";

/** Whether `manifest` is faulty; `all` are those it is installed with. */
type Rule = (manifest: Manifest, all: readonly Manifest[]) => boolean;

interface Workload {
  readonly replicas: number;
  readonly selector: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly pod: V1PodSpec;
}

/** Undefined for what starts no pods. */
function parseWorkload({ kind, spec }: Manifest): Workload | undefined {
  if (kind !== "Deployment") return undefined;
  const {
    replicas = 1,
    selector,
    template,
  }: {
    replicas?: number;
    selector: { matchLabels: Record<string, string> };
    template: { metadata: { labels: Record<string, string> }; spec: V1PodSpec };
  } = JSON.parse(JSON.stringify(spec));
  return { replicas, selector: selector.matchLabels, labels: template.metadata.labels, pod: template.spec };
}

const ofWorkload =
  (hasProblems: (workload: Workload, all: readonly Manifest[], manifest: Manifest) => boolean): Rule =>
  (manifest, all) => {
    const workload = parseWorkload(manifest);
    return workload !== undefined && hasProblems(workload, all, manifest);
  };
const ofPod = (hasProblems: (pod: V1PodSpec) => boolean): Rule => ofWorkload(({ pod }) => hasProblems(pod));
const ofContainer = (hasProblems: (container: V1Container, pod: V1PodSpec) => boolean): Rule =>
  ofPod((pod) => [...(pod.initContainers ?? []), ...pod.containers].some((container) => hasProblems(container, pod)));
const ofBudget =
  (hasProblems: (spec: V1PodDisruptionBudgetSpec) => boolean): Rule =>
  ({ kind, spec }) =>
    kind === "PodDisruptionBudget" && hasProblems(JSON.parse(JSON.stringify(spec)));

const mountsHostPath = (pattern: RegExp) =>
  ofPod(({ volumes = [] }) => volumes.some(({ hostPath }) => hostPath !== undefined && pattern.test(hostPath.path)));
const exposesPort = (wanted: number) =>
  ofContainer(({ ports = [] }) =>
    ports.some(({ containerPort, protocol = "TCP" }) => containerPort === wanted && protocol === "TCP"),
  );

const probesClosedPort = (probe: "livenessProbe" | "readinessProbe" | "startupProbe") =>
  ofContainer((container) => {
    const port = container[probe]?.httpGet?.port ?? container[probe]?.tcpSocket?.port;
    if (port === undefined) return false;
    return !(container.ports ?? []).some(({ name, containerPort }) => name === port || containerPort === port);
  });

const isSubset = (part: Readonly<Record<string, string>>, whole: Readonly<Record<string, string>>) =>
  Object.entries(part).every(([key, value]) => whole[key] === value);

const dropsNetRaw = ({ securityContext }: V1Container) =>
  (securityContext?.capabilities?.drop ?? []).some((capability) =>
    ["ALL", "NET_RAW"].includes(capability.toUpperCase()),
  );

const hasDuplicates = (texts: readonly string[]) => new Set(texts).size < texts.length;

const unsafeSysctl = /^(kernel\.(msg|sem|shm)|fs\.mqueue\.|net\.)/;
const sensitiveDirectory = /^\/(boot|dev|etc|lib|proc|sys|usr)?$/;
const hasNoTag = (image: string) => image.endsWith(":latest") || !/(:[^/]+|@sha256:[0-9a-f]{64})$/.test(image);
const validPortName = /^(?!\d+$)[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/;

function selectsNothing({ kind, spec }: Manifest, all: readonly Manifest[]): boolean {
  if (kind !== "Service") return false;
  const { selector = {} }: { selector?: Record<string, string> } = JSON.parse(JSON.stringify(spec));
  return !all.some((each) => isSubset(selector, parseWorkload(each)?.labels ?? {}));
}

function hasInvalidTargetPort({ kind, spec }: Manifest): boolean {
  if (kind !== "Service") return false;
  const { ports = [] }: { ports?: V1ServicePort[] } = JSON.parse(JSON.stringify(spec));
  return ports.some(({ targetPort, port }) => {
    const target = targetPort ?? port;
    return typeof target === "number" ? target < 1 || target > 65_535 : !validPortName.test(target);
  });
}

const spreads = ({ affinity, topologySpreadConstraints = [] }: V1PodSpec) =>
  affinity?.podAntiAffinity !== undefined || topologySpreadConstraints.length > 0;

export const linterRules: Readonly<Record<string, Rule>> = {
  "dangling-service": selectsNothing,
  "deprecated-service-account-field": ofPod(({ serviceAccount }) => serviceAccount !== undefined),
  "docker-sock": mountsHostPath(/docker\.sock$/),
  "drop-net-raw-capability": ofContainer((container) => !dropsNetRaw(container)),
  "duplicate-env-var": ofContainer(({ env = [] }) => hasDuplicates(env.map(({ name }) => name))),
  "env-var-secret": ofContainer(({ env = [] }) =>
    env.some(({ name, value = "" }) => /secret/i.test(name) && value !== ""),
  ),
  "host-ipc": ofPod(({ hostIPC }) => hostIPC === true),
  "host-network": ofPod(({ hostNetwork }) => hostNetwork === true),
  "host-pid": ofPod(({ hostPID }) => hostPID === true),
  "invalid-target-ports": hasInvalidTargetPort,
  "job-ttl-seconds-after-finished": ({ kind, spec }) =>
    kind === "Job" && !JSON.stringify(spec).includes('"ttlSecondsAfterFinished"'),
  "latest-tag": ofContainer(({ image = "" }) => hasNoTag(image)),
  "liveness-port": probesClosedPort("livenessProbe"),
  "mismatching-selector": ofWorkload(({ selector, labels }) => !isSubset(selector, labels)),
  "no-anti-affinity": ofWorkload(({ replicas, pod }) => replicas > 1 && !spreads(pod)),
  "no-extensions-v1beta": ({ apiVersion }) => apiVersion.startsWith("extensions/v1beta"),
  "no-read-only-root-fs": ofContainer(({ securityContext }) => securityContext?.readOnlyRootFilesystem !== true),
  "non-existent-service-account": ofWorkload(({ pod: { serviceAccountName } }, all) =>
    [undefined, "", "default"].includes(serviceAccountName)
      ? false
      : !all.some(({ kind, metadata }) => kind === "ServiceAccount" && metadata.name === serviceAccountName),
  ),
  "pdb-max-unavailable": ofBudget(({ maxUnavailable }) => ["0", "0%"].includes(String(maxUnavailable))),
  "pdb-min-available": ofBudget(({ minAvailable }) => String(minAvailable) === "100%"),
  "pdb-unhealthy-pod-eviction-policy": ofBudget(
    ({ unhealthyPodEvictionPolicy }) => unhealthyPodEvictionPolicy === undefined,
  ),
  "privilege-escalation-container": ofContainer(
    ({ securityContext: context }) =>
      [context?.allowPrivilegeEscalation, context?.privileged].includes(true) ||
      (context?.capabilities?.add ?? []).includes("SYS_ADMIN"),
  ),
  "privileged-container": ofContainer(({ securityContext }) => securityContext?.privileged === true),
  "readiness-port": probesClosedPort("readinessProbe"),
  "run-as-non-root": ofContainer(({ securityContext }, pod) => {
    const runAsUser = securityContext?.runAsUser ?? pod.securityContext?.runAsUser;
    const runAsNonRoot = securityContext?.runAsNonRoot ?? pod.securityContext?.runAsNonRoot;
    return runAsUser === 0 || (runAsNonRoot !== true && runAsUser === undefined);
  }),
  "sensitive-host-mounts": mountsHostPath(sensitiveDirectory),
  "ssh-port": exposesPort(22),
  "startup-port": probesClosedPort("startupProbe"),
  "unsafe-sysctls": ofPod(({ securityContext }) =>
    (securityContext?.sysctls ?? []).some(({ name }) => unsafeSysctl.test(name)),
  ),
  "unset-cpu-requirements": ofContainer(({ resources }) => resources?.requests?.["cpu"] === undefined),
  "unset-memory-requirements": ofContainer(
    ({ resources }) => resources?.requests?.["memory"] === undefined || resources.limits?.["memory"] === undefined,
  ),
};

/** `rule: Kind name`, sorted. */
export const findLintProblems = (manifests: readonly Manifest[]): string[] =>
  Object.entries(linterRules)
    .flatMap(([rule, hasProblems]) =>
      manifests
        .filter((manifest) => hasProblems(manifest, manifests))
        .map(({ kind, metadata }) => `${rule}: ${kind} ${metadata.name}`),
    )
    .toSorted();
