// The reconciler of policies over an API server in this process: what its status says, and what its agents are told.
import { describe, expect, it } from "vitest";
import { agentType, policyType } from "../../crds/kinds.ts";
import { parseLiveConfig } from "../../crds/run-config.ts";
import { childTypes } from "../resources.ts";
import { startScene, type Scene } from "../testing/scene.ts";

const allowing = (tool: string) => ({ rules: [{ name: "reads", match: { tools: [tool] }, action: "allow" }] });
const misspelt = { rules: [{ name: "reads", match: { toolz: ["a"] }, action: "allow" }] };
const policyOf = (scene: Scene) => Object(scene.status(policyType, "careful"));
const conditionOf = (scene: Scene, type: string) =>
  scene.status(policyType, "careful").conditions?.find((condition) => condition.type === type);

async function startJudged(): Promise<Scene> {
  const scene = await startScene();
  await scene.putInstance({ gateway: {} });
  await scene.putPolicy("careful", allowing("read_*"));
  await scene.putAgent("clerk", { policyRef: { name: "careful" } });
  return scene;
}

const liveOf = (scene: Scene) => {
  const found = scene.fake.get("clerk-live-config", "agents", childTypes.configMap);
  const data: Record<string, string> = Object(found?.["data"]);
  return parseLiveConfig(data["live-config.json"] ?? "{}");
};

describe("MGM-5 a policy", () => {
  it("that is sound is in force, and nothing is written at rest", async () => {
    const scene = await startJudged();
    expect((await scene.reconcilePolicy("careful")).writes).toEqual(["status PallasPolicy careful"]);
    expect(policyOf(scene).inForce).toEqual({ generation: 1, ...allowing("read_*") });
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "True", message: "its rules hold" });
    expect((await scene.reconcilePolicy("careful")).writes).toEqual([]);
  });

  it("that becomes faulty goes on as it was, and says what is wrong and what holds", async () => {
    const scene = await startJudged();
    await scene.reconcilePolicy("careful");
    await scene.putPolicy("careful", misspelt);
    await scene.reconcilePolicy("careful");
    expect(policyOf(scene).inForce).toEqual({ generation: 1, ...allowing("read_*") });
    expect(conditionOf(scene, "Accepted")).toMatchObject({ status: "False", reason: "UnknownField" });
    expect(conditionOf(scene, "Accepted")?.message).toMatch(
      /^spec\.rules\[0\]\.match: .*"toolz", which is unknown; the rules of generation 1 go on holding$/,
    );
    expect(conditionOf(scene, "Stalled")).toMatchObject({ status: "True" });
  });

  it("that never was sound is in no force", async () => {
    const scene = await startJudged();
    await scene.putPolicy("careful", misspelt);
    await scene.reconcilePolicy("careful");
    expect(policyOf(scene).inForce).toBeUndefined();
    expect(conditionOf(scene, "Accepted")?.message).toContain("no rules hold, and every call is denied");
  });

  it("keeps what its gateway wrote", async () => {
    const scene = await startJudged();
    await scene.reconcilePolicy("careful");
    await scene.putStatus(policyType, "careful", (status) => ({ ...status, proposals: [{ id: "proposal" }] }));
    expect((await scene.reconcilePolicy("careful")).writes).toEqual([]);
  });
});

describe("MGM-5 an agent's policy", () => {
  it("stands in its live configuration with whom to ask, and an edit writes that alone", async () => {
    const scene = await startJudged();
    await scene.reconcileAgent("clerk");
    expect(liveOf(scene).policy).toEqual({ name: "careful", generation: 1, ...allowing("read_*") });
    expect(liveOf(scene).approvals).toEqual({
      url: "http://ouranos-gateway.agents.svc:24300",
      timeoutMs: 600_000,
    });
    await scene.putPolicy("careful", allowing("list_*"));
    expect((await scene.reconcileAgent("clerk")).writes).toEqual(["apply ConfigMap clerk-live-config"]);
    expect(liveOf(scene).policy).toMatchObject({ generation: 2, ...allowing("list_*") });
  });

  it("that does not exist denies, while everything else of the agent goes on", async () => {
    const scene = await startJudged();
    await scene.putAgent("clerk", { policyRef: { name: "carful" } });
    await scene.reconcileAgent("clerk");
    expect(liveOf(scene).policy).toEqual({ name: "carful", fault: expect.stringContaining("does not exist") });
    expect(scene.child("deployment", "clerk")).toBeDefined();
    const resolved = scene.status(agentType, "clerk").conditions?.find(({ type }) => type === "ReferencesResolved");
    expect(resolved).toMatchObject({ status: "False", reason: "PolicyNotFound" });
    expect(resolved?.message).toContain('did you mean "careful"?');
  });

  it("of another instance is none", async () => {
    const scene = await startJudged();
    await scene.putPolicy("careful", { instanceRef: { name: "other" }, ...allowing("*") });
    await scene.reconcileAgent("clerk");
    expect(liveOf(scene).policy).toMatchObject({ fault: expect.stringContaining("does not exist") });
  });
});
