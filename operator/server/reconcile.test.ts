// The reconciler of tool servers over an API server in this process: the order of its writes, and what its status says.
import { describe, expect, it } from "vitest";
import { serverType } from "../../crds/kinds.ts";
import type { BridgeVerdict } from "../health/bridge-verdict.ts";
import { childTypes } from "../resources.ts";
import { computeKstatus } from "../testing/kstatus.ts";
import { startScene, type Scene } from "../testing/scene.ts";

const bridge = "memory-server";
const packaged = { package: { kind: "npm", name: "@modelcontextprotocol/server-memory", version: "2026.8.31" } };
const direct = { remote: { url: "https://mcp.example.com/mcp" } };
const withSecret = (key: string) => ({
  remote: {
    url: "https://mcp.example.com/mcp",
    headers: [{ name: "Authorization", valueFrom: { secretKeyRef: { name: "keys", key } } }],
  },
});
const conditionOf = (scene: Scene, type: string, name = "memory") =>
  scene.status(serverType, name).conditions?.find((condition) => condition.type === type);
const kstatusOf = (scene: Scene, generation: number) =>
  computeKstatus(JSON.parse(JSON.stringify({ metadata: { generation }, status: scene.status(serverType, "memory") })));
const unhashed = (writes: readonly string[]) => writes.map((write) => write.replace(/-config-\w+$/, "-config"));

/** A scene in which the bridge says what `say` was last given. */
async function startAsking(spec?: object) {
  let verdict: BridgeVerdict | undefined;
  const scene = await startScene({ bridgeHealth: { of: (key) => (key === "agents/memory" ? verdict : undefined) } });
  await scene.putInstance();
  if (spec) await scene.putServer("memory", spec);
  const say = (status: BridgeVerdict["status"] | undefined, message = "") => {
    verdict = status && { status, message };
  };
  return { scene, say };
}

async function startServing(spec: object = packaged) {
  const { scene, say } = await startAsking(spec);
  await scene.reconcileServer("memory");
  await scene.carryOut(bridge);
  say("ok");
  await scene.reconcileServer("memory");
  return { scene, say };
}

describe("DSC-6 the order of a tool server's writes", () => {
  it("is what its pods need before the Deployment, the status last, and none at rest", async () => {
    const { scene } = await startAsking(packaged);
    const { writes } = await scene.reconcileServer("memory");
    expect(unhashed(writes)).toEqual([
      `apply ServiceAccount ${bridge}`,
      `apply ConfigMap ${bridge}-config`,
      `apply NetworkPolicy ${bridge}`,
      `apply Service ${bridge}`,
      `apply Deployment ${bridge}`,
      "status PallasServer memory",
    ]);
    const served = await startServing();
    expect(await served.scene.reconcileServer("memory")).toMatchObject({ writes: [], error: undefined });
    expect(kstatusOf(served.scene, 1)).toBe("Current");
  });

  it("SEC-3 has no Deployment while its policy is refused", async () => {
    const { scene } = await startAsking(packaged);
    scene.refuse("NetworkPolicy");
    expect((await scene.reconcileServer("memory")).error).toMatchObject({ status: 422 });
    expect(scene.child("deployment", bridge)).toBeUndefined();
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "False", reason: "ApiError" });
    expect(scene.status(serverType, "memory").observedGeneration).toBe(-1);
    scene.refuse(undefined);
    await scene.reconcileServer("memory");
    expect(scene.child("deployment", bridge)).toBeDefined();
  });

  it("of one that is called directly is its status alone, and it is Available without being asked", async () => {
    const { scene } = await startAsking(direct);
    expect((await scene.reconcileServer("memory")).writes).toEqual(["status PallasServer memory"]);
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "True", reason: "Available" });
    expect(scene.status(serverType, "memory")).toMatchObject({ url: direct.remote.url, observedGeneration: 1 });
    expect(kstatusOf(scene, 1)).toBe("Current");
  });

  it("takes its bridge away once it needs none any more", async () => {
    const { scene } = await startServing(withSecret("one"));
    await scene.putServer("memory", direct);
    const { writes, error } = await scene.reconcileServer("memory");
    expect(error).toBeUndefined();
    expect(unhashed(writes)).toEqual([
      `delete Deployment ${bridge}`,
      `delete Service ${bridge}`,
      `delete ServiceAccount ${bridge}`,
      `delete NetworkPolicy ${bridge}`,
      `delete ConfigMap ${bridge}-config`,
      "status PallasServer memory",
    ]);
  });
});

