// A new release of the operator over the resources of the last one: agents get its image at a set pace, in the face of
// edits and restarts, and whatever is rendered as before is taken over as it is.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { annotations, fieldManager } from "../../crds/names.ts";
import { createApplier } from "../../lib/kube/apply.ts";
import type { LiveObject } from "../../lib/kube/object.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { childTypes } from "../../operator/resources.ts";
import { observeAgentDeployment } from "../../operator/rollouts/rolling.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, type TestNamespace } from "../cluster/cluster.ts";
import { readManifests, releaseImages, releaseNamespace } from "../data/render-release.ts";
import { connectToCluster } from "./kube-clients.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";
import { readRunConfig, watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const apiVersion = "pallas.helu.ca/v1alpha1";
const instance = (name: string, spec: object = {}) => ({
  apiVersion,
  kind: "PallasInstance",
  metadata: { name },
  spec: { registryNamespace: "com.example", defaultModel: "passthrough", ...spec },
});
const agent = (name: string, of: string, spec: object = {}) => ({
  apiVersion,
  kind: "PallasAgent",
  metadata: { name },
  spec: { instanceRef: { name: of }, ...spec },
});
const old = "registry.example/pallas/agent:1";
const next = "registry.example/pallas/agent:2";
const env = (image: string) => ({ PALLAS_AGENT_IMAGE: image, PALLAS_ALLOWED_IMAGES: "registry.example/pallas" });
const releaseTo = (
  space: WatchedNamespace,
  image: string,
  more: Record<string, string> = {},
): Promise<OperatorProcess> => startOperator(cluster(), { namespaces: [space.name], env: { ...env(image), ...more } });

async function listDeployments(namespace: string): Promise<LiveObject[]> {
  const { body } = await callApi(cluster(), { path: `/apis/apps/v1/namespaces/${namespace}/deployments` });
  return JSON.parse(body).items;
}

/** Nothing to do is left after at least so many reconciles. */
async function settled(operator: OperatorProcess, atLeast: number): Promise<void> {
  const sum = async (metric: string) =>
    [...(await operator.metric(metric)).values()].reduce((all, value) => all + value, 0);
  const busy = async () => (await sum("workqueue_depth")) + (await sum("controller_runtime_active_workers"));
  await expect
    .poll(async () => (await sum("controller_runtime_reconcile_total")) >= atLeast && (await busy()) === 0, {
      timeout: 30_000,
    })
    .toBe(true);
}

/** Its name is part of every run configuration, so it cannot be another each time. */
async function makeReleaseNamespace(): Promise<TestNamespace> {
  const access = cluster();
  await access.kubectl(["create", "namespace", releaseNamespace]);
  const remove = async () => {
    await access.kubectl(["delete", "namespace", releaseNamespace, "--wait=false"]);
  };
  return { name: releaseNamespace, remove, [Symbol.asyncDispose]: remove };
}

/** Writes children.yaml as the operator of then did: for the owners that are there, with its mark on each; it handled them. */
async function applyAsPreviousRelease(space: WatchedNamespace): Promise<void> {
  const transport = connectToCluster();
  const applier = createApplier({ transport, fieldManager, hashAnnotation: annotations.appliedHash, log: silentLog() });
  for (const child of await readManifests("children")) {
    const [reference] = child.metadata.ownerReferences ?? [];
    if (reference === undefined) throw new Error(`expected an owner of ${child.kind} ${child.metadata.name}`);
    const { uid } = (await space.get(reference.kind, reference.name)).metadata;
    const desired = { ...child, metadata: { ...child.metadata, ownerReferences: [{ ...reference, uid }] } };
    const type = Object.values(childTypes).find(({ kind }) => kind === child.kind);
    if (type === undefined) throw new Error(`expected a kind of child, found ${child.kind}`);
    const signal = AbortSignal.timeout(10_000);
    await applier.apply({ type, desired, live: undefined, ours: () => true, signal });
  }
  const handled = JSON.stringify({ status: { observedGeneration: 1 } });
  for (const name of (await space.list("pallasagents")).map((each) => each.split("/")[1] ?? "")) {
    await space.kubectl("patch", "pallasagent", name, "--subresource=status", "--type=merge", `--patch=${handled}`);
  }
}

interface Progress {
  readonly moved: string[];
  readonly rolling: number;
}

async function observeProgress(space: WatchedNamespace): Promise<Progress> {
  const agents = (await listDeployments(space.name)).flatMap((live) => {
    const observed = observeAgentDeployment(live);
    return observed?.image === next ? [{ name: live.metadata.name, rolling: observed.state === "moving" }] : [];
  });
  return { moved: agents.map(({ name }) => name), rolling: agents.filter(({ rolling }) => rolling).length };
}

describe.skipIf(clusterMissing())("OPR-11 a release with another image", { timeout: 120_000 }, () => {
  const count = 30;
  const names = Array.from({ length: count }, (_, i) => `agent-${i}`);
  let space: WatchedNamespace;

  beforeAll(async () => {
    space = await watchNamespace("upgrade");
    await space.operator.stop();
    await using operator = await releaseTo(space, old);
    await space.apply(
      instance("team"),
      instance("fixed", { images: { agent: "registry.example/pallas/agent:pinned" } }),
      agent("pinned", "fixed"),
      ...names.map((name) => agent(name, "team")),
    );
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents", "--all", "--timeout=90s");
    await operator.stop();
  });
  afterAll(() => space[Symbol.asyncDispose]());

  it("moves ten at a time, lets a user's edit pass, survives a restart, and moves all in the end", async () => {
    const generation = async (name: string) => (await space.get("deployment", name)).metadata.generation;
    const pinned = await generation("pinned");
    space.kubelet.hold("agent"); // New pods do not become ready, so the first ten stay under way.
    let operator = await releaseTo(space, next);
    onTestFinished(() => operator[Symbol.asyncDispose]());
    await expect.poll(async () => (await observeProgress(space)).moved.length, { timeout: 30_000 }).toBe(10);

    const { moved } = await observeProgress(space);
    const [edited = "", waiting = ""] = names.filter((name) => !moved.includes(name));
    await expect
      .poll(() => space.condition("pallasagent", waiting, "Reconciling"), { timeout: 20_000 })
      .toBe("True WaitingForRollout");
    expect(await space.message("pallasagent", waiting, "Reconciling")).toContain(old);
    expect(await space.condition("pallasagent", waiting, "Ready")).toBe("True Ready");
    await space.apply(agent(edited, "team", { request: { maxSteps: 7 } }));
    await expect.poll(async () => (await observeProgress(space)).moved, { timeout: 10_000 }).toContain(edited);

    await operator.stop();
    operator = await releaseTo(space, next);
    await space.kubectl("annotate", "pallasagent", waiting, "note=look-again");
    await settled(operator, count);
    expect((await observeProgress(space)).moved.toSorted()).toEqual([...moved, edited].toSorted());

    space.kubelet.release("agent");
    let most = 0;
    for (let progress = await observeProgress(space); progress.moved.length < count;) {
      progress = await observeProgress(space);
      most = Math.max(most, progress.rolling);
    }
    // The edited one was moved by its user.
    expect(most).toBeLessThanOrEqual(11);
    expect(most).toBeGreaterThan(1);
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents", "--all", "--timeout=60s");
    await expect
      .poll(() => space.condition("pallasagent", waiting, "Reconciling"), { timeout: 20_000 })
      .toBe("False Succeeded");
    expect(await generation("pinned")).toBe(pinned);
  });
});

/** Says of a Deployment what its controller would when the time for progress is over; it stays said until there is some. */
async function exceedDeadline(space: WatchedNamespace, name: string): Promise<void> {
  const { status } = await space.get("deployment", name);
  const others = (status?.conditions ?? []).filter(({ type }) => type !== "Progressing");
  const progressing = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "made up" };
  const patch = { status: { conditions: [...others, progressing] } };
  await space.kubectl(
    "patch",
    "deployment",
    name,
    "--subresource=status",
    "--type=merge",
    `-p=${JSON.stringify(patch)}`,
  );
}

