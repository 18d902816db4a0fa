import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { labels } from "../../crds/names.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createTransport, type Transport } from "../../lib/kube/transport.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { KubeServer } from "../testing/kube-server.ts";
import { agentManifest, instanceManifest } from "../testing/resources.ts";
import type { ResourceSource } from "./source.ts";
import { createWatchSource } from "./watch.ts";

let kube: KubeServer;
let transport: Transport;
const sources: ResourceSource[] = [];

beforeEach(async () => {
  kube = await KubeServer.start();
  transport = createTransport({ kubeConfig: kube.kubeConfig(), userAgent: "test", maxTries: 1 });
});
afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.stop()));
  await transport.close();
  await kube.stop();
});

interface Scope {
  namespace?: string | undefined;
  instances?: string[];
  interruptionMs?: number;
}

function start(scope: Scope = {}): ResourceSource {
  const source = createWatchSource({
    transport,
    namespace: "namespace" in scope ? scope.namespace : "agents",
    instances: scope.instances,
    log: silentLog(),
    timing: { backoff: { initialMs: 10, maxMs: 20 } },
    stateCheckMs: 5,
    interruptionMs: scope.interruptionMs ?? 0,
  });
  sources.push(source);
  source.start();
  return source;
}

const slice = (agent: string, endpoints: unknown, addressType = "IPv4", instance = "ouranos") => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    name: `${agent}-${addressType.toLowerCase()}`,
    namespace: "agents",
    labels: { [labels.component]: "agent", [labels.agent]: agent, [labels.instance]: instance },
  },
  addressType,
  endpoints,
});
const podAt = (address: string, name: string, conditions = { ready: true }) => ({
  addresses: [address],
  conditions,
  targetRef: { kind: "Pod", name },
});
const names = (source: ResourceSource) => source.agents().map(({ metadata }) => metadata.name);

