// What pods run on, over an API server in this process: written before it is named, never changed, and removed when no
// ReplicaSet can need it.
import { describe, expect, it } from "vitest";
import { agentType } from "../crds/kinds.ts";
import type { LiveObject } from "../lib/kube/object.ts";
import { childTypes } from "./resources.ts";
import { startScene, type Reconciled, type Scene } from "./testing/scene.ts";

/** The agent echo, in the edition of a number of steps. */
async function startServing(steps = 0): Promise<Scene> {
  const scene = await startScene();
  await scene.putInstance();
  await serve(scene, steps);
  return scene;
}

const edit = (scene: Scene, steps: number, spec: object = {}) =>
  scene.putAgent("echo", { request: { maxSteps: steps + 1 }, scope: "request", ...spec });

async function serve(scene: Scene, ...editions: number[]): Promise<void> {
  for (const steps of editions) {
    await edit(scene, steps);
    await scene.reconcileAgent("echo");
    await scene.carryOut("echo");
    await scene.reconcileAgent("echo");
  }
}

const ours = (scene: Scene): LiveObject[] => scene.fake.list(childTypes.configMap);
const configMap = (scene: Scene, name: string) => ours(scene).find(({ metadata }) => metadata.name === name);
const parsed = (object: unknown) => JSON.parse(JSON.stringify(object));
const runConfigs = (scene: Scene) => ours(scene).filter(({ metadata }) => metadata.name.includes("run-config"));
const stepsOf = (config: object): number =>
  JSON.parse(parsed(config).data?.["run-config.json"] ?? "{}").request?.maxSteps - 1;
/** The editions that are there, in order. */
const editions = (scene: Scene) =>
  runConfigs(scene)
    .map(stepsOf)
    .toSorted((a, b) => a - b);
const nameOf = (scene: Scene, steps: number) =>
  runConfigs(scene).find((config) => stepsOf(config) === steps)?.metadata.name ?? "none";
const revisionOf = (scene: Scene, steps: number) =>
  configMap(scene, nameOf(scene, steps))?.metadata.annotations?.["pallas.helu.ca/revision"];
const deploymentOf = (scene: Scene) => parsed(scene.fake.get("echo", "agents", childTypes.deployment));
const templateOf = (scene: Scene) => deploymentOf(scene).spec.template;
const mounted = (scene: Scene): string =>
  templateOf(scene).spec.volumes.find(({ name }: { name: string }) => name === "config").projected.sources[0].configMap
    .name;
const writesOf = ({ writes }: Reconciled, kind: string) => writes.filter((write) => write.includes(` ${kind} `));

/** As the release before left it: one that all editions shared. */
async function putOfReleaseBefore(scene: Scene, name = "echo-run-config"): Promise<void> {
  const [current] = runConfigs(scene);
  if (!current) throw new Error("expected a run-config");
  const { labels, ownerReferences } = current.metadata;
  await scene.putChild("configMap", name, () => ({ metadata: { name, labels, ownerReferences } }));
}

