// The children that an agent has only sometimes, on a real API server with its real garbage collector: NetworkPolicy,
// PodDisruptionBudget and history claim come, change and go with the agent, and never touch what is not ours.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { startOperator } from "./operator-process.ts";
import { readRunConfig, watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const patience = { timeout: 15_000 };
const claimKind = "persistentvolumeclaim";

/** Authors may open and switch off policies here. */
const env = { PALLAS_AUTHOR_NETWORK_POLICY: "off" };

/** A namespace with an operator and one instance, for one describe. */
function withSpace(prefix: string): () => WatchedNamespace {
  let space: WatchedNamespace;
  beforeAll(async () => {
    space = await watchNamespace(prefix, env);
    await space.apply(instance());
  });
  afterAll(() => space[Symbol.asyncDispose]());
  return () => space;
}

const ownersOf = async (space: WatchedNamespace, kind: string, name: string) => {
  const path = "jsonpath={.metadata.ownerReferences[*].kind}";
  return space.kubectl("get", kind, name, "-o", path);
};

describe.skipIf(clusterMissing())("OPR-1 the PodDisruptionBudget", () => {
  const space = withSpace("budget");

  it("comes with the second pod and goes with it", async () => {
    const several = agent({ scope: "request", replicas: 2 }, "many");
    await space().apply(several);
    const budgets = () => space().list("poddisruptionbudgets");
    await expect.poll(budgets, patience).toEqual(["poddisruptionbudget.policy/many"]);
    expect((await space().get("poddisruptionbudget", "many")).spec).toMatchObject({ maxUnavailable: 1 });
    await space().kubectl("scale", "pallasagent/many", "--replicas=1");
    await expect.poll(budgets, patience).toEqual([]);
  });

  it("of a registry does too", async () => {
    const registry = (replicas: number) => ({ registry: { replicas, metrics: { mode: "podMonitor" } } });
    const budgets = () => space().list("poddisruptionbudgets");
    await space().apply(instance(registry(2), "watched"));
    await expect.poll(budgets, patience).toContain("poddisruptionbudget.policy/watched-registry");
    await space().apply(instance(registry(1), "watched"));
    await expect.poll(budgets, patience).not.toContain("poddisruptionbudget.policy/watched-registry");
  });

  it("OPR-5 one of that name that is not ours is neither written nor deleted", async () => {
    await space().apply({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      // So labelled, the operator sees it among its own.
      metadata: { name: "foreign", labels: { "pallas.helu.ca/component": "agent" } },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    });
    const version = async () => (await space().get("poddisruptionbudget", "foreign")).metadata.resourceVersion;
    // Kubernetes itself writes its status once.
    await space().waitFor("poddisruptionbudget", "foreign", "jsonpath={.status.observedGeneration}=1");
    const before = await version();
    await space().apply(agent({ scope: "request" }, "foreign"));
    await space().waitFor("pallasagent", "foreign", "condition=Ready");
    await space().apply(agent({ scope: "request", replicas: 2 }, "foreign"));
    const available = () => space().condition("pallasagent", "foreign", "Available");
    await expect.poll(available, patience).toBe("True NameConflict");
    expect(await version()).toBe(before);
  });
});

describe.skipIf(clusterMissing())("SEC-3 the NetworkPolicy", () => {
  const space = withSpace("policy");
  const policy = async (name: string) => JSON.stringify((await space().get("networkpolicy", name)).spec);
  const generation = async (name: string) => (await space().get("deployment", name)).metadata.generation;

  it("OPR-2 lets a new caller in at once, without a roll of the called one's pods, and out again", async () => {
    await space().apply(agent({}, "research"));
    await space().waitFor("pallasagent", "research", "condition=Ready");
    const [before, rolled] = [await policy("research"), await generation("research")];
    await space().apply(agent({ agents: [{ name: "research" }] }, "lead"));
    await expect.poll(() => policy("research"), patience).toContain('"lead"');
    await space().kubectl("delete", "pallasagent", "lead");
    await expect.poll(() => policy("research"), patience).toBe(before);
    expect(await generation("research")).toBe(rolled);
  });

  it("OPR-2 a peer that is taken out of the agent disappears from its policy", async () => {
    const from = [{ ipBlock: { cidr: "203.0.113.0/24" }, ports: [{ port: 9090 }] }];
    await space().apply(agent({ networkPolicy: { from } }, "edited"));
    await expect.poll(() => policy("edited").catch(() => ""), patience).toContain("203.0.113.0/24");
    await space().apply(agent({}, "edited"));
    await expect.poll(() => policy("edited"), patience).not.toContain("203.0.113.0/24");
  });

  it("OPR-5 comes back when it is deleted or opened by hand", async () => {
    const before = await policy("edited");
    const { uid } = (await space().get("networkpolicy", "edited")).metadata;
    await space().kubectl("delete", "networkpolicy", "edited");
    const next = async () => (await space().list("networkpolicies")).includes("networkpolicy.networking.k8s.io/edited");
    await expect.poll(next, { timeout: 5_000 }).toBe(true);
    expect((await space().get("networkpolicy", "edited")).metadata.uid).not.toBe(uid);
    const opened = JSON.stringify({ spec: { ingress: [{}], egress: [{}] } });
    await space().kubectl("patch", "networkpolicy", "edited", "--type=merge", `--patch=${opened}`);
    await expect.poll(() => policy("edited"), { timeout: 5_000 }).toBe(before);
  });

  it("goes when it is switched off, for one agent or by the instance and its registry, and comes back", async () => {
    const there = async () => (await space().list("networkpolicies")).map((name) => name.split("/")[1]);
    await space().apply(agent({ networkPolicy: { enabled: false } }, "edited"));
    await expect.poll(there, patience).toEqual(["research", "team-registry"]);
    await space().apply(instance({ agentDefaults: { networkPolicy: { enabled: false } } }));
    await expect.poll(there, patience).toEqual([]);
    await space().apply(instance(), agent({}, "edited"));
    await expect.poll(there, patience).toEqual(["edited", "research", "team-registry"]);
  });
});

describe.skipIf(clusterMissing())("OPR-5 the history claim", () => {
  const space = withSpace("claim");
  const stored = (name: string, storage: object = {}) => agent({ storage: { size: "1Gi", ...storage } }, name);
  const claims = () => space().list(claimKind);
  const claimOf = (name: string) => `${claimKind}/${name}-history`;
  const goneWithItsPods = async (name: string) =>
    (await space().list("deployments", "pods", "configmaps")).filter((each) => each.includes(name));

  it("is mounted by the one pod, which is replaced only after it has ended", async () => {
    await space().apply(stored("kept"));
    await space().waitFor("pallasagent", "kept", "condition=Ready");
    const { spec } = await space().get("deployment", "kept");
    expect(spec["strategy"]).toEqual({ type: "Recreate" });
    expect(JSON.stringify(spec["template"])).toContain('"claimName":"kept-history"');
  });

  it("with Retain outlives its agent, and serves the next one of that name", async () => {
    expect(await ownersOf(space(), claimKind, "kept-history")).toBe("");
    const { uid } = (await space().get(claimKind, "kept-history")).metadata;
    await space().kubectl("delete", "pallasagent", "kept");
    await expect.poll(() => goneWithItsPods("kept"), { timeout: 40_000 }).toEqual([]);
    const { metadata } = await space().get(claimKind, "kept-history");
    expect([metadata.uid, Object.hasOwn(metadata, "deletionTimestamp")]).toEqual([uid, false]);
    await space().apply(stored("kept"));
    await space().waitFor("pallasagent", "kept", "condition=Ready");
    expect((await space().get(claimKind, "kept-history")).metadata.uid).toBe(uid);
  });

  it("with Delete goes with its agent", async () => {
    await space().apply(stored("brief", { onDelete: "Delete" }));
    await expect.poll(claims, patience).toContain(claimOf("brief"));
    expect(await ownersOf(space(), claimKind, "brief-history")).toBe("PallasAgent");
    await space().kubectl("delete", "pallasagent", "brief");
    await expect.poll(claims, { timeout: 40_000 }).not.toContain(claimOf("brief"));
  });

  it("follows a change from Retain to Delete and back", async () => {
    const owners = () => ownersOf(space(), claimKind, "kept-history");
    await space().apply(stored("kept", { onDelete: "Delete" }));
    await expect.poll(owners, patience).toBe("PallasAgent");
    await space().apply(stored("kept"));
    await expect.poll(owners, patience).toBe("");
  });

  it("stays when storage is taken out of the agent, whose pods then do without", async () => {
    const { uid } = (await space().get(claimKind, "kept-history")).metadata;
    await space().apply(agent({}, "kept"));
    const volumes = async () => JSON.stringify((await space().get("deployment", "kept")).spec);
    await expect.poll(volumes, patience).not.toContain("claimName");
    expect(await volumes()).toContain('"type":"RollingUpdate"');
    expect((await space().get(claimKind, "kept-history")).metadata.uid).toBe(uid);
  });

  it("is not made smaller when storage comes back with less", async () => {
    await space().apply(stored("kept", { size: "512Mi" }));
    const { generation } = (await space().get("pallasagent", "kept")).metadata;
    await space().waitFor("pallasagent", "kept", `jsonpath={.status.observedGeneration}=${generation}`);
    await space().waitFor("pallasagent", "kept", "condition=Ready");
    const { spec } = await space().get(claimKind, "kept-history");
    expect(spec["resources"]).toEqual({ requests: { storage: "1Gi" } });
    await expect.poll(() => space().condition("pallasagent", "kept", "Available"), patience).toBe("True Available");
  });

  it("comes back when it is deleted by hand", async () => {
    await space().apply(stored("lost"));
    await expect.poll(claims, patience).toContain(claimOf("lost"));
    const { uid } = (await space().get(claimKind, "lost-history")).metadata;
    // With pods on it, it would go only after them.
    await space().kubectl("scale", "pallasagent/lost", "--replicas=0");
    await space().kubectl("delete", claimKind, "lost-history", "--wait=false");
    const next = async () => {
      const claim = await space()
        .get(claimKind, "lost-history")
        .catch(() => undefined); // between the two
      return claim !== undefined && claim.metadata.uid !== uid;
    };
    await expect.poll(next, { timeout: 30_000 }).toBe(true);
  });

  it("OPR-5 one of that name that is not ours is never touched, and no pod gets it", async () => {
    const foreign = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "taken-history" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
    };
    await space().apply(foreign);
    const version = async () => (await space().get(claimKind, "taken-history")).metadata.resourceVersion;
    const before = await version();
    await space().apply(stored("taken"));
    await expect
      .poll(() => space().condition("pallasagent", "taken", "Available"), patience)
      .toBe("False NameConflict");
    expect(await space().list("deployments")).not.toContain("deployment.apps/taken");
    await space().kubectl("delete", "pallasagent", "taken");
    expect(await version()).toBe(before);
  });

  it("what the API server refuses of it is a condition, and the agent goes on with all other changes", async () => {
    await space().apply(stored("grown"));
    await space().waitFor("pallasagent", "grown", "condition=Ready");
    // Not bound to a volume, so that it cannot grow.
    await space().apply(agent({ storage: { size: "2Gi" }, request: { maxSteps: 7 } }, "grown"));
    await expect.poll(() => space().condition("pallasagent", "grown", "Available"), patience).toMatch(/ApiError$/);
    expect(await space().message("pallasagent", "grown", "Available")).toContain("grown-history stays as it is");
    expect((await readRunConfig(space(), "grown"))?.request.maxSteps).toBe(7);
    await space().apply(agent({ storage: { size: "2Gi" }, drainTimeout: "1m" }, "grown"));
    const grace = async () => JSON.stringify((await space().get("deployment", "grown")).spec);
    await expect.poll(grace, patience).toContain('"terminationGracePeriodSeconds":75');
  });

  it("grows where its class allows it", async () => {
    const name = `growing-${space().name}`;
    const storageClass = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name } };
    const bound = { namespace: space().name, name: "bound-history" };
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: name,
        claimRef: bound,
        hostPath: { path: "/nowhere" },
      },
    };
    await space().apply({ ...storageClass, provisioner: "example.com/none", allowVolumeExpansion: true }, volume);
    try {
      await space().apply(stored("bound", { storageClassName: name }));
      await space().waitFor("pallasagent", "bound", "condition=Ready");
      await space().waitFor(claimKind, "bound-history", "jsonpath={.status.phase}=Bound");
      await space().apply(stored("bound", { storageClassName: name, size: "3Gi" }));
      const size = async () => (await space().get(claimKind, "bound-history")).spec["resources"];
      await expect.poll(size, patience).toEqual({ requests: { storage: "3Gi" } });
      // A larger claim holds more histories, which the agent learns with a new pod.
      const available = () => space().condition("pallasagent", "bound", "Available");
      await expect.poll(available, patience).toBe("True Available");
    } finally {
      await space().kubectl("delete", "storageclass,persistentvolume", name, "--wait=false");
    }
  });
});

