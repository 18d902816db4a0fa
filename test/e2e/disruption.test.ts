// Calls while pods come and go: a rolling update with two-minute calls in flight, a pod killed, the operator killed, a node
// drained, a namespace deleted.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agent, instance } from "../faults/space.ts";
import type { Caller, CallerAnswer } from "../integration/agents/callers.ts";
import { operatorDeployment, release, systemNamespace } from "./installation.ts";
import { agentUrl, modelUrl, startClient, startModel, type ClientPod } from "./peers.ts";
import { eventually } from "./eventually.ts";
import { createSpace, isReady, type Space } from "./testbed.ts";

/** A model that is silent for as long would be taken for one that is gone. */
const words = Array.from({ length: 12 }, (_, at) => `${at} `);
const conversations = [
  { match: "two minutes", replies: [{ text: words, frameDelayMs: 10_000 }], repeat: true },
  { match: "half a minute", replies: [{ text: "Done.", delayMs: 30_000 }], repeat: true },
  { replies: [{ text: "Yes." }], repeat: true },
];
const eras = ["legacy", "auto"] as const;
/** A lease lasts 15 s, and its next holder looks every 2 s. */
const takeoverTimeoutMs = 25_000;

describe("AGT-12 OPR-6 what is disrupted", { timeout: 300_000 }, () => {
  let space: Space;
  /** Its neighbour, which a test takes away. */
  let other: Space;
  let client: ClientPod;

  const openCallers = (name: string, count: number): Promise<Caller[]> =>
    Promise.all(
      Array.from({ length: count }, (_, at) => client.openCaller(agentUrl(space, name), eras[at % 2] ?? "auto")),
    );
  const close = (callers: readonly Caller[]) => Promise.all(callers.map((caller) => caller.stop()));
  const askOnce = async (name: string): Promise<CallerAnswer> => {
    const [caller] = await openCallers(name, 1);
    const answer = await caller?.send({ message: "Are you there?" });
    await caller?.stop();
    if (answer === undefined) throw new Error("expected a caller");
    return answer;
  };
  const underWay = (name: string, calls: number) =>
    eventually(`${calls} calls of ${name} under way`, 20_000, async () => {
      const journal: { kind: string; body: unknown }[] = JSON.parse(
        await client.fetchText(`http://model.${space.name}.svc:8080/__journal`),
      );
      const heard = journal.filter(
        ({ kind, body }) => kind === "call" && JSON.stringify(body).includes(`from ${name}`),
      );
      return heard.length >= calls || undefined;
    });

  beforeAll(async () => {
    space = await createSpace("disruption");
    await Promise.all([startModel(space, conversations), startClient(space).then((started) => (client = started))]);
    const providers = [{ name: "mock", kind: "openai-compatible", baseUrl: modelUrl(space) }];
    const names = ["rolled", "killed", "drained", "edited"];
    await space.apply(
      instance("team", { defaultModel: "mock.scripted", providers }),
      ...names.map((name) => agent(name, { limits: { queuedCalls: 64 } })),
    );
    other = await createSpace("deleted");
    // Kubernetes looks again after half of the time that pods may take to end.
    const soon = { drainTimeout: "10s" };
    await other.apply(instance(), agent("alpha", soon), agent("beta", { ...soon, agents: [{ name: "alpha" }] }));
    // Here, since one of the tests drains the node: nothing starts meanwhile.
    await Promise.all([space.agentsReady(names), other.agentsReady(["alpha", "beta"])]);
  }, 180_000);
  afterAll(async () => {
    await space[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  it.concurrent("AGT-12 a rolling update loses none of the two-minute calls in flight", async () => {
    const callers = await openCallers("rolled", 6);
    const [before] = await space.pods("rolled");
    const answers = callers.map((caller) => caller.send({ message: "two minutes, from rolled" }));
    await underWay("rolled", callers.length);
    await space.kubectl(
      "patch",
      "pallasagent",
      "rolled",
      "--type=merge",
      '--patch={"spec":{"request":{"maxSteps":7}}}',
    );
    await eventually("a new pod beside the one that drains", 60_000, async () => {
      const pods = await space.pods("rolled");
      return (pods.length === 1 && pods[0]?.metadata.uid !== before?.metadata.uid && pods.every(isReady)) || undefined;
    });
    // A session begun while endpoints lag may be on the pod that goes: its next request is told to begin anew.
    const answer = await eventually("an answer of the new pod", 20_000, () => askOnce("rolled"));
    expect(answer).toMatchObject({ isError: false, text: "Yes." });
    for (const { isError, text } of await Promise.all(answers)) {
      expect({ isError, text: text.trim() }).toEqual({ isError: false, text: words.join("").trim() });
    }
    await close(callers);
    await eventually("the end of the pod that drained", 60_000, async () => {
      const all = await space.list("pods", "pallas.helu.ca/agent=rolled");
      return all.length === 1 || undefined;
    });
  });

  it.concurrent("a pod killed amid calls: each caller gets an error soon, and the next call works", async () => {
    const callers = await openCallers("killed", 2);
    const calls = callers.map((caller) => caller.send({ message: "two minutes, from killed" }));
    const ends = Promise.allSettled(calls);
    await underWay("killed", callers.length);
    const [before] = await space.pods("killed");
    const killedAt = Date.now();
    await space.kubectl("delete", "pod", before?.metadata.name ?? "", "--grace-period=0", "--force");
    for (const end of await ends) {
      // Either the connection's end as the SDK tells it, or the agent's own last word.
      const said = end.status === "rejected" ? String(end.reason) : end.value.isError ? end.value.text : "";
      expect(said).toMatch(/connection|closed|disconnect|stopping|reset|read|interrupted|ended/i);
    }
    expect(Date.now() - killedAt).toBeLessThan(70_000);
    const answer = await eventually("an answer of the next pod", 60_000, () => askOnce("killed"));
    expect(answer).toMatchObject({ isError: false, text: "Yes." });
    await close(callers);
  });

  it.concurrent("a drained node ends calls in good order, and the agent is back on the next", async () => {
    const [node] = await space.list("nodes");
    if (node === undefined) throw new Error("expected a node");
    const [caller] = await openCallers("drained", 1);
    const answer = caller?.send({ message: "half a minute, from drained" });
    await underWay("drained", 1);
    const selector = `pallas.helu.ca/agent=drained`;
    const args = [
      "drain",
      node.metadata.name,
      "--ignore-daemonsets",
      "--delete-emptydir-data",
      `--pod-selector=${selector}`,
    ];
    await space.cluster.kubectl([...args, "--timeout=120s"], { timeoutMs: 150_000 });
    await space.cluster.kubectl(["uncordon", node.metadata.name]);
    expect(await answer).toMatchObject({ isError: false, text: "Done." });
    await space.agentsReady(["drained"]);
    expect(await eventually("an answer after the drain", 30_000, () => askOnce("drained"))).toMatchObject({
      text: "Yes.",
    });
    await close(caller === undefined ? [] : [caller]);
  });

  it.concurrent("OPR-6 the operator killed: another leads, an edit made meanwhile is followed, no agent notices", async () => {
    const system = (...args: string[]) => space.cluster.kubectl([`--namespace=${systemNamespace}`, ...args]);
    const [before] = await space.pods("edited");
    const lease: { spec: { holderIdentity: string } } = JSON.parse(
      await system("get", "lease", "pallas-operator", "--output=json"),
    );
    const leader = lease.spec.holderIdentity;
    expect(leader).toContain(`${release}-operator`);
    await system("delete", "pod", leader.split("_")[0] ?? "", "--grace-period=0", "--force");
    const killedAt = Date.now();
    await space.switchPolicyOff("edited");
    await eventually("the edit to be followed", takeoverTimeoutMs, () => space.isPolicyGone("edited"));
    expect(Date.now() - killedAt).toBeLessThan(takeoverTimeoutMs);
    await system("rollout", "status", operatorDeployment, "--timeout=60s");
    expect((await space.pods("edited"))[0]?.metadata.uid).toBe(before?.metadata.uid);
  });

  it.concurrent("a namespace deleted with all that is in it goes, and holds up no other", async () => {
    await other[Symbol.asyncDispose]();
    await eventually("the namespace to be gone", 90_000, async () => {
      const found = await space.cluster.kubectl([
        "get",
        "namespace",
        other.name,
        "--ignore-not-found",
        "--output=name",
      ]);
      return found === "" || undefined;
    });
    const answer = await askOnce("edited");
    expect(answer.isError).toBe(false);
  });
});
