// Finds out whether a cluster enforces NetworkPolicies: one that accepts them and does nothing looks the same until a
// connection is tried.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { requirePrograms } from "../programs.ts";
import type { ClusterAccess } from "./cluster-access.ts";
import { writeProgramArchive } from "./image-archive.ts";

/** An image whose program is both ends of a network test: see go/probe/main.go. */
const probeImage = "localhost/pallas-probe:1";

const enforcementTimeoutMs = 15_000;
const pollMs = 250;

export async function importProbeImage(cluster: Pick<ClusterAccess, "importImage">): Promise<void> {
  const { dir } = await requirePrograms("probe");
  const work = await mkdtemp(join(tmpdir(), "pallas-probe-"));
  try {
    const archivePath = join(work, "probe.tar");
    await writeProgramArchive({ reference: probeImage, archivePath, name: "probe", program: join(dir, "probe") });
    await cluster.importImage(archivePath);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A pod that serves on port 8080, from which `kubectl exec POD -- /probe fetch URL` reaches others. */
export const renderProbePod = (name: string): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: name } },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    containers: [
      {
        name: "probe",
        image: probeImage,
        imagePullPolicy: "IfNotPresent",
        args: ["serve"],
        ports: [{ name: "http", containerPort: 8080 }],
        readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      },
    ],
  },
});

/**
 * Tries a connection between two pods without and with a policy that denies it. Takes a few seconds where policies are
 * enforced, 15 s more where they are not; rejects when the pods cannot talk even without a policy.
 */
export async function enforcesNetworkPolicy(cluster: ClusterAccess): Promise<boolean> {
  await importProbeImage(cluster);
  const namespace = `pallas-probe-${randomBytes(4).toString("hex")}`;
  const kubectl = (args: readonly string[], object?: object): Promise<string> =>
    cluster.kubectl(["--namespace", namespace, ...args], object === undefined ? {} : { input: JSON.stringify(object) });
  await cluster.kubectl(["create", "namespace", namespace]);
  try {
    for (const name of ["client", "server"]) await kubectl(["apply", "--filename=-"], renderProbePod(name));
    await kubectl(["wait", "--for=condition=Ready", "--timeout=60s", "pod/client", "pod/server"]);
    const address = await kubectl(["get", "pod", "server", "--output=jsonpath={.status.podIP}"]);
    const fetchServer = (): Promise<string> =>
      kubectl(["exec", "client", "--", "/probe", "fetch", `http://${address}:8080`]);
    await fetchServer();
    await kubectl(["apply", "--filename=-"], denyAll);
    return await isRefusedInTime(fetchServer);
  } finally {
    await cluster.kubectl(["delete", "namespace", namespace, "--wait=false"]);
  }
}

const denyAll = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "deny-all" },
  spec: { podSelector: {}, policyTypes: ["Ingress"] },
};

async function isRefusedInTime(connect: () => Promise<string>): Promise<boolean> {
  const deadline = Date.now() + enforcementTimeoutMs;
  while (Date.now() < deadline) {
    const isRefused = await connect().then(
      () => false,
      () => true,
    );
    if (isRefused) return true;
    await delay(pollMs);
  }
  return false;
}
