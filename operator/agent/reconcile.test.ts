// The reconciler of agents over an API server in this process: which writes it makes, in which order, and what its
// status says when one of them fails.
import { describe, expect, it, vi } from "vitest";
import { answerStatus } from "../../lib/kube/testing/fake-api-server.ts";
import { agentType } from "../../crds/kinds.ts";
import { computeKstatus } from "../testing/kstatus.ts";
import { startScene, type Scene } from "../testing/scene.ts";

/** An instance and the agent echo, as the operator leaves them once its pods serve. */
async function startServing(spec: object = {}): Promise<Scene> {
  const scene = await startScene();
  await scene.putInstance();
  await scene.putAgent("echo", spec);
  await scene.reconcileAgent("echo");
  await scene.carryOut("echo");
  await scene.reconcileAgent("echo");
  return scene;
}

const kindsOf = (writes: readonly string[]): string[] => writes.map((write) => write.split(" ").slice(0, 2).join(" "));
const conditionOf = (scene: Scene, type: string, name = "echo") =>
  scene.status(agentType, name).conditions?.find((condition) => condition.type === type);
const kstatusOf = (scene: Scene, generation: number, name = "echo") =>
  computeKstatus(JSON.parse(JSON.stringify({ metadata: { generation }, status: scene.status(agentType, name) })));

describe("OPR-1 the order of an agent's writes", () => {
  it("is what pods need first, the policy before the pods, the status last", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo", { replicas: 2, scope: "request" });
    expect(kindsOf((await scene.reconcileAgent("echo")).writes)).toEqual([
      "apply ServiceAccount",
      "apply ConfigMap",
      "apply ConfigMap",
      "apply NetworkPolicy",
      "apply PodDisruptionBudget",
      "apply Service",
      "apply Deployment",
      "status PallasAgent",
    ]);
  });

  it("has the claim before the Deployment that mounts it", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo", { storage: { size: "1Gi" } });
    const kinds = kindsOf((await scene.reconcileAgent("echo")).writes);
    expect(kinds.indexOf("apply PersistentVolumeClaim")).toBeLessThan(kinds.indexOf("apply Deployment"));
    expect(kinds).toContain("apply PersistentVolumeClaim");
  });

  it("has removals after everything that is wanted, and before the status", async () => {
    const scene = await startServing({ replicas: 2, scope: "request" });
    await scene.putAgent("echo", { replicas: 1, scope: "request", networkPolicy: { enabled: false } });
    const { writes } = await scene.reconcileAgent("echo");
    expect(writes.slice(0, -3).every((write) => write.startsWith("apply "))).toBe(true);
    expect(writes.slice(-3).toSorted()).toEqual([
      "delete NetworkPolicy echo",
      "delete PodDisruptionBudget echo",
      "status PallasAgent echo",
    ]);
    expect(writes.at(-1)).toBe("status PallasAgent echo");
  });

  it("OPR-2 is none at all once the server holds what is wanted", async () => {
    const scene = await startServing();
    expect(await scene.reconcileAgent("echo")).toMatchObject({ writes: [], error: undefined });
    expect(kstatusOf(scene, 1)).toBe("Current");
  });

  it("is none for an agent that is being deleted, or that the server no longer has", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo");
    scene.fake.intercept = ({ method, path }) =>
      method === "GET" && path.endsWith("/pallasagents/echo") ? answerStatus(404, "NotFound") : undefined;
    expect(await scene.reconcileAgent("echo")).toMatchObject({ writes: [], error: { reason: "OwnerGone" } });
    scene.fake.intercept = () => undefined;
    const { metadata = {}, ...agent } = scene.fake.get("echo", "agents", agentType) ?? {};
    const going = { ...metadata, deletionTimestamp: "2026-11-21T11:00:00Z" };
    scene.fake.put("echo", agent, { type: agentType, namespace: "agents", metadata: going });
    await vi.waitFor(() =>
      expect(scene.caches.agents.store.get("agents/echo")?.metadata.deletionTimestamp).toBeDefined(),
    );
    expect(await scene.reconcileAgent("echo")).toMatchObject({ writes: [], error: undefined });
  });

  it("removes nothing that is being removed already", async () => {
    const scene = await startServing({ replicas: 2, scope: "request" });
    await scene.putChild("podDisruptionBudget", "echo", (child) => ({
      ...child,
      metadata: { ...Object(Reflect.get(child, "metadata")), deletionTimestamp: "2026-11-21T11:00:00Z" },
    }));
    await scene.putAgent("echo", { replicas: 1, scope: "request" });
    expect(kindsOf((await scene.reconcileAgent("echo")).writes)).not.toContain("delete PodDisruptionBudget");
  });
});

