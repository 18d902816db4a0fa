// What agents' pods run on, with the real Deployment controller: whatever ReplicaSet it might start pods of, they find
// their run-config.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { startOperator } from "./operator-process.ts";
import { readRunConfig, watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const kind = (name: "PallasInstance" | "PallasAgent", metadata: object, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: name,
  metadata,
  spec,
});

describe.skipIf(clusterMissing())("OPR-2 what pods run on", { timeout: 120_000 }, () => {
  let space: WatchedNamespace;
  beforeAll(async () => {
    space = await watchNamespace("run-configs");
    await space.apply(
      kind("PallasInstance", { name: "team" }, { registryNamespace: "com.example", defaultModel: "passthrough" }),
    );
  });
  afterAll(() => space[Symbol.asyncDispose]());

  const edit = (maxSteps: number, spec: object = {}) =>
    space.apply(
      kind(
        "PallasAgent",
        { name: "echo" },
        { instanceRef: { name: "team" }, request: { maxSteps }, scope: "request", ...spec },
      ),
    );
  const steps = async () => (await readRunConfig(space, "echo"))?.request.maxSteps;
  const serve = async (maxSteps: number) => {
    await edit(maxSteps);
    await expect.poll(steps).toBe(maxSteps);
    await space.kubectl("rollout", "status", "deployment/echo", "--timeout=30s");
    await space.waitFor("pallasagent", "echo", "condition=Ready");
  };
  const runConfigs = async () => (await space.list("configmaps")).filter((name) => name.includes("-run-config-"));
  /** What pods of each ReplicaSet would mount. */
  const mounts = async (): Promise<string[]> => {
    const path = `/apis/apps/v1/namespaces/${space.name}/replicasets?labelSelector=pallas.helu.ca/agent=echo`;
    const { items }: { items: object[] } = JSON.parse((await callApi(cluster(), { path })).body);
    return items.map((item) => `configmap/${/echo-run-config-[0-9a-f]{16}/.exec(JSON.stringify(item))?.[0]}`);
  };
  const expectAllThere = async () => {
    expect(await runConfigs()).toEqual(expect.arrayContaining(await mounts()));
  };

  it("is there for every ReplicaSet, after any number of edits forth and back, and for nothing else", async () => {
    for (const maxSteps of [1, 2, 3, 1, 4, 5, 1, 6]) {
      await serve(maxSteps);
      await expectAllThere();
    }
    await expect.poll(async () => (await mounts()).length).toBe(4);
    await expect.poll(runConfigs).toEqual((await mounts()).toSorted());
  });

  it("is there while rollouts do not come to their end, however many follow", async () => {
    space.kubelet.hold("echo");
    for (const maxSteps of [11, 12, 13, 14, 15, 16]) {
      await edit(maxSteps);
      await expect.poll(steps).toBe(maxSteps);
      await expectAllThere();
    }
    space.kubelet.release("echo");
    await serve(16);
    await expectAllThere();
    await expect.poll(async () => (await runConfigs()).length).toBe(4);
  });

  it("cannot be changed", async () => {
    const [name = ""] = await runConfigs();
    const change = space.kubectl("patch", name, "--type=merge", '--patch={"data":{"run-config.json":"{}"}}');
    await expect(change).rejects.toThrow(/immutable/);
  });

  it("is there for `kubectl rollout undo`, which the operator sets back to what the resources say", async () => {
    await space.kubectl("rollout", "undo", "deployment/echo");
    await expectAllThere();
    await expect.poll(steps).toBe(16);
    await space.kubectl("rollout", "status", "deployment/echo", "--timeout=30s");
    await expectAllThere();
    await space.operator.stop();
    await space.kubectl("rollout", "undo", "deployment/echo");
    expect(await steps()).not.toBe(16);
    await space.kubectl("rollout", "status", "deployment/echo", "--timeout=30s");
    await expectAllThere();
    await using _ = await startOperator(cluster(), { namespaces: [space.name] });
    await expect.poll(steps).toBe(16);
  });

  it("OPR-10 is not touched by scaling, which replaces no pod", async () => {
    await using _ = await startOperator(cluster(), { namespaces: [space.name] });
    await space.waitFor("pallasagent", "echo", "condition=Ready");
    const before = [await runConfigs(), (await mounts()).toSorted()];
    const live = async () => (await space.get("configmap", "echo-live-config")).data?.["live-config.json"] ?? "";
    const [first = ""] = await space.list("pods");
    for (const replicas of [3, 1, 2]) {
      await space.kubectl("scale", "pallasagent/echo", `--replicas=${replicas}`);
      await expect.poll(live).toContain(`"severalPods": ${replicas > 1}`);
      await space.waitFor("pallasagent", "echo", `jsonpath={.status.readyReplicas}=${replicas}`);
      expect(await space.list("pods")).toContain(first);
    }
    expect([await runConfigs(), (await mounts()).toSorted()]).toEqual(before);
  });
});
