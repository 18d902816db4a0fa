// An operator for several namespaces of which one may not be read: the others are served as if it were not there.
import { describe, expect, it } from "vitest";
import { cluster, clusterMissing, createNamespace } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { startOperator } from "./operator-process.ts";
import { createOperatorAccount, grantRights } from "./program-account.ts";

const patience = { timeout: 15_000 };

async function applyTo(namespace: string, ...manifests: object[]): Promise<void> {
  const input = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
  await cluster().kubectl(["apply", "--server-side", `--namespace=${namespace}`, "-f", "-"], { input });
}

const deploymentsIn = async (namespace: string) =>
  (await cluster().kubectl(["get", "deployments", `--namespace=${namespace}`, "-o", "name"])).trim().split("\n");

describe.skipIf(clusterMissing())("OPR-9 listed namespaces", () => {
  it("are served although one of them may not be read, and that one as soon as it may", async () => {
    await using good = await createNamespace("good");
    await using late = await createNamespace("late");
    const namespaces = [good.name, late.name];
    await createOperatorAccount(cluster(), good.name);
    await grantRights(cluster(), { home: good.name, namespaces: [good.name] });
    for (const namespace of namespaces) await applyTo(namespace, instance(), agent());
    await using operator = await startOperator(cluster(), { namespaces, home: good.name, isGranted: false });
    await expect.poll(() => deploymentsIn(good.name), patience).toContain("deployment.apps/echo");
    const ready = async () => (await fetch(`${operator.adminUrl}/readyz`)).status;
    await expect.poll(ready, patience).toBe(200);
    const refused = async () =>
      [...(await operator.metric("kubernetes_watch_refused"))].filter(([, value]) => value === 1).map(([of]) => of);
    await expect.poll(async () => (await refused()).length, patience).toBeGreaterThan(10);
    expect((await refused()).filter((labels) => !labels.includes(late.name))).toEqual([]);
    const unlogged = async () => (await refused()).length - operator.logged("watch is refused").length;
    await expect.poll(unlogged, patience).toBe(0);
    expect(await deploymentsIn(late.name)).toEqual([""]);

    await grantRights(cluster(), { home: good.name, namespaces });
    await expect.poll(() => deploymentsIn(late.name), patience).toContain("deployment.apps/echo");
    await expect.poll(refused, patience).toEqual([]);
  });
});