describe("OPR-4 an agent that depends on another", () => {
  const start = async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("archive");
    await scene.putAgent("echo", { dependsOn: ["archive"] });
    const first = await scene.reconcileAgent("echo");
    return { scene, first };
  };
  const serve = async (scene: Scene) => {
    await scene.reconcileAgent("archive");
    await scene.carryOut("archive");
    await scene.reconcileAgent("archive");
  };

  it("has everything but its Deployment until the other is Ready", async () => {
    const { scene, first } = await start();
    expect(kindsOf(first.writes)).not.toContain("apply Deployment");
    expect(kindsOf(first.writes)).toContain("apply Service");
    expect(conditionOf(scene, "DependenciesReady")).toMatchObject({
      status: "False",
      reason: "WaitingForDependencies",
    });
    await serve(scene);
    expect((await scene.reconcileAgent("echo")).writes).toContain("apply Deployment echo");
  });

  it("gets a deleted Deployment back although the other has failed meanwhile, however often that fails too", async () => {
    const { scene } = await start();
    await serve(scene);
    await scene.reconcileAgent("echo");
    await scene.carryOut("archive", { replicas: 1, updatedReplicas: 1 });
    await scene.reconcileAgent("archive");
    await scene.removeChild("deployment", "echo");
    scene.refuse("Deployment");
    await scene.reconcileAgent("echo");
    scene.refuse(undefined);
    expect((await scene.reconcileAgent("echo")).writes).toContain("apply Deployment echo");
    expect(conditionOf(scene, "DependenciesReady")).toMatchObject({ status: "False", reason: "DependencyNotReady" });
  });
});

describe("OPR-3 a write that fails", () => {
  const kinds = [
    "ServiceAccount",
    "ConfigMap",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "PersistentVolumeClaim",
    "Service",
    "Deployment",
  ];

  it.each(kinds)("of a new agent's %s keeps it from being handled, Ready or Current", async (kind) => {
    const scene = await startScene();
    await scene.putInstance();
    const spec = kind === "PersistentVolumeClaim" ? { storage: { size: "1Gi" } } : { replicas: 2, scope: "request" };
    await scene.putAgent("echo", spec);
    scene.refuse(kind);
    const { writes, error } = await scene.reconcileAgent("echo");
    expect(error).toMatchObject({ status: 422 });
    expect(writes.at(-1)).toBe("status PallasAgent echo");
    expect(scene.status(agentType, "echo").observedGeneration).toBe(-1);
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False", reason: "ApiError" });
    expect(conditionOf(scene, "Reconciling")).toMatchObject({ status: "True", reason: "ApiError" });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
    scene.refuse(undefined);
    await scene.reconcileAgent("echo");
    await scene.carryOut("echo");
    await scene.reconcileAgent("echo");
    expect(kstatusOf(scene, 1)).toBe("Current");
  });

  it("of an edit leaves the generation at the one that was carried out, though its pods serve", async () => {
    const scene = await startServing();
    await scene.putAgent("echo", { instruction: "Be brief." });
    scene.refuse("Deployment");
    await scene.reconcileAgent("echo");
    expect(scene.status(agentType, "echo").observedGeneration).toBe(1);
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False", reason: "ApiError" });
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "True", reason: "ApiError" });
    expect(kstatusOf(scene, 2)).toBe("InProgress");
  });

  it("of a removal is reported, and the rest is done", async () => {
    const scene = await startServing({ replicas: 2, scope: "request" });
    await scene.putAgent("echo", { replicas: 1, scope: "request" });
    scene.fake.intercept = ({ method }) => (method === "DELETE" ? answerStatus(403, "Forbidden") : undefined);
    const { writes, error } = await scene.reconcileAgent("echo");
    expect(error).toMatchObject({ name: "RemovalFailed" });
    expect(kindsOf(writes)).toContain("apply Deployment");
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False", reason: "ApiError" });
  });

  it("SEC-3 of the policy keeps the pods from being made", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo");
    scene.refuse("NetworkPolicy");
    expect(kindsOf((await scene.reconcileAgent("echo")).writes)).not.toContain("apply Deployment");
  });

  it("of the claim holds up nothing else", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo", { storage: { size: "1Gi" } });
    scene.refuse("PersistentVolumeClaim");
    expect((await scene.reconcileAgent("echo")).writes).toContain("apply Deployment echo");
  });

  it("with 500 is said once it has lasted, not before", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo");
    scene.refuse("Service", 500);
    expect((await scene.reconcileAgent("echo", 9)).writes).not.toContain("status PallasAgent echo");
    expect((await scene.reconcileAgent("echo", 10)).writes).toContain("status PallasAgent echo");
    expect(conditionOf(scene, "Reconciling")).toMatchObject({ status: "True", reason: "ApiError" });
    expect((await scene.reconcileAgent("echo", 11)).writes).not.toContain("status PallasAgent echo");
  });
});