describe("CAT-9 resources from the API server", () => {
  it("is live after the first lists, empty ones too", async () => {
    const source = start();
    expect(source.state().phase).toBe("starting");
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    expect(source.agents()).toEqual([]);
  });

  it("is live once everything is listed, before a watch is open", async () => {
    kube.holdWatches = true;
    kube.put("pallasagents", agentManifest("research"));
    const source = start();
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    expect(names(source)).toEqual(["research"]);
  });

  it("serves one instance of several, or all", async () => {
    kube.put("pallasinstances", instanceManifest());
    kube.put("pallasinstances", instanceManifest({}, "other"));
    kube.put("pallasagents", agentManifest("mine"));
    kube.put("pallasagents", agentManifest("theirs", { instanceRef: { name: "other" } }));
    kube.put("endpointslices", slice("mine", [podAt("10.0.0.1", "mine-1")]));
    kube.put("endpointslices", slice("theirs", [podAt("10.0.0.2", "theirs-1")], "IPv4", "other"));
    const [one, all] = [start({ instances: ["ouranos"] }), start()];
    await vi.waitFor(() => expect(all.endpoints()).toHaveLength(2));
    await vi.waitFor(() => expect(one.endpoints()).toHaveLength(1));
    await vi.waitFor(() => expect([one.state().phase, all.state().phase]).toEqual(["live", "live"]));
    expect([names(one), names(all)]).toEqual([["mine"], ["mine", "theirs"]]);
    expect([one.instances().length, all.instances().length]).toEqual([1, 2]);
  });

  it("DSC-6 tool servers of its instances; the catalogue does not wait for them", async () => {
    const toolServer = (name: string, instance: string) => ({
      ...agentManifest(name, { instanceRef: { name: instance }, package: { kind: "npm", name: "server-memory" } }),
      kind: "PallasServer",
    });
    kube.put("pallasservers", toolServer("memory", "ouranos"));
    kube.put("pallasservers", toolServer("theirs", "other"));
    kube.put("pallasservers", { ...toolServer("faulty", "ouranos"), spec: { instanceRef: { name: "ouranos" } } });
    kube.refused.add("pallasservers");
    const source = start({ instances: ["ouranos"] });
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    expect(source.servers()).toEqual([]);
    kube.refused.clear();
    await vi.waitFor(() => expect(source.servers().map(({ metadata }) => metadata.name)).toEqual(["memory"]));
    expect(source.unreadable()).toEqual([expect.stringContaining("PallasServer agents/faulty: InvalidField")]);
  });

  it("asks for one namespace or the whole cluster, and only for slices of agents", async () => {
    const [narrow, wide] = [start({ instances: ["a", "b"] }), start({ namespace: undefined })];
    await vi.waitFor(() =>
      expect([narrow, wide].map((source) => source.endpointState().phase)).toEqual(["live", "live"]),
    );
    await vi.waitFor(() => expect([narrow, wide].map((source) => source.state().phase)).toEqual(["live", "live"]));
    const asked = kube.asked.map((path) => decodeURIComponent(path).replaceAll("+", " "));
    expect(asked).toContainEqual(
      expect.stringMatching(/^\/apis\/pallas.helu.ca\/v1alpha1\/namespaces\/agents\/pallasagents\?/),
    );
    expect(asked).toContainEqual(expect.stringMatching(/^\/apis\/pallas.helu.ca\/v1alpha1\/pallasagents\?/));
    const slices = asked.filter((path) => path.includes("endpointslices"));
    expect(slices.every((path) => path.includes("labelSelector=pallas.helu.ca/component=agent"))).toBe(true);
    expect(slices).toContainEqual(expect.stringContaining("pallas.helu.ca/instance in (a,b)"));
  });

  it("hears additions, edits and deletions", async () => {
    kube.put("pallasinstances", instanceManifest());
    const source = start();
    await vi.waitFor(() => expect(source.state().phase).toBe("live"));
    const changed = vi.fn<() => void>();
    source.onChange(changed);
    kube.put("pallasagents", agentManifest("research"));
    await vi.waitFor(() => expect(names(source)).toEqual(["research"]));
    const [before] = source.agents();
    kube.put("pallasagents", agentManifest("coder"));
    await vi.waitFor(() => expect(names(source)).toHaveLength(2));
    expect(source.agents()[0]).toBe(before);
    kube.remove("pallasagents", "research");
    await vi.waitFor(() => expect(names(source)).toEqual(["coder"]));
    expect(changed.mock.calls.length).toBeGreaterThanOrEqual(3);
  });

  it("tells once of what a list brings, and keeps a list of which nothing changed", async () => {
    kube.put("pallasinstances", instanceManifest());
    for (let at = 0; at < 500; at += 1) kube.put("pallasagents", agentManifest(`agent-${at}`));
    const source = start();
    const changed = vi.fn<() => void>();
    source.onChange(changed);
    await vi.waitFor(() => expect([source.state().phase, source.agents().length]).toEqual(["live", 500]));
    const isWatched = (path: string) => path.includes("endpointslices") && path.includes("watch=");
    await vi.waitFor(() => expect(kube.asked.some(isWatched)).toBe(true));
    expect(changed.mock.calls.length).toBeLessThan(20);
    const [agents, endpoints] = [source.agents(), source.endpoints()];
    kube.put("endpointslices", slice("research", [podAt("10.0.0.1", "research-1")]));
    await vi.waitFor(() => expect(source.endpoints()).toHaveLength(1));
    expect(source.agents()).toBe(agents);
    expect(source.endpoints()).not.toBe(endpoints);
  });

  it("a resource that does not parse is left out and told", async () => {
    kube.put("pallasinstances", instanceManifest());
    kube.put("pallasagents", agentManifest("good"));
    kube.put("pallasagents", agentManifest("bad", { scope: "world" }));
    const source = start();
    await vi.waitFor(() => expect(names(source)).toEqual(["good"]));
    expect(source.unreadable()).toEqual([
      expect.stringMatching(/^PallasAgent agents\/bad: InvalidField at spec.scope$/),
    ]);
  });

  it("an agent with a status of another release is served with what can be read of it", async () => {
    kube.put("pallasagents", { ...agentManifest("research"), status: { health: "ok", mood: "fine" } });
    const source = start();
    await vi.waitFor(() => expect(names(source)).toEqual(["research"]));
    expect(source.agents()[0]?.status).toEqual({ health: "ok" });
    expect(source.unreadable()).toEqual([]);
  });

  it("a broken watch is degraded with everything kept, and live again afterwards", async () => {
    kube.put("pallasinstances", instanceManifest());
    kube.put("pallasagents", agentManifest("research"));
    const source = start();
    await vi.waitFor(() => expect([names(source), source.state().phase]).toEqual([["research"], "live"]));
    const phases: string[] = [];
    source.onChange(() => phases.push(source.state().phase));
    kube.setBroken(true);
    await vi.waitFor(() => expect(phases).toContain("degraded"));
    expect(source.state().since).toBeGreaterThan(0);
    expect([names(source), source.instances().length]).toEqual([["research"], 1]);
    kube.setBroken(false);
    await vi.waitFor(() => expect(phases.at(-1)).toBe("live"));
  });

  it("a watch that resumes in time was never degraded; one that does not is, since it broke", async () => {
    kube.put("pallasinstances", instanceManifest());
    const source = start({ interruptionMs: 1_000 });
    const isWatched = () => kube.asked.filter((path) => path.includes("watch=")).length;
    await vi.waitFor(() => expect(isWatched()).toBe(4));
    const phases = new Set<string>();
    source.onChange(() => phases.add(source.state().phase));
    kube.setBroken(true);
    await vi.waitFor(() => expect(isWatched()).toBeGreaterThan(6));
    kube.setBroken(false);
    await vi.waitFor(() => {
      kube.put("pallasagents", agentManifest("research")); // heard of once the watch is open again
      expect([names(source), kube.openWatches]).toEqual([["research"], 4]);
    });
    expect([...phases]).toEqual(["live"]);

    const brokenAt = systemClock.wallNow();
    kube.setBroken(true);
    await vi.waitFor(() => expect(source.state().phase).toBe("degraded"), { timeout: 10_000 });
    expect(systemClock.wallNow() - source.state().since).toBeGreaterThanOrEqual(1_000);
    expect(source.state().since).toBeGreaterThanOrEqual(brokenAt);
  });
});

