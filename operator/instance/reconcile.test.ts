// The reconciler of instances over an API server in this process: the order of its writes, and what its status says.
import { describe, expect, it } from "vitest";
import { instanceType } from "../../crds/kinds.ts";
import { childTypes } from "../resources.ts";
import { computeKstatus } from "../testing/kstatus.ts";
import { startScene, type Scene } from "../testing/scene.ts";

const registry = "ouranos-registry";
const kindsOf = (writes: readonly string[]): string[] => writes.map((write) => write.split(" ").slice(0, 2).join(" "));
const conditionOf = (scene: Scene, type: string) =>
  scene.status(instanceType, "ouranos").conditions?.find((condition) => condition.type === type);
const kstatusOf = (scene: Scene, generation: number) =>
  computeKstatus(
    JSON.parse(JSON.stringify({ metadata: { generation }, status: scene.status(instanceType, "ouranos") })),
  );

async function startServing(spec: object = {}): Promise<Scene> {
  const scene = await startScene();
  await scene.putInstance(spec);
  await scene.reconcileInstance();
  await scene.carryOut(registry);
  await scene.reconcileInstance();
  return scene;
}

describe("OPR-1 the order of an instance's writes", () => {
  it("is rights before what uses them, the Deployment after all it needs, the status last", async () => {
    const scene = await startScene();
    await scene.putInstance({ registry: { replicas: 2, metrics: { mode: "podMonitor" } } });
    const kinds = kindsOf((await scene.reconcileInstance()).writes);
    expect(kinds.slice(-2)).toEqual(["apply Deployment", "status PallasInstance"]);
    expect(kinds.indexOf("apply ServiceAccount")).toBe(0);
    expect(kinds.indexOf("apply Role")).toBeLessThan(kinds.indexOf("apply RoleBinding"));
    expect(kinds).toContain("apply NetworkPolicy");
    expect(kinds.toSorted()).toEqual(
      expect.arrayContaining(["apply PodDisruptionBudget", "apply RoleBinding", "apply Service"]),
    );
  });

  it("OPR-2 is none at all once the server holds what is wanted", async () => {
    const scene = await startServing();
    expect(await scene.reconcileInstance()).toMatchObject({ writes: [], error: undefined });
    expect(kstatusOf(scene, 1)).toBe("Current");
  });

  it("has the removal of a budget that is not wanted any more after the Deployment", async () => {
    const scene = await startServing({ registry: { replicas: 2, metrics: { mode: "podMonitor" } } });
    await scene.putInstance({ registry: { replicas: 1, metrics: { mode: "podMonitor" } } });
    expect((await scene.reconcileInstance()).writes.slice(-3)).toEqual([
      `apply Deployment ${registry}`,
      `delete PodDisruptionBudget ${registry}`,
      "status PallasInstance ouranos",
    ]);
  });
});

describe("SEC-3 the NetworkPolicy of a registry", () => {
  it("is there before its pods: while it is refused there is no Deployment", async () => {
    const scene = await startScene();
    await scene.putInstance();
    scene.refuse("NetworkPolicy");
    await scene.reconcileInstance();
    expect([scene.child("networkPolicy", registry), scene.child("deployment", registry)]).toEqual([
      undefined,
      undefined,
    ]);
    scene.refuse(undefined);
    const { writes } = await scene.reconcileInstance();
    expect(writes.indexOf(`apply NetworkPolicy ${registry}`)).toBeLessThan(
      writes.indexOf(`apply Deployment ${registry}`),
    );
    expect(scene.child("networkPolicy", registry)).toBeDefined();
  });

  it("opens the API server's ports that the operator was told", async () => {
    const scene = await startScene({ apiServerPorts: [8443] });
    await scene.putInstance();
    await scene.reconcileInstance();
    // The cache keeps little of a child that is as rendered.
    const policy = JSON.stringify(scene.fake.get(registry, "agents", childTypes.networkPolicy));
    expect(policy).toContain('{"protocol":"TCP","port":8443}');
    expect(policy).not.toContain("6443");
  });

  it("goes after the Deployment where policies are switched off for the instance, and comes back", async () => {
    const scene = await startServing();
    await scene.putInstance({ agentDefaults: { networkPolicy: { enabled: false } } });
    const off = await scene.reconcileInstance();
    expect(off.writes.slice(-2)).toEqual([`delete NetworkPolicy ${registry}`, "status PallasInstance ouranos"]);
    await scene.putInstance();
    expect((await scene.reconcileInstance()).writes).toContain(`apply NetworkPolicy ${registry}`);
  });
});

describe("OPR-3 a write that fails", () => {
  const kinds = [
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "Service",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Deployment",
  ];

  it.each(kinds)("of a new instance's %s keeps it from being handled, Ready or Current", async (kind) => {
    const scene = await startScene();
    await scene.putInstance({ registry: { replicas: 2, metrics: { mode: "podMonitor" } } });
    scene.refuse(kind);
    expect((await scene.reconcileInstance()).error).toMatchObject({ status: 422 });
    expect(scene.status(instanceType, "ouranos").observedGeneration).toBe(-1);
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False", reason: "ApiError" });
    expect(conditionOf(scene, "Reconciling")).toMatchObject({ status: "True", reason: "ApiError" });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
  });

  it("of an edit leaves the generation at the one that was carried out, though its registry serves", async () => {
    const scene = await startServing();
    await scene.putInstance({ logLevel: "DEBUG" });
    scene.refuse("Deployment");
    await scene.reconcileInstance();
    expect(scene.status(instanceType, "ouranos").observedGeneration).toBe(1);
    expect(conditionOf(scene, "RegistryAvailable")).toMatchObject({ status: "True", reason: "ApiError" });
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False", reason: "ApiError" });
  });
});

describe("CAT-6 when an instance's spec last changed", () => {
  const changedAt = (scene: Scene) => scene.status(instanceType, "ouranos").specChangedAt;

  it("is its creation at first, moves with an edit, and stays while nothing changes", async () => {
    const scene = await startServing();
    expect(changedAt(scene)).toBe("2026-11-21T10:00:00Z");
    await scene.putInstance({ version: "2.0.0" });
    await scene.reconcileInstance();
    expect(changedAt(scene)).toBe("2026-11-21T12:00:00Z");
    expect((await scene.reconcileInstance()).writes).toEqual([]);
  });
});

describe("OPR-3 an instance with a validation error", () => {
  it("is Stalled and handled, and nothing is written for it", async () => {
    const scene = await startScene();
    await scene.putInstance({ defaultModel: "nobody.gpt" });
    expect((await scene.reconcileInstance()).writes).toEqual(["status PallasInstance ouranos"]);
    expect(kstatusOf(scene, 1)).toBe("Failed");
  });
});

describe("OPR-3 a registry that is scaled to zero", () => {
  it("is Ready, and is not said to serve", async () => {
    const scene = await startServing({ registry: { replicas: 0 } });
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "True", message: "scaled to zero: no pods run" });
  });
});
