// What changes without a restart, what starts in order, and how an agent is scaled: seen in its pods and in what its
// model is sent.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agent, instance } from "../faults/space.ts";
import { agentUrl, modelUrl, readLastModelCall, startClient, startModel, type ClientPod } from "./peers.ts";
import { eventually } from "./eventually.ts";
import { createSpace, isReady, type Space } from "./testbed.ts";

/** A kubelet may look at Secrets and ConfigMaps once a minute only. */
const rotationTimeoutMs = 150_000;

describe("OPR-2 OPR-10 an agent's life", { timeout: 240_000 }, () => {
  let space: Space;
  let client: ClientPod;

  const secret = (key: string) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "llm-keys" },
    stringData: { mock: key },
  });
  const prompts = (text: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "prompts" },
    data: { "reader.md": text },
  });
  const ask = async (name: string, message: string) => {
    const caller = await client.openCaller(agentUrl(space, name), "auto");
    try {
      return await caller.send({ message });
    } finally {
      await caller.stop();
    }
  };
  const lastModelCall = () => readLastModelCall(space, client);
  const onlyPod = async (name: string) => {
    const pods = await space.pods(name);
    if (pods.length !== 1 || pods[0] === undefined) {
      throw new Error(`expected one pod of ${name}, found ${pods.length}`);
    }
    return pods[0];
  };

  beforeAll(async () => {
    space = await createSpace("life");
    const replies = [{ text: "Yes." }];
    await Promise.all([
      startModel(space, [{ replies, repeat: true }]),
      startClient(space).then((started) => (client = started)),
    ]);
    const apiKey = { secretKeyRef: { name: "llm-keys", key: "mock" } };
    const providers = [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space), apiKey }];
    await space.apply(
      secret("first-key"),
      prompts("You are the first."),
      instance("team", { defaultModel: "mock.scripted", providers }),
      // Given last first, so that their order is the operator's doing.
      agent("third", { dependsOn: ["second"] }),
      agent("second", { agents: [{ name: "reader" }] }),
      agent("reader", { instructionFrom: { configMapKeyRef: { name: "prompts", key: "reader.md" } } }),
      agent("echo", { scope: "request" }),
    );
    await space.agentsReady(["reader", "second", "third", "echo"]);
  }, 180_000);
  afterAll(() => space[Symbol.asyncDispose]());

  it("OPR-4 who is depended on is Ready before the others' pods are made", async () => {
    const [first, second, third] = await Promise.all(["reader", "second", "third"].map(onlyPod));
    const readyAt = (pod = first) =>
      pod?.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime ?? "";
    expect(Date.parse(second?.metadata.creationTimestamp ?? "")).toBeGreaterThanOrEqual(Date.parse(readyAt(first)));
    expect(Date.parse(third?.metadata.creationTimestamp ?? "")).toBeGreaterThanOrEqual(Date.parse(readyAt(second)));
  });

  it("an instruction and a key that are edited are used by the same pod", async () => {
    const before = await onlyPod("reader");
    await ask("reader", "Hello");
    const first = await lastModelCall();
    expect(first.headers["authorization"]).toBe("Bearer first-key");
    expect(JSON.stringify(first.body.messages)).toContain("You are the first.");

    await space.apply(secret("second-key"), prompts("You are the second."));
    await eventually("a call with the new key and the new instruction", rotationTimeoutMs, async () => {
      await ask("reader", "Hello");
      const { headers, body } = await lastModelCall();
      const isNew = headers["authorization"] === "Bearer second-key";
      return (isNew && JSON.stringify(body.messages).includes("You are the second.")) || undefined;
    });
    const after = await onlyPod("reader");
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it("OPR-10 kubectl scale takes it to two pods, to none, and back", async () => {
    for (const replicas of [2, 0, 1]) {
      await space.kubectl("scale", "pallasagent/echo", `--replicas=${replicas}`);
      await eventually(`${replicas} pods of echo`, 60_000, async () => {
        const pods = await space.pods("echo");
        const { status } = await space.read("pallasagent", "echo");
        return (pods.length === replicas && pods.every(isReady) && (status?.replicas ?? 0) === replicas) || undefined;
      });
    }
    const answer = await eventually("an answer through the Service", 30_000, () => ask("echo", "Still there?"));
    expect(answer).toMatchObject({ isError: false, text: "Yes." });
  });

  it("OPR-5 children deleted by hand come back, and the agent answers again", async () => {
    const before = await onlyPod("reader");
    await space.kubectl("delete", "service/reader", "configmap/reader-live-config", "networkpolicy/reader");
    await eventually("all three of them again", 20_000, async () => {
      await space.kubectl("get", "service/reader", "configmap/reader-live-config", "networkpolicy/reader");
      return true;
    });
    const answer = await eventually("an answer through the new Service", 30_000, () => ask("reader", "Hello"));
    expect(answer.isError).toBe(false);
    expect((await onlyPod("reader")).metadata.uid).toBe(before.metadata.uid);
    await space.kubectl("delete", "deployment/reader");
    await eventually("a pod of the new Deployment", 60_000, async () => {
      const [pod] = await space.pods("reader");
      return (pod !== undefined && pod.metadata.uid !== before.metadata.uid && isReady(pod)) || undefined;
    });
  });
});
