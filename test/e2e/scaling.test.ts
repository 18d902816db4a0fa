// An agent that is scaled under load, as an autoscaler does: pods come beside the first and go again, none is replaced,
// and no call is lost.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agent, instance } from "../faults/space.ts";
import { modelUrl, startClient, startModel, type ClientPod } from "./peers.ts";
import { eventually } from "./eventually.ts";
import { lostAmong, startLoad } from "./steady-load.ts";
import { createSpace, isReady, type Space } from "./testbed.ts";

const callers = 6;
const answerDelayMs = 500;
/** The kubelet may show an agent a minute late that it has company. */
const settleMs = 5_000;

describe("OPR-10 AGT-6 an agent scaled under load", { timeout: 300_000 }, () => {
  let space: Space;
  let client: ClientPod;
  beforeAll(async () => {
    space = await createSpace("scaling");
    const conversations = [{ replies: [{ text: "Yes.", delayMs: answerDelayMs }], repeat: true }];
    await Promise.all([startModel(space, conversations), startClient(space).then((started) => (client = started))]);
    const providers = [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }];
    // What is deleted may take its time to end its calls.
    const echo = agent("echo", { scope: "request", drainTimeout: "30s" });
    await space.apply(instance("team", { defaultModel: "mock.scripted", providers }), echo);
    await space.agentsReady(["echo"]);
  }, 180_000);
  afterAll(() => space[Symbol.asyncDispose]());

  it("1 → 3 → 1: no pod is replaced, and no call is lost", async () => {
    const seen = new Set<string>();
    const [first] = await space.pods("echo");
    const load = startLoad(space, client, "echo", callers);
    const callsGoOn = async (when: string) => {
      const before = load.ended();
      await eventually(
        `two calls more of each caller ${when}`,
        90_000,
        async () => load.ended() >= before + 2 * callers || undefined,
      );
    };
    const scaleTo = async (replicas: number) => {
      await space.kubectl("scale", "pallasagent/echo", `--replicas=${replicas}`);
      await eventually(`${replicas} pods of echo`, 90_000, async () => {
        const pods = await space.pods("echo");
        for (const { metadata } of pods) seen.add(metadata.uid);
        return (pods.length === replicas && pods.every(isReady)) || undefined;
      });
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      await callsGoOn(`with ${replicas} pods`);
    };
    let answers: Awaited<ReturnType<typeof load.stop>> = [];
    try {
      await callsGoOn("with one pod");
      await scaleTo(3);
      await scaleTo(1);
      await eventually("the end of the pods that drain", 90_000, async () => {
        const all = await space.list("pods", "pallas.helu.ca/agent=echo");
        return all.length === 1 || undefined;
      });
    } finally {
      answers = await load.stop();
    }
    expect(lostAmong(answers, "Yes.")).toEqual([]);
    expect(seen.size).toBe(3);
    expect(seen.has(first?.metadata.uid ?? "")).toBe(true);
    const left = await space.pods("echo");
    expect(left.every(({ metadata }) => seen.has(metadata.uid))).toBe(true);
    expect(left.map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual([0]);
  });
});