describe("OPR-2 a tool server that is edited", () => {
  it("runs on a configuration of its own for each state, and old ones go when no pod can need them", async () => {
    const { scene } = await startServing();
    const type = childTypes.configMap;
    for (const timeout of ["5s", "6s", "7s", "8s", "9s"]) {
      await scene.putServer("memory", { ...packaged, timeout });
      await scene.reconcileServer("memory");
      await scene.carryOut(bridge);
      await scene.reconcileServer("memory");
    }
    // The newest, and one for each older ReplicaSet that the Deployment keeps.
    expect(scene.fake.list(type)).toHaveLength(4);
  });

  it("SEC-3 lets in the agents that name it, as they come and go, by its policy alone", async () => {
    const { scene } = await startServing();
    const naming = async (name: string, servers: { name: string }[]) => {
      await scene.putAgent(name, { servers });
      return (await scene.reconcileServer("memory")).writes;
    };
    const callers = () =>
      /"values":(\[[^\]]*\])/.exec(JSON.stringify(scene.fake.get(bridge, "agents", childTypes.networkPolicy)))?.[1];
    expect(await naming("zeta", [{ name: "memory" }])).toEqual([`apply NetworkPolicy ${bridge}`]);
    expect(await naming("alpha", [{ name: "memory" }, { name: "files" }])).toEqual([`apply NetworkPolicy ${bridge}`]);
    expect(await naming("other", [{ name: "files" }])).toEqual([]);
    expect(callers()).toBe('["alpha","zeta"]');
    expect(await naming("zeta", [])).toEqual([`apply NetworkPolicy ${bridge}`]);
    expect(callers()).toBe('["alpha"]');
  });

  it("has children put back that somebody changed or removed", async () => {
    const { scene } = await startServing();
    await scene.putChild("service", bridge, (child) => ({ ...child, spec: { type: "LoadBalancer" } }));
    await scene.removeChild("networkPolicy", bridge);
    const { writes } = await scene.reconcileServer("memory");
    expect(writes).toEqual([`apply NetworkPolicy ${bridge}`, `apply Service ${bridge}`]);
  });
});

describe("DSC-6 whether a tool server is Available", () => {
  it("is said by its pods first, and by its bridge once they serve", async () => {
    const { scene, say } = await startAsking(packaged);
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Available")).toMatchObject({
      ...{ status: "False", reason: "Progressing" },
      message:
        "0 of 1 pods are available; if this lasts, kubectl describe pods --selector=pallas.helu.ca/server=memory says why",
    });
    await scene.carryOut(bridge);
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "False", reason: "ServerStarting" });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
    say("ok");
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "True", reason: "Available" });
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "True", message: "its tools can be called" });
  });

  it.each([
    ["starting", "False", "ServerStarting", "the server has not answered yet: npm is loading"],
    ["down", "False", "ServerDown", "the server cannot be started or reached: npm is loading"],
    ["silent", "True", "Available", "its bridge cannot be asked how the server is: npm is loading"],
  ] as const)("with a bridge that says %s it is %s", async (state, status, reason, message) => {
    const { scene, say } = await startServing();
    say(state, "npm is loading");
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Available")).toMatchObject({
      status,
      reason,
      message: expect.stringContaining(message),
    });
    expect(conditionOf(scene, "Ready")?.status).toBe(status);
    expect(conditionOf(scene, "Stalled")).toMatchObject({ status: "False" });
  });

  it.each([
    ["down", "ServerDown"],
    ["starting", "ServerStarting"],
  ] as const)("says the server's last words where its pods are not ready for it: %s", async (state, reason) => {
    const { scene, say } = await startAsking(packaged);
    await scene.reconcileServer("memory");
    say(state, "404 Not Found: no-such-package");
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Available")).toMatchObject({
      reason,
      message: expect.stringContaining("no-such-package"),
    });
  });

  it.each([
    ["ok", "True", "Available"],
    ["down", "False", "ServerDown"],
  ] as const)(
    "stays what it was (%s) until a new operator has asked, and nothing is written",
    async (state, status, reason) => {
      const { scene, say } = await startServing();
      say(state, "x");
      await scene.reconcileServer("memory");
      say(undefined);
      expect((await scene.reconcileServer("memory")).writes).toEqual([]);
      expect(conditionOf(scene, "Available")).toMatchObject({ status, reason });
    },
  );

  it("is not asked of one that is not active: nothing runs, and it is as it should be", async () => {
    const { scene } = await startServing();
    await scene.putServer("memory", { ...packaged, active: false });
    await scene.reconcileServer("memory");
    expect(scene.fake.get(bridge, "agents", childTypes.deployment)?.["spec"]).toMatchObject({ replicas: 0 });
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "True", reason: "Inactive" });
    expect(conditionOf(scene, "Ready")).toMatchObject({
      status: "True",
      message: expect.stringContaining("set spec.active to true"),
    });
    expect(kstatusOf(scene, 2)).toBe("Current");
  });

  it("is Stalled where its newest pods make no progress", async () => {
    const { scene } = await startServing();
    const gaveUp = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }];
    await scene.carryOut(bridge, { replicas: 1, updatedReplicas: 1, conditions: gaveUp });
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Stalled")).toMatchObject({ status: "True" });
  });
});

