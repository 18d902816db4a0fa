// The gateway of an instance over an API server in this process: the order of its writes, what status says, its removal.
import { describe, expect, it } from "vitest";
import { instanceType } from "../../crds/kinds.ts";
import { answerStatus } from "../../lib/kube/testing/fake-api-server.ts";
import { computeKstatus } from "../testing/kstatus.ts";
import { startScene, type Scene } from "../testing/scene.ts";

const registry = "ouranos-registry";
const gateway = "ouranos-gateway";
const podMonitor = { metrics: { mode: "podMonitor" } };
const access = [{ role: "admin", serviceAccount: { name: "on-call" } }];
const conditionOf = (scene: Scene, type: string) =>
  scene.status(instanceType, "ouranos").conditions?.find((condition) => condition.type === type);
const kstatusOf = (scene: Scene, generation: number) =>
  computeKstatus(
    JSON.parse(JSON.stringify({ metadata: { generation }, status: scene.status(instanceType, "ouranos") })),
  );
const ofGateway = (writes: readonly string[]) =>
  writes.filter((write) => write.includes(gateway)).map((write) => write.replace(/-config-\w+$/, "-config"));

async function startServing(spec: object): Promise<Scene> {
  const scene = await startScene();
  await scene.putInstance(spec);
  await scene.reconcileInstance();
  await scene.carryOut(registry);
  if (Object.hasOwn(spec, "gateway")) await scene.carryOut(gateway);
  await scene.reconcileInstance();
  return scene;
}

describe("OPR-1 the order of a gateway's writes", () => {
  it("is after the registry's, rights and policy before its Deployment, and the status last", async () => {
    const scene = await startScene();
    await scene.putInstance({ gateway: { replicas: 2 } });
    const { writes } = await scene.reconcileInstance();
    expect(ofGateway(writes)).toEqual([
      `apply ServiceAccount ${gateway}`,
      `apply Role ${gateway}`,
      `apply RoleBinding ${gateway}`,
      `apply ConfigMap ${gateway}-config`,
      `apply Service ${gateway}`,
      `apply NetworkPolicy ${gateway}`,
      `apply PodDisruptionBudget ${gateway}`,
      `apply Deployment ${gateway}`,
    ]);
    expect(writes.indexOf(`apply Deployment ${registry}`)).toBeLessThan(
      writes.indexOf(`apply ServiceAccount ${gateway}`),
    );
    expect(writes.at(-1)).toBe("status PallasInstance ouranos");
  });

  it("OPR-2 is none at all once the server holds what is wanted", async () => {
    const scene = await startServing({ gateway: { access } });
    expect(await scene.reconcileInstance()).toMatchObject({ writes: [], error: undefined });
    expect(kstatusOf(scene, 1)).toBe("Current");
  });

  it("SEC-3 has no Deployment while its policy is refused, and the registry is there all the same", async () => {
    const scene = await startScene();
    await scene.putInstance({ gateway: {}, agentDefaults: {} });
    await scene.reconcileInstance();
    await scene.removeChild("networkPolicy", gateway);
    await scene.removeChild("deployment", gateway);
    scene.refuse("NetworkPolicy");
    await scene.reconcileInstance();
    expect(scene.child("deployment", gateway)).toBeUndefined();
    expect(scene.child("deployment", registry)).toBeDefined();
  });
});

describe("OPR-3 an instance with a gateway", () => {
  it("is Ready once both serve, and says of each how it is", async () => {
    const scene = await startScene();
    await scene.putInstance({ gateway: {} });
    await scene.reconcileInstance();
    await scene.carryOut(registry);
    await scene.reconcileInstance();
    expect(conditionOf(scene, "RegistryAvailable")).toMatchObject({ status: "True" });
    expect(conditionOf(scene, "GatewayAvailable")).toMatchObject({ status: "False", reason: "Progressing" });
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False" });
    expect(conditionOf(scene, "Reconciling")).toMatchObject({
      status: "True",
      message: expect.stringMatching(/^gateway: /),
    });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
    await scene.carryOut(gateway);
    await scene.reconcileInstance();
    expect(conditionOf(scene, "GatewayAvailable")).toMatchObject({ status: "True", reason: "Available" });
    expect(conditionOf(scene, "Ready")).toMatchObject({
      status: "True",
      message: "its registry and gateway are ready",
    });
    expect(kstatusOf(scene, 1)).toBe("Current");
  });

  it("is Stalled where the gateway's newest pods make no progress", async () => {
    const scene = await startServing({ gateway: {} });
    const gaveUp = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }];
    await scene.carryOut(gateway, { replicas: 1, updatedReplicas: 1, conditions: gaveUp });
    await scene.reconcileInstance();
    expect(conditionOf(scene, "Stalled")).toMatchObject({
      status: "True",
      message: expect.stringContaining("gateway: 0 of 1 pods are available"),
    });
    expect(kstatusOf(scene, 1)).toBe("Failed");
  });

  it("says of a refused write which program it was for, and is not handled", async () => {
    const scene = await startScene();
    await scene.putInstance({ gateway: {} });
    scene.refuse("ConfigMap");
    expect((await scene.reconcileInstance()).error).toMatchObject({ status: 422 });
    await scene.carryOut(registry);
    await scene.reconcileInstance();
    expect(conditionOf(scene, "RegistryAvailable")).toMatchObject({ status: "True", reason: "Available" });
    expect(conditionOf(scene, "GatewayAvailable")).toMatchObject({ status: "False", reason: "ApiError" });
    expect(scene.status(instanceType, "ouranos").observedGeneration).toBe(-1);
    expect(kstatusOf(scene, 1)).toBe("InProgress");
  });

  it("OPR-5 names a foreign object that has the gateway's name", async () => {
    const scene = await startScene();
    await scene.putInstance({ gateway: {} });
    await scene.putChild("service", gateway, () => ({ metadata: { labels: { "pallas.helu.ca/component": "x" } } }));
    await scene.reconcileInstance();
    expect(conditionOf(scene, "GatewayAvailable")).toMatchObject({ status: "False", reason: "NameConflict" });
    expect(conditionOf(scene, "Stalled")).toMatchObject({ status: "True" });
  });
});