describe("OPR-2 what an agent's pods run on", () => {
  it("is written before the Deployment that mounts it, and what other pods mount stays as it is", async () => {
    const scene = await startServing();
    const before = configMap(scene, nameOf(scene, 0));
    await edit(scene, 1);
    const reconciled = await scene.reconcileAgent("echo");
    const name = nameOf(scene, 1);
    expect(reconciled.writes.slice(0, 2)).toEqual([`apply ConfigMap ${name}`, "apply Deployment echo"]);
    expect(mounted(scene)).toBe(name);
    expect(configMap(scene, nameOf(scene, 0))).toEqual(before);
    expect(runConfigs(scene).map((config) => parsed(config).immutable)).toEqual([true, true]);
  });

  it("is not touched by an edit that is refused: pods that start find what their template was made for", async () => {
    const scene = await startServing();
    const before = configMap(scene, mounted(scene));
    await edit(scene, 1);
    scene.refuse("Deployment");
    await scene.reconcileAgent("echo");
    expect(configMap(scene, mounted(scene))).toEqual(before);
    expect(editions(scene)).toEqual([0, 1]);
  });

  it.each([
    [1, 2],
    [2, 1],
    [1, 0],
    [2, 3],
  ])("OPR-10 is the same after scaling from %i to %i, and so is the template", async (from, to) => {
    const scene = await startScene();
    await scene.putInstance();
    await edit(scene, 0, { replicas: from });
    await scene.reconcileAgent("echo");
    const before = templateOf(scene);
    await edit(scene, 0, { replicas: to });
    const reconciled = await scene.reconcileAgent("echo");
    expect(templateOf(scene)).toEqual(before);
    const told = from > 1 === to > 1 ? [] : ["apply ConfigMap echo-live-config"];
    expect(writesOf(reconciled, "ConfigMap")).toEqual(told);
    expect(reconciled.writes[0]).toBe([...told, "apply Deployment echo"][0]);
  });

  it("has a greater number than all before, also when it is wanted again", async () => {
    const scene = await startServing();
    await serve(scene, 1, 2);
    expect([0, 1, 2].map((steps) => revisionOf(scene, steps))).toEqual(["1", "2", "3"]);
    await serve(scene, 0);
    expect([0, 1, 2].map((steps) => revisionOf(scene, steps))).toEqual(["4", "2", "3"]);
    expect((await scene.reconcileAgent("echo")).writes).toEqual([]);
  });

  it("is numbered again where its number was taken away", async () => {
    const scene = await startServing();
    await serve(scene, 1);
    await scene.putChild("configMap", nameOf(scene, 1), (child) => {
      const { metadata, ...rest } = parsed(child);
      return { ...rest, metadata: { ...metadata, annotations: { "pallas.helu.ca/revision": "x" } } };
    });
    await scene.reconcileAgent("echo");
    expect(revisionOf(scene, 1)).toBe("2");
  });
});

