// The operator against a real API server with real controllers: what it makes of the quickstart, how it follows edits,
// and what it leaves alone. Only the kubelet is a stand-in.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { startOperator } from "./operator-process.ts";
import { readRunConfig, watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const quickstart = join(import.meta.dirname, "../../examples/quickstart");
const apiVersion = "pallas.helu.ca/v1alpha1";
const childKinds = [
  "deployments",
  "services",
  "configmaps",
  "serviceaccounts",
  "roles",
  "rolebindings",
  "networkpolicies",
  "poddisruptionbudgets",
];

async function readQuickstart(): Promise<object[]> {
  const files = (await readdir(quickstart)).filter((name) => name.endsWith(".yaml") && name !== "local-secret.yaml");
  const texts = await Promise.all(files.map((name) => readFile(join(quickstart, name), "utf8")));
  return texts
    .flatMap((text) => loadAll(text))
    .filter((value): value is object => typeof value === "object" && value !== null);
}

const instance = (name: string, spec: object = {}) => ({
  apiVersion,
  kind: "PallasInstance",
  metadata: { name },
  spec: { registryNamespace: "com.example", defaultModel: "passthrough", ...spec },
});
const agent = (name: string, spec: object = {}, of = "team") => ({
  apiVersion,
  kind: "PallasAgent",
  metadata: { name },
  spec: { instanceRef: { name: of }, ...spec },
});

const ours = (names: string[]) =>
  names.filter((name) => !/kube-root-ca|serviceaccount\/default$|\/pallas-operator(-election)?$/.test(name));

describe.skipIf(clusterMissing())("OPR-1 OPR-3 OPR-4 the quickstart in a cluster", () => {
  let space: WatchedNamespace;
  beforeAll(async () => {
    space = await watchNamespace("quickstart");
    await space.apply(...(await readQuickstart()));
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents,pallasinstances", "--all", "--timeout=60s");
    // How many agents are ready is counted a moment later.
    await space.waitFor("pallasinstance", "quickstart", "jsonpath={.status.agents.ready}=3");
  });
  afterAll(() => space[Symbol.asyncDispose]());

  it("has every child of every agent and of the instance, and nothing else", async () => {
    const agents = (await space.list("pallasagents")).map((name) => name.split("/")[1] ?? "");
    const [instance] = (await space.list("pallasinstances")).map((name) => name.split("/")[1]);
    const expected = [
      ...agents.flatMap((name) => [
        `deployment.apps/${name}`,
        `service/${name}`,
        `configmap/${name}-live-config`,
        `configmap/${name}-run-config-#`,
        `serviceaccount/${name}-agent`,
        `networkpolicy.networking.k8s.io/${name}`,
      ]),
      ...["registry", "gateway"].flatMap((program) => [
        ...["deployment.apps", "service", "serviceaccount"].map((kind) => `${kind}/${instance}-${program}`),
        `role.rbac.authorization.k8s.io/${instance}-${program}`,
        `rolebinding.rbac.authorization.k8s.io/${instance}-${program}`,
        `networkpolicy.networking.k8s.io/${instance}-${program}`,
      ]),
      `configmap/${instance}-gateway-config-#`,
    ];
    expect(agents).toHaveLength(3);
    const found = ours(await space.list(...childKinds)).map((name) => name.replace(/[0-9a-f]{16}$/, "#"));
    expect(found).toEqual(expected.toSorted());
  });

  it("says the state of each agent and of the instance for the generation that is there", async () => {
    const [name = ""] = (await space.list("pallasagents")).map((entry) => entry.split("/")[1]);
    const { metadata, status } = await space.get("pallasagent", name);
    expect(status).toMatchObject({
      observedGeneration: metadata.generation,
      url: `http://${name}.${space.name}.svc:8080/mcp`,
      replicas: 1,
      readyReplicas: 1,
      selector: `pallas.helu.ca/agent=${name}`,
    });
    for (const condition of status?.conditions ?? []) expect(condition.observedGeneration).toBe(metadata.generation);
    const [of = ""] = (await space.list("pallasinstances")).map((entry) => entry.split("/")[1]);
    expect((await space.get("pallasinstance", of)).status).toMatchObject({
      agents: { total: 3, ready: 3 },
      registryUrl: `http://${of}-registry.${space.name}.svc:24200`,
    });
  });

  it("OPR-2 a second operator makes no write at all", async () => {
    await space.operator.stop();
    await using second = await startOperator(cluster(), { namespaces: [space.name] });
    await expect
      .poll(
        async () => {
          const done = await second.metric("controller_runtime_reconcile_total");
          return [...done].filter(([labels]) => labels.includes('result="success"')).map(([, count]) => count > 0);
        },
        { timeout: 20_000 },
      )
      // Agents, tool servers and policies, of which there are none, and instances.
      .toEqual([true, false, false, true]);
    await expect
      .poll(async () => [...(await second.metric("workqueue_depth")).values()], { timeout: 10_000 })
      .toEqual([0, 0, 0, 0]);
    const { GET = 0, ...writes } = await second.requests();
    expect(GET).toBeGreaterThan(0);
    expect(writes).toEqual({});
  });
});

describe.skipIf(clusterMissing())("the operator follows edits", () => {
  let space: WatchedNamespace;
  beforeAll(async () => {
    space = await watchNamespace("edits");
    await space.apply(instance("team", { servers: [{ name: "argos", url: "http://argos:1/mcp" }] }));
    await space.apply(agent("alpha", { servers: [{ name: "argos" }] }), agent("beta"));
    await space.kubectl("wait", "--for=condition=Ready", "pallasagents", "--all", "--timeout=60s");
  });
  afterAll(() => space[Symbol.asyncDispose]());

  const versions = async () => {
    const names = ours(await space.list(...childKinds));
    const generation = async (name: string) => {
      const [kind = "", object = ""] = name.split("/");
      const { metadata, data } = await space.get(kind, object);
      return [name, data ? JSON.stringify(data) : metadata.generation] as const;
    };
    return new Map(await Promise.all(names.map(generation)));
  };
  const changedSince = async (before: Map<string, unknown>) => {
    const after = await versions();
    return [...after]
      .filter(([name, version]) => before.get(name) !== version)
      .map(([name]) => name.replace(/[0-9a-f]{16}$/, "#"))
      .toSorted();
  };

  it("OPR-2 a changed field changes exactly the children it concerns", async () => {
    const before = await versions();
    await space.apply(agent("alpha", { servers: [{ name: "argos" }], request: { maxSteps: 7 } }));
    await expect
      .poll(() => changedSince(before), { timeout: 10_000 })
      .toEqual(["configmap/alpha-run-config-#", "deployment.apps/alpha"]);
    expect((await readRunConfig(space, "alpha"))?.request.maxSteps).toBe(7);
  });

  it("OPR-2 an edit of the instance rolls only the agents that use what changed", async () => {
    await space.waitFor("pallasagent", "alpha", "condition=Ready");
    const before = await versions();
    await space.apply(instance("team", { servers: [{ name: "argos", url: "http://argos:2/mcp" }] }));
    await expect
      .poll(() => changedSince(before), { timeout: 10_000 })
      .toEqual(["configmap/alpha-run-config-#", "deployment.apps/alpha"]);
  });

  it("OPR-2 OPR-10 kubectl scale moves the agent, and the Deployment follows", async () => {
    await space.apply(agent("beta", { scope: "request" }));
    await space.kubectl("scale", "pallasagent/beta", "--replicas=3");
    await expect
      .poll(async () => (await space.get("deployment", "beta")).spec["replicas"], { timeout: 10_000 })
      .toBe(3);
    await space.waitFor("pallasagent", "beta", "jsonpath={.status.readyReplicas}=3");
    await space.kubectl("scale", "pallasagent/beta", "--replicas=1");
    await space.waitFor("pallasagent", "beta", "jsonpath={.status.replicas}=1");
  });

  it("OPR-10 more replicas with a scope that keeps history are refused with the cure", async () => {
    await space.apply(agent("gamma", { replicas: 2 }));
    await expect
      .poll(() => space.condition("pallasagent", "gamma", "Accepted"), { timeout: 10_000 })
      .toBe("False ScopeNeedsSharedStore");
    expect(await space.message("pallasagent", "gamma", "Accepted")).toContain("spec.scope to request");
    expect(await space.list("deployments")).not.toContain("deployment.apps/gamma");
    await space.kubectl("delete", "pallasagent", "gamma");
  });

  it("OPR-5 deleted and edited children come back", async () => {
    await space.kubectl("delete", "service", "alpha");
    await expect.poll(() => space.list("services"), { timeout: 5_000 }).toContain("service/alpha");
    await space.kubectl("set", "image", "deployment/alpha", "agent=somebody/else:1");
    await expect
      .poll(async () => JSON.stringify((await space.get("deployment", "alpha")).spec), { timeout: 5_000 })
      .toContain("pallas/agent:test");
  });

  it("OPR-5 SEC-2 an object of the same name that is not ours is never touched", async () => {
    await space.kubectl("create", "service", "clusterip", "delta", "--tcp=80:80");
    const foreign = await space.get("service", "delta");
    await space.apply(agent("delta"));
    await expect
      .poll(() => space.condition("pallasagent", "delta", "Available"), { timeout: 10_000 })
      .toBe("False NameConflict");
    expect((await space.get("service", "delta")).metadata.resourceVersion).toBe(foreign.metadata.resourceVersion);
    expect(await space.condition("pallasagent", "delta", "Stalled")).toBe("True Faulty");
    await space.kubectl("delete", "pallasagent", "delta");
  });

  it("OPR-5 a deleted agent leaves nothing behind", async () => {
    await space.kubectl("delete", "pallasagent", "beta");
    await expect
      .poll(
        async () => (await space.list(...childKinds, "pods", "replicasets")).filter((name) => name.includes("beta")),
        { timeout: 40_000 },
      )
      .toEqual([]);
  });

  it("OPR-5 an agent whose instance disappears keeps running and says so", async () => {
    await space.kubectl("delete", "pallasinstance", "team");
    await expect
      .poll(() => space.condition("pallasagent", "alpha", "Accepted"), { timeout: 10_000 })
      .toBe("Unknown InstanceNotFound");
    expect(await space.list("deployments")).toContain("deployment.apps/alpha");
    expect(await space.condition("pallasagent", "alpha", "Available")).toBe("True Available");
  });
});

describe.skipIf(clusterMissing())("OPR-4 dependencies", () => {
  let space: WatchedNamespace;
  beforeAll(async () => {
    space = await watchNamespace("depends");
    await space.apply(instance("team"));
  });
  afterAll(() => space[Symbol.asyncDispose]());

  it("an agent's Deployment is made once what it depends on is Ready, and stays when that fails later", async () => {
    space.kubelet.hold("archive");
    await space.apply(agent("research", { agents: [{ name: "archive" }] }), agent("archive"));
    await expect.poll(() => space.list("deployments"), { timeout: 10_000 }).toContain("deployment.apps/archive");
    await expect
      .poll(() => space.condition("pallasagent", "research", "DependenciesReady"))
      .toBe("False WaitingForDependencies");
    expect(await space.list("deployments")).not.toContain("deployment.apps/research");
    space.kubelet.release("archive");
    await space.waitFor("pallasagent", "research", "condition=Ready");

    space.kubelet.hold("archive");
    await space.kubectl("delete", "pods", "--selector=pallas.helu.ca/agent=archive");
    await expect
      .poll(() => space.condition("pallasagent", "research", "DependenciesReady"), { timeout: 15_000 })
      .toBe("False DependencyNotReady");
    // Deleted by hand, it comes back: it waits for its dependencies once only.
    await space.kubectl("delete", "deployment", "research");
    await expect.poll(() => space.list("deployments"), { timeout: 10_000 }).toContain("deployment.apps/research");
    space.kubelet.release("archive");
    await space.waitFor("pallasagent", "research", "condition=Ready");
  });

  it("a cycle is refused with its name, and clears when it is broken", async () => {
    await space.apply(
      agent("one", { dependsOn: ["two"] }),
      agent("two", { dependsOn: ["three"] }),
      agent("three", { dependsOn: ["one"] }),
    );
    await expect
      .poll(() => space.condition("pallasagent", "one", "ReferencesResolved"), { timeout: 10_000 })
      .toBe("False DependencyCycle");
    expect(await space.message("pallasagent", "one", "ReferencesResolved")).toContain("one → two → three → one");
    expect(await space.list("deployments")).not.toContain("deployment.apps/one");
    await space.kubectl("patch", "pallasagent", "three", "--type=merge", '--patch={"spec":{"dependsOn":[]}}');
    await space.waitFor("pallasagent", "one", "condition=Ready");
  });

  it("CFG-5 a reference to nothing names what there is, and resolves when the thing appears", async () => {
    await space.apply(agent("lonely", { agents: [{ name: "later" }] }));
    await expect
      .poll(() => space.condition("pallasagent", "lonely", "ReferencesResolved"), { timeout: 10_000 })
      .toBe("False AgentNotFound");
    await space.apply(agent("later"));
    await space.waitFor("pallasagent", "lonely", "condition=Ready");
  });
});
