// kube-linter's default checks over the chart and over what the operator makes; each is shown to bite.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findLintProblems, linterRules } from "./linter-rules.ts";
import { chartProgramsMissing } from "./programs.ts";
import { parseManifests, renderChart, root, type Manifest } from "./rendered-chart.ts";
import { valueSets } from "./value-sets.ts";

/** By set of values or golden file; each must be found, so that none outlives its cause. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  // The account is somebody else's on purpose.
  "account-and-roles-made-elsewhere": ["non-existent-service-account: Deployment pallas-operator"],
};

describe.skipIf(await chartProgramsMissing())("SEC-1 the chart under kube-linter's default checks", () => {
  it.each(Object.keys(valueSets))("%s", async (name) => {
    expect(findLintProblems(await renderChart(valueSets[name]))).toEqual(accepted[name] ?? []);
  });
});

const golden = join(root, "test/golden");

describe("SEC-1 what the operator makes under kube-linter's default checks", async () => {
  it.each(await readdir(golden))("%s", async (name) => {
    expect(findLintProblems(parseManifests(await readFile(join(golden, name), "utf8")))).toEqual(accepted[name] ?? []);
  });
});

const container = {
  image: "a/b:1",
  ports: [{ name: "http", containerPort: 8080 }],
  livenessProbe: { httpGet: { port: "http" } },
  readinessProbe: { httpGet: { port: "http" } },
  startupProbe: { httpGet: { port: 8080 } },
  securityContext: { readOnlyRootFilesystem: true, runAsNonRoot: true, capabilities: { drop: ["ALL"] } },
  resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "1Gi" } },
};
const labels = { app: "x" };
const metadata = { name: "x" };
const pod = { serviceAccountName: "x", containers: [container] };
const deployment = (spec: object, over: object = {}): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { ...pod, ...spec } }, ...over },
});
const withContainer = (over: object) => deployment({ containers: [{ ...container, ...over }] });
const withContext = (over: object) => withContainer({ securityContext: { ...container.securityContext, ...over } });
const hostPath = (path: string) => deployment({ volumes: [{ name: "host", hostPath: { path } }] });
const other = (kind: string, spec: object, apiVersion = "v1"): Manifest => ({ apiVersion, kind, metadata, spec });
const budget = (spec: object) => other("PodDisruptionBudget", { unhealthyPodEvictionPolicy: "AlwaysAllow", ...spec });
const probe = { httpGet: { port: 1 } };

const invalid: Readonly<Record<string, Manifest>> = {
  "dangling-service": other("Service", { selector: { app: "y" } }),
  "deprecated-service-account-field": deployment({ serviceAccount: "x" }),
  "docker-sock": hostPath("/var/run/docker.sock"),
  "drop-net-raw-capability": withContext({ capabilities: { drop: ["KILL"] } }),
  "duplicate-env-var": withContainer({ env: [{ name: "A" }, { name: "A" }] }),
  "env-var-secret": withContainer({ env: [{ name: "MY_SECRET", value: "1" }] }),
  "host-ipc": deployment({ hostIPC: true }),
  "host-network": deployment({ hostNetwork: true }),
  "host-pid": deployment({ hostPID: true }),
  "invalid-target-ports": other("Service", { selector: labels, ports: [{ port: 1, targetPort: "no_port" }] }),
  "job-ttl-seconds-after-finished": other("Job", {}),
  "latest-tag": withContainer({ image: "registry:5000/a/b" }),
  "liveness-port": withContainer({ livenessProbe: probe }),
  "mismatching-selector": deployment({}, { selector: { matchLabels: { app: "y" } } }),
  "no-anti-affinity": deployment({}, { replicas: 2 }),
  "no-extensions-v1beta": other("Ingress", {}, "extensions/v1beta1"),
  "no-read-only-root-fs": withContext({ readOnlyRootFilesystem: false }),
  "non-existent-service-account": deployment({ serviceAccountName: "y" }),
  "pdb-max-unavailable": budget({ maxUnavailable: 0 }),
  "pdb-min-available": budget({ minAvailable: "100%" }),
  "pdb-unhealthy-pod-eviction-policy": other("PodDisruptionBudget", { maxUnavailable: 1 }),
  "privilege-escalation-container": withContext({ allowPrivilegeEscalation: true }),
  "privileged-container": withContext({ privileged: true }),
  "readiness-port": withContainer({ readinessProbe: probe }),
  "run-as-non-root": withContext({ runAsNonRoot: false }),
  "sensitive-host-mounts": hostPath("/etc"),
  "ssh-port": withContainer({ ports: [...container.ports, { containerPort: 22 }] }),
  "startup-port": withContainer({ startupProbe: probe }),
  "unsafe-sysctls": deployment({ securityContext: { sysctls: [{ name: "net.core.somaxconn", value: "1" }] } }),
  "unset-cpu-requirements": withContainer({ resources: { ...container.resources, requests: { memory: "1Gi" } } }),
  "unset-memory-requirements": withContainer({ resources: { ...container.resources, limits: {} } }),
};

describe("the checks themselves", () => {
  const account = other("ServiceAccount", {});

  it("are those that are on by default, each with an example", () => {
    expect(Object.keys(linterRules)).toHaveLength(31);
    expect(Object.keys(invalid)).toEqual(Object.keys(linterRules));
  });

  it("find nothing in a good workload", () => {
    expect(
      findLintProblems([
        account,
        deployment({}),
        other("Service", { selector: labels }),
        budget({ maxUnavailable: 1 }),
      ]),
    ).toEqual([]);
  });

  it.each(Object.entries(invalid))("%s bites", (rule, manifest) => {
    expect(findLintProblems([account, manifest])).toContain(`${rule}: ${manifest.kind} x`);
  });
});
