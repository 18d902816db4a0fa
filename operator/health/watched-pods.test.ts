import { describe, expect, it, vi } from "vitest";
import { labels } from "../../crds/names.ts";
import type { RawObject } from "../../lib/kube/object.ts";
import { Store } from "../../lib/kube/store.ts";
import type { LiveDeployment } from "../resources.ts";
import { parseSlice, podsAtUrl, podsInSlices, sliceIndexes, type Asked, type WatchedSlice } from "./watched-pods.ts";

const slice = (name: string, version: number, endpoints: unknown, fields: object = {}): RawObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    name,
    namespace: "agents",
    uid: `uid-of-${name}`,
    resourceVersion: String(version),
    labels: { [labels.agent]: "research", [labels.component]: "agent" },
  },
  addressType: "IPv4",
  endpoints,
  ...fields,
});
const failed = (error: unknown) => {
  throw error;
};
const sliceStore = () => new Store<WatchedSlice, Asked>({ indexes: sliceIndexes, onListenerError: failed });

describe("HLT-6 pods of an agent, from EndpointSlices", () => {
  it("knows unready ones too, ready ones first, and none that drains", () => {
    const store = sliceStore();
    store.upsert(
      parseSlice(
        slice("a", 1, [
          { addresses: ["10.0.0.3"], conditions: { ready: false } },
          { addresses: ["10.0.0.2"], conditions: { ready: true } },
          { addresses: ["10.0.0.9"], conditions: { ready: false, serving: true, terminating: true } },
        ]),
      ),
    );
    store.upsert(parseSlice(slice("b", 1, [{ addresses: ["fd00::1"] }], { addressType: "IPv6" })));
    expect(podsInSlices(store, "agent").of("agents/research")).toEqual([
      { url: "http://10.0.0.2:9090/health", ready: true },
      { url: "http://[fd00::1]:9090/health", ready: true },
      { url: "http://10.0.0.3:9090/health", ready: false },
    ]);
  });

  it("keeps agents and the bridges of servers of one name apart", () => {
    const store = sliceStore();
    const labelsOf = { [labels.server]: "research", [labels.component]: "server" };
    const raw = slice("a", 1, [{ addresses: ["10.0.0.4"], conditions: { ready: true } }]);
    const server = { ...raw, metadata: { ...raw.metadata, name: "b", uid: "b", labels: labelsOf } };
    const heard: string[] = [];
    podsInSlices(store, "server").onChange((key) => heard.push(key));
    store.upsert(parseSlice(raw));
    expect(podsInSlices(store, "server").of("agents/research")).toEqual([]);
    store.upsert(parseSlice(server));
    store.remove(parseSlice(raw));
    expect(podsInSlices(store, "agent").of("agents/research")).toEqual([]);
    expect(podsInSlices(store, "server").of("agents/research")).toEqual([
      { url: "http://10.0.0.4:9090/health", ready: true },
    ]);
    expect(heard).toEqual(["agents/research"]);
  });

  it("reads a slice without endpoints, and refuses another shape", () => {
    expect(parseSlice(slice("a", 1, null)).pods).toEqual([]);
    expect(() => parseSlice(slice("a", 1, [{ addresses: [] }]))).toThrow(/addresses/);
  });

  it("tells of each change, marking what was there first", () => {
    const store = sliceStore();
    store.upsert(parseSlice(slice("a", 1, [])));
    const listener = vi.fn<(agent: string, initial: boolean) => void>();
    const disconnect = podsInSlices(store, "agent").onChange(listener);
    store.upsert(parseSlice(slice("a", 2, [{ addresses: ["10.0.0.2"] }])));
    disconnect();
    store.upsert(parseSlice(slice("a", 3, [])));
    expect(listener.mock.calls).toEqual([
      ["agents/research", true],
      ["agents/research", false],
    ]);
  });
});

describe("HLT-6 pods at one URL each, for an operator outside the cluster", () => {
  const deployment = (name: string, version: number, of: object, availableReplicas: number): LiveDeployment => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "agents", uid: name, resourceVersion: String(version), labels: { ...of } },
    status: { availableReplicas, readyReplicas: version },
  });
  const ofAgent = { [labels.agent]: "research", [labels.component]: "agent" };
  const ofServer = { [labels.server]: "research", [labels.component]: "server" };

  it.each([
    ["agent", "research", ofAgent],
    ["server", "research-server", ofServer],
  ] as const)("of an %s are asked while its Deployment serves, and changes of that are heard of", (of, name, its) => {
    const store = new Store<LiveDeployment>({ indexes: {}, onListenerError: failed });
    const pods = podsAtUrl("http://127.0.0.1:1/{namespace}/{name}", store, of);
    const listener = vi.fn<(key: string, initial: boolean) => void>();
    pods.onChange(listener);
    store.upsert(deployment(name, 1, its, 0));
    expect(pods.of("agents/research")).toEqual([]);
    store.upsert(deployment(name, 2, its, 1));
    expect(pods.of("agents/research")).toEqual([{ url: "http://127.0.0.1:1/agents/research", ready: true }]);
    store.upsert(deployment(name, 3, its, 1));
    store.upsert(deployment(name, 4, its, 0));
    expect(pods.of("agents/research")).toEqual([]);
    store.remove(deployment(name, 5, its, 0));
    store.upsert(deployment("other", 6, of === "agent" ? ofServer : ofAgent, 1));
    expect(listener.mock.calls.map(([key]) => key)).toEqual(Array(4).fill("agents/research"));
  });
});