describe.skipIf(clusterMissing())("OPR-2 all children at rest", () => {
  const space = withSpace("at-rest");

  it("a second operator makes no write at all", async () => {
    const peer = { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] }, ports: [{ port: 1, endPort: 9 }] };
    const everywhere = ["0.0.0.0/0", "::/0"].map((cidr) => ({ ipBlock: { cidr } }));
    await space().apply(
      agent({ storage: { size: "1Gi" } }, "retained"),
      agent({ storage: { size: "1000M", onDelete: "Delete" }, agents: [{ name: "many" }] }, "deleted"),
      agent({ scope: "request", replicas: 2, networkPolicy: { from: [peer], to: [peer, ...everywhere] } }, "many"),
    );
    await space().kubectl("wait", "--for=condition=Ready", "pallasagents,pallasinstances", "--all", "--timeout=60s");
    await space().waitFor("pallasinstance", instance().metadata.name, "jsonpath={.status.agents.ready}=3");
    await space().operator.stop();
    await using second = await startOperator(cluster(), { namespaces: [space().name], env });
    const reconciled = async () =>
      [...(await second.metric("controller_runtime_reconcile_total"))]
        .filter(([labels]) => labels.includes('result="success"'))
        .reduce((sum, [, count]) => sum + count, 0);
    await expect.poll(reconciled, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    await expect
      .poll(async () => [...(await second.metric("workqueue_depth")).values()], patience)
      .toEqual([0, 0, 0, 0]);
    const { GET = 0, ...writes } = await second.requests();
    expect(GET).toBeGreaterThan(0);
    expect(writes).toEqual({});
  });
});