describe.skipIf(clusterMissing())("OPR-11 a release whose image does not start", { timeout: 120_000 }, () => {
  const names = Array.from({ length: 6 }, (_, i) => `agent-${i}`);
  const storage = { size: "1Gi" };
  const pace = { PALLAS_MAX_ROLLOUTS: "2" };
  const moved = async (space: WatchedNamespace) => (await observeProgress(space)).moved.toSorted();
  const isStopped = async (operator: OperatorProcess) => [
    ...(await operator.metric("pallas_rollout_stopped")).values(),
  ];

  it("stops after as many failures as may move at once, over a restart, and goes on as they are repaired", async () => {
    await using space = await watchNamespace("broken");
    await space.operator.stop();
    const first = await releaseTo(space, old);
    await space.apply(instance("team"), ...names.map((name, i) => agent(name, "team", i % 2 === 0 ? { storage } : {})));
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents", "--all", "--timeout=90s");
    await first.stop();

    for (const name of names) space.kubelet.hold(name);
    let operator = await releaseTo(space, next, pace);
    onTestFinished(() => operator[Symbol.asyncDispose]());
    await expect.poll(() => moved(space), { timeout: 30_000 }).toHaveLength(2);
    const [broken = "", other = ""] = await moved(space);
    const waiting = names.filter((name) => name !== broken && name !== other);
    for (const name of [broken, other]) {
      const live = async () => {
        await exceedDeadline(space, name);
        const found = (await listDeployments(space.name)).find(({ metadata }) => metadata.name === name);
        return found && observeAgentDeployment(found);
      };
      await expect.poll(live, { timeout: 20_000 }).toMatchObject({ state: "gaveUp", previousImage: old });
    }
    await expect.poll(() => isStopped(operator), { timeout: 20_000 }).toEqual([1]);

    await operator.stop();
    operator = await releaseTo(space, next, pace);
    const [held = ""] = waiting;
    await expect
      .poll(() => space.message("pallasagent", held, "Reconciling"), { timeout: 20_000 })
      .toContain(`the rollout of ${next} is stopped, because ${broken}, ${other} served before`);
    expect(await space.condition("pallasagent", held, "Ready")).toBe("True Ready");
    await settled(operator, names.length);
    expect(await moved(space)).toEqual([broken, other]);
    expect(await isStopped(operator)).toEqual([1]);

    space.kubelet.release(broken);
    await expect.poll(() => moved(space), { timeout: 20_000 }).toHaveLength(3);
    await settled(operator, names.length);
    expect(await moved(space)).toHaveLength(3);
    expect(await isStopped(operator)).toEqual([0]);

    for (const name of names) space.kubelet.release(name);
    await expect.poll(() => moved(space), { timeout: 30_000 }).toEqual(names);
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents", "--all", "--timeout=60s");
  });

  it("leaves a paused Deployment as it is, gives others its turn, and moves it once it is resumed", async () => {
    await using space = await watchNamespace("paused");
    await space.operator.stop();
    const first = await releaseTo(space, old);
    await space.apply(instance("team"), agent("echo", "team"), agent("paused", "team"));
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents", "--all", "--timeout=60s");
    await first.stop();
    await space.kubectl("rollout", "pause", "deployment/paused");

    await using operator = await releaseTo(space, next, { PALLAS_MAX_ROLLOUTS: "1" });
    await expect.poll(() => moved(space), { timeout: 20_000 }).toEqual(["echo"]);
    await expect
      .poll(() => space.message("pallasagent", "paused", "Reconciling"), { timeout: 20_000 })
      .toContain("while its Deployment is paused");
    await settled(operator, 2);
    expect(await moved(space)).toEqual(["echo"]);
    await space.kubectl("rollout", "resume", "deployment/paused");
    await expect.poll(() => moved(space), { timeout: 20_000 }).toEqual(["echo", "paused"]);
  });
});