describe("OPR-5 a child's name that is taken", () => {
  const owned = (uid: string, name: string) => (child: object) => ({
    ...child,
    kind: "Service",
    metadata: {
      labels: { "pallas.helu.ca/component": "agent" },
      ownerReferences: [{ apiVersion: "pallas.helu.ca/v1alpha1", kind: "PallasAgent", name, uid, controller: true }],
    },
  });

  it("by somebody else's object is Stalled and reported as handled; the object is not touched", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo");
    await scene.putChild("service", "echo", owned("other", "other"));
    expect(kindsOf((await scene.reconcileAgent("echo")).writes)).not.toContain("apply Service");
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False", reason: "NameConflict" });
    expect(kstatusOf(scene, 1)).toBe("Failed");
  });

  it("by a child of an earlier agent of that name is waited for: the garbage collector removes it", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo");
    await scene.putChild("service", "echo", owned("earlier", "echo"));
    const { writes, error } = await scene.reconcileAgent("echo");
    expect(kindsOf(writes)).not.toContain("apply Service");
    expect(error).toMatchObject({ reason: "ChildTerminating", retryMs: 2_000 });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
  });
});

describe("OPR-3 references to what may yet come", () => {
  it("an agent applied before the one it names is Reconciling, not Stalled", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo", { agents: [{ name: "archive" }] });
    await scene.reconcileAgent("echo");
    expect(conditionOf(scene, "ReferencesResolved")).toMatchObject({ status: "False", reason: "AgentNotFound" });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
  });

  it("an agent without its instance keeps what it has, and waits for it", async () => {
    const scene = await startScene();
    await scene.putAgent("echo");
    expect((await scene.reconcileAgent("echo")).writes).toEqual(["status PallasAgent echo"]);
    expect(kstatusOf(scene, 1)).toBe("InProgress");
  });

  it("a server that the instance lacks may be applied a moment later", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo", { servers: [{ name: "argos" }] });
    await scene.reconcileAgent("echo");
    expect(conditionOf(scene, "ReferencesResolved")).toMatchObject({ status: "False", reason: "ServerNotFound" });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
  });

  it("a provider that the instance lacks needs a hand", async () => {
    const scene = await startScene();
    await scene.putInstance();
    await scene.putAgent("echo", { model: "nowhere.model" });
    await scene.reconcileAgent("echo");
    expect(kstatusOf(scene, 1)).toBe("Failed");
  });
});

describe("OPR-11 an agent that is held back", () => {
  it("comes again by itself, should nobody wake it", async () => {
    const scene = await startScene({ maxRollouts: 1 });
    await scene.putInstance();
    for (const name of ["first", "second"]) {
      await scene.putAgent(name);
      await scene.reconcileAgent(name);
      await scene.putChild("deployment", name, withImage("registry.example/pallas/agent:0.0.9"));
      await scene.carryOut(name);
    }
    expect(await scene.reconcileAgent("first")).toMatchObject({ result: {} });
    const held = await scene.reconcileAgent("second");
    expect(held.result?.requeueAfterMs).toBe(60_000);
    expect(conditionOf(scene, "Reconciling", "second")).toMatchObject({ reason: "WaitingForRollout" });
  });
});

/** As an earlier release left the Deployment. */
const withImage = (image: string) => (child: object) =>
  JSON.parse(JSON.stringify(child).replaceAll("registry.example/pallas/agent:0.1.0", image));
