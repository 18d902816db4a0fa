// Objects that another release of the CRDs, the operator or Kubernetes has written, as after `helm rollback`.
import { describe, expect, it, vi } from "vitest";
import { agentType } from "../crds/kinds.ts";
import { startScene, type Scene } from "./testing/scene.ts";

const namespace = "agents";

async function startServing(): Promise<{ scene: Scene; pass: () => void }> {
  let hour = 12;
  const scene = await startScene({ now: () => new Date(Date.UTC(2026, 10, 21, hour)) });
  await scene.putInstance();
  await scene.putAgent("echo");
  await scene.reconcileAgent("echo");
  await scene.carryOut("echo");
  await scene.reconcileAgent("echo");
  return { scene, pass: () => void (hour += 1) };
}

const acceptedOf = (scene: Scene, name: string) =>
  scene.status(agentType, name).conditions?.find(({ type }) => type === "Accepted");

describe("OPR-2 what another release has written", () => {
  it("to the status and the metadata of an agent that serves causes no write", async () => {
    const { scene, pass } = await startServing();
    const { metadata, ...fields } = scene.fake.get("echo", namespace, agentType) ?? { metadata: {} };
    const status = { ...scene.status(agentType, "echo"), health: "sleeping", mood: "fine" };
    const put = scene.fake.put(
      "echo",
      { ...fields, status },
      { type: agentType, namespace, metadata: { ...metadata, shard: 3 } },
    );
    await vi.waitFor(() => {
      const shown = scene.caches.agents.store.get(`${namespace}/echo`)?.metadata.resourceVersion;
      expect(shown).toBe(put.metadata.resourceVersion);
    });
    pass();
    expect(await scene.reconcileAgent("echo")).toMatchObject({ writes: [], error: undefined });
    expect(acceptedOf(scene, "echo")).toMatchObject({ status: "True" });
  });

  it("to a spec that cannot be read is told once, however often it is looked at", async () => {
    const { scene, pass } = await startServing();
    await scene.putAgent("echo", { replicas: "many" });
    expect((await scene.reconcileAgent("echo")).writes).toEqual(["status PallasAgent echo"]);
    expect(acceptedOf(scene, "echo")).toMatchObject({ status: "False", reason: "InvalidField" });
    pass();
    expect((await scene.reconcileAgent("echo")).writes).toEqual([]);
  });

  it("to an agent that another one calls leaves the caller's children as they are", async () => {
    const { scene } = await startServing();
    await scene.putAgent("boss", { agents: [{ name: "echo" }] });
    await scene.reconcileAgent("boss");
    await scene.putAgent("echo", { replicas: "many" });
    expect((await scene.reconcileAgent("boss")).writes).toEqual(["status PallasAgent boss"]);
    const references = scene.status(agentType, "boss").conditions?.find(({ type }) => type === "ReferencesResolved");
    expect(references).toMatchObject({ status: "Unknown", reason: "NotChecked" });
  });
});
