// What a gateway knows from watches of an API server, and whose account it says a token names.
import { describe, expect, it, onTestFinished } from "vitest";
import { agentType, approvalType, instanceType, policyType, registrationType, serverType } from "../../crds/kinds.ts";
import { labels } from "../../crds/names.ts";
import type { ClusterAccount } from "../../lib/auth/cluster-tokens.ts";
import { endpointSliceType } from "../../lib/kube/endpoint-slice.ts";
import { FakeApiServer } from "../../lib/kube/testing/fake-api-server.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createTransport } from "../../lib/kube/transport.ts";
import { questionOf } from "../approvals/testing/scene.ts";
import { agentManifest, instanceManifest, registrationManifestOf, serverManifestOf } from "../testing/resources.ts";
import { createClusterState } from "./cluster-state.ts";
import { configMapType, presetLabel } from "./presets.ts";
import type { StateChange } from "./state.ts";
import { serviceAccountType } from "./watched-objects.ts";

const namespace = "agents";
const generation = 1;
const nothing: StateChange = {
  agents: [],
  servers: [],
  registrations: [],
  policies: [],
  approvals: [],
  instance: false,
};

async function startServer() {
  const kube = await FakeApiServer.start();
  onTestFinished(() => kube.stop());
  const putAgent = (name: string, spec: object = {}) =>
    kube.put(name, { spec: agentManifest(name, spec).spec }, { type: agentType, namespace, metadata: { generation } });
  return {
    kube,
    putAgent,
    putInstance: (name = "ouranos", spec: object = {}, generationOf = generation) =>
      kube.put(
        name,
        { spec: instanceManifest(spec).spec },
        { type: instanceType, namespace, metadata: { generation: generationOf } },
      ),
    putServer: (name: string, spec: object = {}, generationOf = generation) =>
      kube.put(
        name,
        { spec: serverManifestOf(name, spec).spec },
        { type: serverType, namespace, metadata: { generation: generationOf } },
      ),
    putRegistration: (name: string, spec: object = {}) =>
      kube.put(
        name,
        { spec: registrationManifestOf(name, spec).spec },
        { type: registrationType, namespace, metadata: { generation } },
      ),
    /** The account of an agent, or anybody's. */
    putAccount: (name: string, owner?: { name: string; uid: string }) =>
      kube.put(
        name,
        {},
        {
          type: serviceAccountType,
          namespace,
          metadata: {
            ownerReferences: [owner]
              .filter((each) => each !== undefined)
              .map((each) => ({
                apiVersion: "pallas.helu.ca/v1alpha1",
                kind: "PallasAgent",
                controller: true,
                ...each,
              })),
          },
        },
      ),
    putSlice: (owner: string, endpoints: object[], component: "agent" | "server" = "agent") =>
      kube.put(
        `${owner}-slice`,
        { addressType: "IPv4", endpoints },
        {
          type: endpointSliceType,
          namespace,
          metadata: {
            labels: { [labels.component]: component, [labels[component]]: owner, [labels.instance]: "ouranos" },
          },
        },
      ),
  };
}

function follow(kube: FakeApiServer) {
  const transport = createTransport({ kubeConfig: kube.kubeConfig(), userAgent: "test", maxTries: 1 });
  const state = createClusterState({ transport, namespace, instance: "ouranos", log: silentLog() });
  const changes: StateChange[] = [];
  state.onChange((change) => changes.push(change));
  state.start();
  onTestFinished(async () => {
    await state.stop();
    await transport.close();
  });
  const ready = async () => {
    await expect.poll(() => state.observeUnready()).toBeUndefined();
  };
  return { state, changes, ready };
}

const podOf = (name: string, ready = true) => ({
  addresses: ["10.0.0.7"],
  conditions: { ready },
  targetRef: { kind: "Pod", name, uid: `uid-of-${name}` },
});
const accountOf = (name: string, uid: string, pod?: string): ClusterAccount => ({
  issuer: "https://kubernetes.default.svc",
  namespace,
  name,
  uid,
  expiresAtMs: 0,
  ...(pod !== undefined && { pod: { name: pod, uid: `uid-of-${pod}` } }),
});