describe("OPR-5 a tool server with a validation error", () => {
  it("says each with its cure, and what runs goes on running", async () => {
    const { scene } = await startServing();
    const faulty = { ...packaged, env: [{ name: "HOME", value: "/" }], egress: [{ host: "169.254.169.254" }] };
    await scene.putServer("memory", faulty);
    expect((await scene.reconcileServer("memory")).writes).toEqual(["status PallasServer memory"]);
    expect(conditionOf(scene, "Accepted")).toMatchObject({ status: "False", reason: "InvalidField" });
    expect(conditionOf(scene, "Accepted")?.message).toMatch(/spec\.egress\[0\].*spec\.env\[0\]/);
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "True" });
    expect(kstatusOf(scene, 2)).toBe("Failed");
  });

  it("is one of a cluster where it is a program of one machine", async () => {
    const { scene } = await startAsking({ local: { command: "node", args: ["server.js"] } });
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Accepted")).toMatchObject({ status: "False", reason: "LocalOnly" });
    expect(conditionOf(scene, "Ready")).toMatchObject({ status: "False" });
  });

  it("waits for its instance, as an agent does", async () => {
    const { scene } = await startAsking();
    await scene.putServer("memory", { ...packaged, instanceRef: { name: "gaia" } });
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Accepted")).toMatchObject({ status: "Unknown", reason: "InstanceNotFound" });
    expect(kstatusOf(scene, 1)).toBe("InProgress");
  });

  it("leaves a name to the earlier of two, and takes it when that is gone", async () => {
    const { scene } = await startServing();
    await scene.putServer("other", { ...direct, serverName: "memory" });
    await scene.reconcileServer("other");
    expect(conditionOf(scene, "Accepted", "other")).toMatchObject({ status: "False", reason: "DuplicateName" });
    scene.fake.remove("memory", { type: serverType, namespace: "agents" });
    await expect.poll(() => scene.caches.servers.store.get("agents/memory")).toBeUndefined();
    await scene.reconcileServer("other");
    expect(conditionOf(scene, "Accepted", "other")).toMatchObject({ status: "True" });
  });

  it("advises a version, which it needs not to be accepted", async () => {
    const { scene } = await startAsking({ package: { kind: "pypi", name: "mcp-server-time" } });
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Accepted")).toMatchObject({
      status: "True",
      message: expect.stringMatching(/^belongs to PallasInstance "ouranos"; spec\.package\.version: /),
    });
  });

  it("never touches what an agent of that name has, and says so", async () => {
    const { scene } = await startAsking();
    await scene.putChild("service", bridge, () => ({ metadata: { labels: { "pallas.helu.ca/component": "x" } } }));
    await scene.putServer("memory", packaged);
    await scene.reconcileServer("memory");
    expect(conditionOf(scene, "Available")).toMatchObject({ status: "False", reason: "NameConflict" });
    expect(conditionOf(scene, "Stalled")).toMatchObject({ status: "True" });
    expect(scene.child("service", bridge)?.metadata.labels).toMatchObject({ "pallas.helu.ca/component": "x" });
  });
});

describe("DSC-12 what the gateway writes of a server's tools", () => {
  const gatewayPart = {
    toolCount: 9,
    toolsHash: "abc",
    listedAt: "2026-11-21T11:00:00Z",
    pinned: [{ name: "read", hash: "def" }],
  };
  const condition = (type: string, message: string) => ({
    ...{ type, message, status: "True", reason: "Listed", observedGeneration: 1 },
    lastTransitionTime: "2026-11-21T11:00:00Z",
  });
  const written = [condition("Indexed", "9 tools"), condition("Pinned", "")];

  it("causes no write of the operator, and is in none of its own", async () => {
    const { scene, say } = await startServing();
    await scene.putStatus(serverType, "memory", (status: { conditions?: object[] }) => ({
      ...status,
      ...gatewayPart,
      conditions: [...(status.conditions ?? []), ...written],
    }));
    expect((await scene.reconcileServer("memory")).writes).toEqual([]);
    say("down", "exit 1");
    expect((await scene.reconcileServer("memory")).writes).toEqual(["status PallasServer memory"]);
    const sent = JSON.parse(JSON.stringify(scene.fake.seen("write").at(-1)?.body?.["status"]));
    expect(Object.keys(sent).toSorted()).toEqual(["conditions", "observedGeneration", "url"]);
    expect(sent.conditions.map(({ type }: { type: string }) => type).toSorted()).toEqual([
      "Accepted",
      "Available",
      "Ready",
      "Reconciling",
      "Stalled",
    ]);
  });
});