describe("OPR-1 a gateway that is not wanted any more", () => {
  it("goes with everything that was made for it, and so does its condition; the registry stays", async () => {
    const scene = await startServing({ gateway: { replicas: 2, access }, registry: podMonitor });
    await scene.putInstance({ registry: podMonitor });
    const { writes, error } = await scene.reconcileInstance();
    expect(error).toBeUndefined();
    expect(ofGateway(writes)).toEqual([
      `delete Deployment ${gateway}`,
      `delete Service ${gateway}`,
      `delete RoleBinding ${gateway}`,
      `delete Role ${gateway}`,
      `delete ServiceAccount ${gateway}`,
      `delete NetworkPolicy ${gateway}`,
      `delete PodDisruptionBudget ${gateway}`,
      `delete ConfigMap ${gateway}-config`,
    ]);
    expect(writes).toHaveLength(9);
    expect(conditionOf(scene, "GatewayAvailable")).toBeUndefined();
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "True", message: "its registry is ready" });
    expect((await scene.reconcileInstance()).writes).toEqual([]);
  });

  it("goes as far as it can, and what stays is named and tried again", async () => {
    const scene = await startServing({ gateway: {} });
    await scene.putInstance({});
    scene.fake.intercept = ({ method, path }) =>
      method === "DELETE" && path.includes("/roles/") ? answerStatus(403, "Forbidden") : undefined;
    const { writes, error } = await scene.reconcileInstance();
    expect(error).toMatchObject({ name: "RemovalFailed" });
    expect(ofGateway(writes)).toContain(`delete ConfigMap ${gateway}-config`);
    expect(conditionOf(scene, "GatewayAvailable")).toMatchObject({
      status: "False",
      reason: "ApiError",
      message: expect.stringContaining(`Role agents/${gateway} is not wanted any more`),
    });
    scene.fake.intercept = () => undefined;
    expect(ofGateway((await scene.reconcileInstance()).writes)).toEqual([`delete Role ${gateway}`]);
    expect(conditionOf(scene, "GatewayAvailable")).toBeUndefined();
  });

  it("is never anybody else's", async () => {
    const scene = await startServing({});
    await scene.putChild("service", gateway, () => ({ metadata: { labels: { "pallas.helu.ca/component": "x" } } }));
    expect((await scene.reconcileInstance()).writes).toEqual([]);
    expect(scene.child("service", gateway)).toBeDefined();
  });

  it("stays while the instance has a fault, and its condition with it", async () => {
    const scene = await startServing({ gateway: {} });
    await scene.putInstance({ gateway: {}, defaultModel: "nobody.gpt" });
    expect((await scene.reconcileInstance()).writes).toEqual(["status PallasInstance ouranos"]);
    expect(conditionOf(scene, "GatewayAvailable")).toMatchObject({ status: "True" });
    expect(scene.child("deployment", gateway)).toBeDefined();
  });
});

describe("OPR-2 what a gateway runs on", () => {
  it("is kept for the pods that run on it, and goes when none can need it", async () => {
    const scene = await startServing({ gateway: { access } });
    const configs = () => scene.fake.list({ group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" }).length;
    for (const role of ["viewer", "caller", "approver", "operator", "viewer"]) {
      await scene.putInstance({ gateway: { access: [{ ...access[0], role }] } });
      await scene.reconcileInstance();
      await scene.carryOut(gateway);
      await scene.reconcileInstance();
    }
    // The newest, and one for each older ReplicaSet that the Deployment keeps.
    expect(configs()).toBe(4);
  });
});