describe("OPR-2 what pods ran on before", () => {
  it("stays for three older ReplicaSets, and goes with the fourth", async () => {
    const scene = await startServing();
    await serve(scene, 1, 2, 3);
    expect(editions(scene)).toEqual([0, 1, 2, 3]);
    await serve(scene, 4);
    expect(editions(scene)).toEqual([1, 2, 3, 4]);
  });

  it("goes in the order in which it was wanted last, not made", async () => {
    const scene = await startServing();
    await serve(scene, 1, 2, 3, 0, 4);
    expect(editions(scene)).toEqual([0, 2, 3, 4]);
  });

  it("stays while a rollout is under way, whatever is edited meanwhile", async () => {
    const scene = await startServing();
    for (const steps of [1, 2, 3, 4, 5]) {
      await edit(scene, steps);
      await scene.reconcileAgent("echo");
    }
    expect(editions(scene)).toEqual([0, 1, 2, 3, 4, 5]);
    await scene.carryOut("echo");
    await scene.reconcileAgent("echo");
    expect(editions(scene)).toEqual([2, 3, 4, 5]);
  });

  it("stays while the Deployment mounts it, however many edits are refused", async () => {
    const scene = await startServing();
    scene.refuse("Deployment");
    for (const steps of [1, 2, 3, 4, 5]) {
      await edit(scene, steps);
      await scene.reconcileAgent("echo");
    }
    expect(editions(scene)).toContain(0);
    expect(mounted(scene)).toBe(nameOf(scene, 0));
    scene.refuse(undefined);
    await scene.reconcileAgent("echo");
    await scene.carryOut("echo");
    await scene.reconcileAgent("echo");
    expect(editions(scene)).toEqual([2, 3, 4, 5]);
  });

  it("OPR-11 in the release before counts as the oldest", async () => {
    const scene = await startServing();
    await putOfReleaseBefore(scene);
    await serve(scene, 1, 2);
    expect(configMap(scene, "echo-run-config")).toBeDefined();
    await serve(scene, 3);
    expect(configMap(scene, "echo-run-config")).toBeUndefined();
    expect(editions(scene)).toEqual([0, 1, 2, 3]);
  });

  it("OPR-11 stays while a Deployment of the release before waits for its turn, and so does what is read live", async () => {
    const scene = await startScene({ maxRollouts: 1 });
    await scene.putInstance();
    await serve(scene, 0);
    for (const name of ["echo-run-config", ...[1, 2, 3, 4].map((i) => `echo-run-config-old-${i}`)]) {
      await putOfReleaseBefore(scene, name);
    }
    await scene.putAgent("other");
    await scene.reconcileAgent("other");
    const deployment = deploymentOf(scene);
    await scene.removeChild("deployment", "echo");
    deployment.spec.template.spec.volumes = [{ name: "run-config", configMap: { name: "echo-run-config" } }];
    await scene.putChild("deployment", "echo", () => deployment);
    await scene.reconcileAgent("echo");
    const conditions = scene.status(agentType, "echo").conditions ?? [];
    expect(conditions.map(({ reason }) => reason)).toContain("WaitingForRollout");
    expect(ours(scene).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(["echo-run-config", "echo-live-config", nameOf(scene, 0)]),
    );
    expect(runConfigs(scene).filter(({ metadata }) => metadata.name.startsWith("echo-"))).toHaveLength(5);
  });

  it("OPR-5 is nobody else's: others' ConfigMaps and what is read live are never removed", async () => {
    const scene = await startServing();
    for (let i = 0; i < 4; i += 1) await putOfReleaseBefore(scene, `foreign-run-config-${i}`);
    for (const { metadata } of runConfigs(scene).filter(({ metadata: { name } }) => name.startsWith("foreign"))) {
      await scene.putChild("configMap", metadata.name, (child) => {
        const { metadata: old, ...rest } = parsed(child);
        const ownerReferences = [{ ...old.ownerReferences[0], uid: "other" }];
        return { ...rest, metadata: { ...old, ownerReferences, annotations: { "pallas.helu.ca/revision": "99" } } };
      });
    }
    await serve(scene, 1, 2, 3, 4);
    const left = ours(scene).map(({ metadata }) => metadata.name);
    expect(left.filter((name) => name.startsWith("foreign"))).toHaveLength(4);
    expect(left).toContain("echo-live-config");
    expect([editions(scene).filter((steps) => !Number.isNaN(steps)), revisionOf(scene, 4)]).toEqual([
      [1, 2, 3, 4],
      "5",
    ]);
  });

  it.each([
    [10, 0],
    [11, 1],
  ])("a backlog of %i leaves %i for the next reconcile", async (backlog, left) => {
    const scene = await startServing();
    await serve(scene, 1, 2, 3);
    for (let i = 0; i < backlog; i += 1) await putOfReleaseBefore(scene, `echo-run-config-old-${i}`);
    await scene.reconcileAgent("echo");
    expect(runConfigs(scene)).toHaveLength(4 + left);
  });

  it("that cannot be removed is tried again later, and fails nothing", async () => {
    const scene = await startServing();
    await serve(scene, 1, 2, 3);
    await edit(scene, 4);
    await scene.reconcileAgent("echo");
    await scene.carryOut("echo");
    scene.refuse("DeleteOptions", 403);
    const { error } = await scene.reconcileAgent("echo");
    expect([error, editions(scene)]).toEqual([undefined, [0, 1, 2, 3, 4]]);
    const ready = scene.status(agentType, "echo").conditions?.find(({ type }) => type === "Ready");
    expect(ready?.status).toBe("True");
    scene.refuse(undefined);
    await scene.reconcileAgent("echo");
    expect(editions(scene)).toEqual([1, 2, 3, 4]);
  });
});
