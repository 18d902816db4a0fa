// What the registry holds on its heap for many agents, told to it by an API server in this process: a real one would
// take many minutes to be filled.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentType, instanceType } from "../../crds/kinds.ts";
import { KubeServer } from "../../registry/testing/kube-server.ts";
import { agentName, agentWrite, instanceWrite, statusWrite } from "./fleet.ts";
import { startRegistryUnderTest } from "./program-under-test.ts";

const namespace = "fleet";

const serverFilled = (name: string) => ({
  uid: `00000000-0000-0000-0000-${name.padStart(12, "0")}`,
  creationTimestamp: "2026-01-01T00:00:00Z",
  generation: 1,
});

/** Bytes after a full collection, once the catalogue of this many agents with their statuses is served. */
export async function measureHeap(agents: number): Promise<number> {
  const kube = await KubeServer.start();
  const folder = await mkdtemp(join(tmpdir(), "pallas-bench-"));
  try {
    const instance = JSON.parse(instanceWrite(namespace).body);
    kube.put(instanceType.plural, {
      ...instance,
      metadata: { ...instance.metadata, ...serverFilled("instance") },
    });
    for (let at = 0; at < agents; at += 1) {
      const name = agentName(at);
      const { metadata, ...agent } = JSON.parse(agentWrite(namespace, name).body);
      const { status } = JSON.parse(statusWrite(namespace, name).body);
      kube.put(agentType.plural, { ...agent, metadata: { ...metadata, ...serverFilled(name) }, status });
    }
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, kube.kubeConfig().exportConfig());
    await using registry = await startRegistryUnderTest({
      KUBECONFIG: kubeconfig,
      PALLAS_NAMESPACE: namespace,
      PALLAS_INSTANCE: "*",
      PALLAS_ADMIN_PORT: "0",
    });
    return await registry.collectedHeapBytes();
  } finally {
    await kube.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
