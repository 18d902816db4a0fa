// Tool servers on a real API server, by an operator that holds its own rights and no more: their children come, change and go
// with them, agents that name them follow, and what a gateway writes of their tools stays beside what the operator says.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterMissing } from "../cluster/cluster.ts";
import { agent, instance } from "./attacks/manifests.ts";
import { readRunConfig, watchNamespace, type WatchedNamespace } from "./watched-namespace.ts";

const patience = { timeout: 15_000 };
const npm = { kind: "npm", name: "@modelcontextprotocol/server-memory", version: "2026.8.31" };
const env = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } }];
const url = "https://mcp.example.com/mcp";
const server = (name: string, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasServer",
  metadata: { name },
  spec: { instanceRef: { name: instance().metadata.name }, ...spec },
});
const childKinds = ["deployment", "service", "serviceaccount", "networkpolicy", "configmap"];
const children = (name: string) => [
  `configmap/${name}-config`,
  `deployment.apps/${name}`,
  `networkpolicy.networking.k8s.io/${name}`,
  `service/${name}`,
  `serviceaccount/${name}`,
];

describe.skipIf(clusterMissing())("DSC-6 tool servers in a cluster", () => {
  let space: WatchedNamespace;
  let health: Server;
  /** What each bridge says; undefined: it breaks the connection. */
  const reports = new Map<string, object>();

  const there = async (name: string) =>
    (await space.list(...childKinds))
      .map((each) => each.replace(/-config-[0-9a-f]{16}$/, "-config"))
      .filter((each) => each.endsWith(`/${name}`) || each.endsWith(`/${name}-config`));
  const conditions = async (name: string) =>
    Promise.all(["Accepted", "Available", "Ready"].map((type) => space.condition("pallasserver", name, type)));
  const versions = async (name: string) => (await space.get("pallasserver", name)).metadata.resourceVersion;
  const deploymentSpec = async (name: string) => JSON.stringify((await space.get("deployment", name)).spec);

  beforeAll(async () => {
    health = createServer((request, response) => {
      const report = reports.get(request.url?.split("/").at(-1) ?? "");
      if (report) response.end(JSON.stringify(report));
      else request.socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(health, "listening");
    const address = health.address();
    if (address === null || typeof address === "string") throw new Error("expected a TCP port");
    space = await watchNamespace("servers", {
      PALLAS_BRIDGE_HEALTH_URL: `http://127.0.0.1:${address.port}/{namespace}/{name}`,
      PALLAS_HEALTH_INTERVAL_MS: "1000",
    });
    await space.apply(instance());
    await space.waitFor("pallasinstance", instance().metadata.name, "condition=Ready");
  });
  afterAll(async () => {
    health.closeAllConnections();
    health.close();
    await space[Symbol.asyncDispose]();
  });

  it("have their children, and are Ready once their bridge says that they answer", async () => {
    reports.set("memory", { status: "starting", processes: 0, message: "npm fetches it" });
    await space.apply(server("memory", { package: npm, env }));
    await expect.poll(() => there("memory-server"), patience).toEqual(children("memory-server"));
    await expect
      .poll(() => conditions("memory"), patience)
      .toEqual(["True Accepted", "False ServerStarting", "False NotReady"]);
    expect(await space.message("pallasserver", "memory", "Available")).toContain("npm fetches it");
    reports.set("memory", { status: "ok", processes: 1, toolCount: 9 });
    await space.waitFor("pallasserver", "memory", "condition=Ready");
    const { status } = await space.get("pallasserver", "memory");
    expect(status).toMatchObject({ observedGeneration: 1, url: `http://memory-server.${space.name}.svc:8080/mcp` });
  });

  it("OPR-2 are written no more at rest", async () => {
    const before = await space.operator.requests();
    // Two rounds of questions.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const { PATCH = 0, POST = 0, DELETE = 0 } = await space.operator.requests();
    expect([PATCH, POST, DELETE]).toEqual([before["PATCH"] ?? 0, before["POST"] ?? 0, before["DELETE"] ?? 0]);
  });

  it("have a Secret's key in their own pod alone, and its value nowhere", async () => {
    expect(await deploymentSpec("memory-server")).toContain('"path":"keys/token"');
    const all = await space.kubectl("get", "deployment,configmap,service", "--output=json");
    const named = JSON.parse(all).items.filter((each: object) => JSON.stringify(each).includes('"keys/token"'));
    expect(named.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(["memory-server"]);
  });

  it("say their last words when they are down, and follow edits and edits by hand", async () => {
    reports.set("memory", { status: "down", processes: 0, message: "exited with 1: no such graph" });
    await expect
      .poll(() => conditions("memory"), patience)
      .toEqual(["True Accepted", "False ServerDown", "False NotReady"]);
    expect(await space.message("pallasserver", "memory", "Available")).toContain("no such graph");
    reports.set("memory", { status: "ok", processes: 1 });
    const before = await deploymentSpec("memory-server");
    await space.apply(server("memory", { package: npm, env, timeout: "5s" }));
    await expect.poll(() => deploymentSpec("memory-server"), patience).not.toBe(before);
    await space.kubectl("delete", "networkpolicy", "memory-server");
    await space.kubectl(
      "patch",
      "service",
      "memory-server",
      "--type=merge",
      '--patch={"spec":{"ports":[{"name":"mcp","port":1}]}}',
    );
    await expect
      .poll(() => there("memory-server"), patience)
      .toContain("networkpolicy.networking.k8s.io/memory-server");
    const port = async () => JSON.stringify((await space.get("service", "memory-server")).spec["ports"]);
    await expect.poll(port, patience).toContain('"port":8080');
    await space.waitFor("pallasserver", "memory", "condition=Ready");
  });

  it("run nothing while they are not active, and are as they should be", async () => {
    await space.apply(server("memory", { package: npm, env, timeout: "5s", active: false }));
    await expect.poll(() => conditions("memory"), patience).toEqual(["True Accepted", "True Inactive", "True Ready"]);
    await expect.poll(() => deploymentSpec("memory-server"), patience).toContain('"replicas":0');
    await space.apply(server("memory", { package: npm, env, timeout: "5s" }));
    await expect.poll(() => conditions("memory"), patience).toEqual(["True Accepted", "True Available", "True Ready"]);
  });

  it("DSC-12 keep what a gateway wrote of their tools, whoever writes last", async () => {
    const at = "2026-11-21T11:00:00Z";
    const condition = (type: string, reason: string) => ({
      ...{ type, status: "True", reason, message: "", lastTransitionTime: at, observedGeneration: 1 },
    });
    const part = {
      toolCount: 9,
      toolsHash: "abc",
      listedAt: at,
      pinned: [{ name: "read_graph", hash: "def" }],
      conditions: [condition("Indexed", "Listed"), condition("Pinned", "Pinned")],
    };
    const { apiVersion, kind, metadata } = server("memory", {});
    const manifest = JSON.stringify({ apiVersion, kind, metadata, status: part });
    const applied = [
      "apply",
      "--server-side",
      "--subresource=status",
      "--field-manager=pallas-gateway",
      "--filename=-",
    ];
    await space.kubectlWith(manifest, ...applied);
    const written = await versions("memory");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await versions("memory")).toBe(written);
    reports.set("memory", { status: "down", processes: 0, message: "exit 2" });
    await expect.poll(() => space.condition("pallasserver", "memory", "Available"), patience).toBe("False ServerDown");
    const { status } = await space.get("pallasserver", "memory");
    expect(status).toMatchObject({ ...part, conditions: expect.arrayContaining(part.conditions) });
    // And the gateway's next write takes nothing of the operator's.
    await space.kubectlWith(manifest, ...applied);
    expect(await conditions("memory")).toEqual(["True Accepted", "False ServerDown", "False NotReady"]);
    reports.set("memory", { status: "ok", processes: 1 });
    await space.waitFor("pallasserver", "memory", "condition=Ready");
  });

  it("CFG-5 say every validation error with its cure, and refuse what only a machine can run", async () => {
    await space.apply(
      server("program", { local: { command: "node" } }),
      server("unversioned", { package: { kind: "pypi", name: "mcp-server-time" } }),
    );
    await expect
      .poll(() => conditions("program"), patience)
      .toEqual(["False LocalOnly", "False Unavailable", "False NotReady"]);
    await expect
      .poll(() => space.message("pallasserver", "unversioned", "Accepted"), patience)
      .toContain("spec.package.version");
    await space.kubectl("delete", "pallasserver", "program", "unversioned");
  });

  it("share no name: the earlier one has it, and the next takes it when that goes", async () => {
    await space.apply(server("graph", { serverName: "memory", remote: { url } }));
    await expect
      .poll(() => conditions("graph"), patience)
      .toEqual(["False DuplicateName", "False Unavailable", "False NotReady"]);
  });

  it("are found by the agents that name them as they come, change and go", async () => {
    const used = async () => (await readRunConfig(space, "user"))?.servers.map(({ name, url: at }) => `${name} ${at}`);
    await space.apply(agent({ servers: [{ name: "later" }] }, "user"));
    await expect
      .poll(() => space.condition("pallasagent", "user", "ReferencesResolved"), patience)
      .toBe("False ServerNotFound");
    await space.apply(server("s1", { serverName: "later", package: npm }));
    await expect.poll(used, patience).toEqual([`later http://s1-server.${space.name}.svc:8080/mcp`]);
    const policy = async () => JSON.stringify((await space.get("networkpolicy", "user")).spec["egress"]);
    expect(await policy()).toContain('"values":["s1"]');
    const callers = async () => JSON.stringify((await space.get("networkpolicy", "s1-server")).spec["ingress"]);
    await expect.poll(callers, patience).toContain('"values":["user"]');
    await space.apply(agent({ servers: [{ name: "later" }] }, "second"));
    await expect.poll(callers, patience).toContain('"values":["second","user"]');
    await space.kubectl("delete", "pallasagent", "second");
    await expect.poll(callers, patience).toContain('"values":["user"]');
    await space.apply(server("s1", { serverName: "later", remote: { url } }));
    await expect.poll(used, patience).toEqual([`later ${url}`]);
    await expect.poll(() => there("s1-server"), patience).toEqual([]);
    await space.kubectl("delete", "pallasserver", "s1");
    await expect
      .poll(() => space.condition("pallasagent", "user", "ReferencesResolved"), patience)
      .toBe("False ServerNotFound");
    await space.kubectl("delete", "pallasagent", "user");
  });

  it("OPR-5 leave alone an agent that has the name of their pods, and say so", async () => {
    await space.apply(agent({}, "tools-server"));
    await space.waitFor("pallasagent", "tools-server", "condition=Ready");
    await space.apply(server("tools", { package: npm }));
    await expect.poll(() => space.condition("pallasserver", "tools", "Accepted"), patience).toBe("False DuplicateName");
    expect(await deploymentSpec("tools-server")).toContain("pallas/agent:test");
    await space.kubectl("delete", "pallasagent", "tools-server");
    await expect.poll(() => there("tools-server"), patience).toEqual(children("tools-server"));
  });

  it("go with everything that was made for them", async () => {
    await space.kubectl("delete", "pallasserver", "memory", "tools");
    await expect
      .poll(async () => [...(await there("memory-server")), ...(await there("tools-server"))], patience)
      .toEqual([]);
    // The name is free now.
    await expect.poll(() => space.condition("pallasserver", "graph", "Accepted"), patience).toBe("True Accepted");
  });
});