describe("MET-1 pods from EndpointSlices", () => {
  const read = async (...slices: ReturnType<typeof slice>[]) => {
    for (const each of slices) kube.put("endpointslices", each);
    const source = start();
    await vi.waitFor(() => expect(source.endpointState().phase).toBe("live"));
    return source.endpoints();
  };
  const endpoint = (pod: string, host: string) => ({
    namespace: "agents",
    instance: "ouranos",
    agent: "research",
    pod,
    adminUrl: `http://${host}:9090`,
  });

  it("every pod is one, ready or not", async () => {
    const pods = [podAt("10.0.0.1", "research-1"), podAt("10.0.0.2", "research-2", { ready: false })];
    expect(await read(slice("research", pods))).toEqual([
      endpoint("research-1", "10.0.0.1"),
      endpoint("research-2", "10.0.0.2"),
    ]);
  });

  it("an IPv6 address is in brackets, and a pod with both families is one", async () => {
    expect(await read(slice("research", [podAt("fd00::1", "research-1")], "IPv6"))).toEqual([
      endpoint("research-1", "[fd00::1]"),
    ]);
    expect(await read(slice("research", [podAt("10.0.0.1", "research-1")]))).toHaveLength(1);
  });

  it.each([
    ["no endpoints", null],
    ["no target", [{ addresses: ["10.0.0.1"] }]],
    ["a target that is no pod", [{ addresses: ["10.0.0.1"], targetRef: { kind: "Node", name: "n" } }]],
  ])("a slice with %s has none", async (_, endpoints) => {
    expect(await read(slice("research", endpoints))).toEqual([]);
  });
});