describe.skipIf(clusterMissing())("OPR-11 fault 44: children of the previous release", { timeout: 120_000 }, () => {
  const names = ["echo", "tech-research"];
  const listOfAgents = async (space: WatchedNamespace, kind: string) =>
    (await space.list(kind)).filter((name) => !name.includes("registry"));

  it("are taken over: pods are replaced once, in turn also with the same image, and what they ran on stays", async () => {
    await using space = await watchNamespace(await makeReleaseNamespace());
    await space.operator.stop();
    await space.apply(...(await readManifests("resources")));
    await applyAsPreviousRelease(space);
    await expect.poll(() => listOfAgents(space, "replicasets"), { timeout: 20_000 }).toHaveLength(2);
    await expect.poll(() => listOfAgents(space, "pods"), { timeout: 20_000 }).toHaveLength(3);
    for (const name of names) await space.kubectl("rollout", "status", `deployment/${name}`, "--timeout=20s");

    for (const name of names) space.kubelet.hold(name);
    const options = {
      namespaces: [space.name],
      env: {
        PALLAS_AGENT_IMAGE: releaseImages.agent,
        PALLAS_MAX_ROLLOUTS: "1",
        PALLAS_AUTHOR_LABELS: "team",
        PALLAS_AUTHOR_ANNOTATIONS: "note",
      },
    };
    const operator = await startOperator(cluster(), options);
    onTestFinished(() => operator[Symbol.asyncDispose]());
    const reasons = () => Promise.all(names.map((name) => space.condition("pallasagent", name, "Reconciling")));
    await expect
      .poll(async () => (await reasons()).toSorted(), { timeout: 20_000 })
      .toEqual(["True Reconciling", "True WaitingForRollout"]);
    await settled(operator, 3);
    expect(await listOfAgents(space, "replicasets")).toHaveLength(3);
    for (const name of names) space.kubelet.release(name);

    for (const name of names) {
      await expect
        .poll(() => space.condition("pallasagent", name, "Reconciling"), { timeout: 30_000 })
        .toBe("False Succeeded");
      expect(await space.condition("pallasagent", name, "Ready")).toBe("True Ready");
      expect(await readRunConfig(space, name)).toBeDefined();
    }
    const after = await listOfAgents(space, "replicasets");
    expect(after).toHaveLength(4);
    expect(await space.list("configmaps")).toEqual(
      expect.arrayContaining(names.map((name) => `configmap/${name}-run-config`)),
    );

    await operator.stop();
    await using again = await startOperator(cluster(), options);
    await settled(again, 3);
    expect(await listOfAgents(space, "replicasets")).toEqual(after);
  });
});