describe("MGM-2 what a gateway knows of its instance", () => {
  it("is nothing before the first lists, and says which are missing", async () => {
    const { kube } = await startServer();
    kube.intercept = ({ path }) => (path.endsWith("/serviceaccounts") ? () => undefined : undefined);
    const { state } = follow(kube);
    expect(state.observeUnready()).toContain(
      "pallasinstances, pallasagents, pallasservers, pallasregistrations, pallaspolicies, pallasapprovals, endpointslices, serviceaccounts, configmaps",
    );
    expect([state.getInstance(), state.listAgents()]).toEqual([undefined, []]);
    await expect.poll(() => state.observeUnready()).toBe("not read yet: serviceaccounts");
  });

  it("is its own agents by name, and none of another instance", async () => {
    const { kube, putAgent, putInstance } = await startServer();
    putInstance();
    putInstance("gaia");
    for (const name of ["zeno", "clerk"]) putAgent(name);
    putAgent("stranger", { instanceRef: { name: "gaia" } });
    const { state, ready } = follow(kube);
    await ready();
    expect(state.getInstance()?.metadata.name).toBe("ouranos");
    expect(state.listAgents().map(({ metadata }) => metadata.name)).toEqual(["clerk", "zeno"]);
    expect(state.getAgent("stranger")).toBeUndefined();
  });

  it("changes with the watch, which says once of whom", async () => {
    const { kube, putAgent, putInstance, putSlice } = await startServer();
    putInstance();
    putAgent("clerk");
    const { state, changes, ready } = follow(kube);
    await ready();
    await expect.poll(() => changes.length).toBeGreaterThan(0);
    changes.length = 0;
    putAgent("clerk", { title: "Clerk" });
    await expect.poll(() => changes).toEqual([{ ...nothing, agents: ["clerk"] }]);
    putSlice("clerk", [podOf("clerk-1")]);
    await expect.poll(() => changes).toHaveLength(2);
    expect(state.listAgents()).toHaveLength(1);
    kube.remove("clerk", { type: agentType, namespace });
    await expect.poll(() => changes).toHaveLength(3);
    expect(state.listAgents()).toEqual([]);
    putAgent("stranger", { instanceRef: { name: "gaia" } });
    putInstance("ouranos", { title: "Ouranos" });
    await expect.poll(() => changes.at(-1)).toEqual({ ...nothing, instance: true });
    expect(changes).toHaveLength(4);
  });

  it("DSC-6 is its tool servers, those of its own spec too, and changes with them by the names that agents use", async () => {
    const { kube, putInstance, putServer } = await startServer();
    const url = "http://tools.example.com/mcp";
    putInstance("ouranos", { servers: [{ name: "argos", url }] });
    putServer("memory", { serverName: "Memory" });
    putServer("stranger", { instanceRef: { name: "gaia" } });
    const { state, changes, ready } = follow(kube);
    await ready();
    expect(state.listServers().map(({ name }) => name)).toEqual(["Memory", "argos"]);
    expect(state.getServerAddress("argos")).toMatchObject({ url });
    await expect.poll(() => new Set(changes.flatMap(({ servers }) => servers))).toEqual(new Set(["argos", "Memory"]));
    putServer("memory", { serverName: "Other" }, 2);
    await expect.poll(() => changes.at(-1)).toEqual({ ...nothing, servers: ["Memory", "Other"] });
    expect(state.getServer("Memory")).toBeUndefined();
    putInstance(
      "ouranos",
      {
        servers: [
          { name: "argos", url: `${url}/2` },
          { name: "neo4j", url },
        ],
      },
      2,
    );
    await expect.poll(() => changes.at(-1)).toEqual({ ...nothing, servers: ["argos", "neo4j"], instance: true });
    expect(state.getServerAddress("argos")).toMatchObject({ url: `${url}/2` });
    kube.remove("memory", { type: serverType, namespace });
    await expect.poll(() => state.getServer("Other")).toBeUndefined();
  });

  it("DIR-1 is what was registered with it, and changes with that", async () => {
    const { kube, putRegistration } = await startServer();
    putRegistration("weather");
    putRegistration("stranger", { instanceRef: { name: "gaia" } });
    const { state, changes, ready } = follow(kube);
    await ready();
    expect(state.listRegistrations().map(({ spec }) => spec.name)).toEqual(["weather"]);
    await expect.poll(() => changes.at(-1)).toEqual({ ...nothing, registrations: ["weather"] });
    changes.length = 0;
    kube.remove("weather", { type: registrationType, namespace });
    await expect.poll(() => changes).toEqual([{ ...nothing, registrations: ["weather"] }]);
    expect(state.listRegistrations()).toEqual([]);
  });

  it("MGM-5 MGM-6 is its policies and its approvals, and changes with them; an approval without its label is nobody's", async () => {
    const { kube } = await startServer();
    const putPolicy = (name: string, instance: string) =>
      kube.put(
        name,
        { spec: { instanceRef: { name: instance }, rules: [], default: "ask" } },
        { type: policyType, namespace, metadata: { generation } },
      );
    putPolicy("careful", "ouranos");
    putPolicy("stranger", "gaia");
    const spec = {
      ...{ ...questionOf(), instanceRef: { name: "ouranos" } },
      ...{ callHash: "c".repeat(64), expiresAt: "2026-01-01T00:00:00Z" },
    };
    const putApproval = (name: string, label: string) =>
      kube.put(name, { spec }, { type: approvalType, namespace, metadata: { labels: { [labels.instance]: label } } });
    putApproval("clerk-0", "ouranos");
    putApproval("clerk-1", "gaia");
    const { state, changes, ready } = follow(kube);
    await ready();
    expect(state.listPolicies().map(({ metadata }) => metadata.name)).toEqual(["careful"]);
    expect([state.getPolicy("careful")?.spec.default, state.getPolicy("stranger")]).toEqual(["ask", undefined]);
    expect(state.listApprovals().map(({ metadata }) => metadata.name)).toEqual(["clerk-0"]);
    await expect.poll(() => changes.at(-1)).toBeDefined();
    changes.length = 0;
    kube.remove("careful", { type: policyType, namespace });
    kube.remove("clerk-0", { type: approvalType, namespace });
    await expect
      .poll(() => changes.flatMap(({ policies, approvals }) => [...policies, ...approvals]).toSorted())
      .toEqual(["careful", "clerk-0"]);
    expect([state.listPolicies(), state.listApprovals()]).toEqual([[], []]);
  });

  it("has the presets, of ConfigMaps those with their label alone, and says when they change", async () => {
    const { kube } = await startServer();
    const put = (name: string, data: object, label: string) =>
      kube.put(name, { data }, { type: configMapType, namespace, metadata: { labels: { [label]: "" } } });
    put("zebra", { spec: "{}" }, presetLabel);
    put("other", { spec: "{}" }, "example.com/other");
    const { state, ready } = follow(kube);
    await ready();
    let count = 0;
    state.presets.onChange(() => (count += 1));
    expect([state.presets.listPresets(), count]).toEqual([[{ name: "zebra", data: { spec: "{}" } }], 1]);
    put("ant", { title: "Ant" }, presetLabel);
    await expect.poll(() => count).toBe(2);
    expect(state.presets.listPresets().map(({ name }) => name)).toEqual(["ant", "zebra"]);
  });

  it("has an endpoint of an agent only while one of its pods is ready", async () => {
    const { kube, putAgent, putSlice } = await startServer();
    putAgent("clerk");
    putSlice("clerk", [podOf("clerk-1", false)]);
    putSlice("nobody", [podOf("nobody-1")]);
    const { state, ready } = follow(kube);
    await ready();
    expect([state.getEndpoint("clerk"), state.getEndpoint("nobody")]).toEqual([undefined, undefined]);
    // One that drains may still work on calls.
    expect([state.listAdminUrls("clerk"), state.listAdminUrls("nobody")]).toEqual([["http://10.0.0.7:9090"], []]);
    putSlice("clerk", [podOf("clerk-1", false), podOf("clerk-2")]);
    await expect
      .poll(() => state.getEndpoint("clerk"))
      .toEqual({ mcpUrl: "http://clerk.agents.svc:8080/mcp", adminUrl: "http://10.0.0.7:9090" });
  });

  it("DSC-6 has the admin ports of the bridges before its servers", async () => {
    const { kube, putSlice } = await startServer();
    putSlice("clerk", [podOf("clerk-1")]);
    putSlice("memory", [podOf("memory-1", false), podOf("memory-2")], "server");
    const { state, ready } = follow(kube);
    await ready();
    expect(state.listServerAdminUrls("memory")).toEqual(["http://10.0.0.7:9090"]);
    expect([state.listServerAdminUrls("clerk"), state.listAdminUrls("memory")]).toEqual([[], []]);
  });
});

describe("MGM-1 whose account a token names", () => {
  it("is the agent's that owns it, by uids, and with a pod only while that is there", async () => {
    const { kube, putAgent, putAccount, putSlice } = await startServer();
    const { uid } = putAgent("clerk").metadata;
    const own = putAccount("clerk-agent", { name: "clerk", uid }).metadata.uid;
    putSlice("clerk", [podOf("clerk-1", false)]);
    const { state, ready } = follow(kube);
    await ready();
    expect(state.findAgent(accountOf("clerk-agent", own))).toEqual({ agent: "clerk" });
    expect(state.findAgent(accountOf("clerk-agent", own, "clerk-1"))).toEqual({ agent: "clerk" });
    expect(state.findAgent(accountOf("clerk-agent", "another-uid"))).toHaveProperty("gone");
    expect(state.findAgent(accountOf("clerk-agent", own, "clerk-2"))).toHaveProperty("gone");
    putSlice("clerk", []);
    await expect.poll(() => state.findAgent(accountOf("clerk-agent", own, "clerk-1"))).toHaveProperty("gone");
    kube.remove("clerk", { type: agentType, namespace });
    await expect.poll(() => state.findAgent(accountOf("clerk-agent", own))).toHaveProperty("gone");
  });

  it("is no agent's of this instance where another instance has it, or an earlier agent of that name", async () => {
    const { kube, putAgent, putAccount } = await startServer();
    const { uid } = putAgent("stranger", { instanceRef: { name: "gaia" } }).metadata;
    putAgent("clerk");
    const accounts = [
      putAccount("stranger-agent", { name: "stranger", uid }),
      putAccount("clerk-agent", { name: "clerk", uid: "uid-of-the-clerk-before" }),
    ];
    const { state, ready } = follow(kube);
    await ready();
    for (const { metadata } of accounts) {
      expect(state.findAgent(accountOf(metadata.name, metadata.uid))).toHaveProperty("gone");
    }
  });

  it("is somebody else's, whatever its name, while it is there", async () => {
    const { kube, putAgent, putAccount } = await startServer();
    putAgent("clerk");
    const { uid } = putAccount("clerk-agent").metadata;
    const { state, ready } = follow(kube);
    await ready();
    expect(state.findAgent(accountOf("clerk-agent", uid))).toBeUndefined();
    kube.remove("clerk-agent", { type: serviceAccountType, namespace });
    await expect.poll(() => state.findAgent(accountOf("clerk-agent", uid))).toHaveProperty("gone");
  });
});
