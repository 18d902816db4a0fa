import { describe, expect, it, vi } from "vitest";
import { labels } from "../../crds/names.ts";
import type { RawObject } from "../../lib/kube/object.ts";
import { Store } from "../../lib/kube/store.ts";
import type { AgentStatus } from "../../crds/agent.ts";
import type { WatchedAgent } from "../../plan/parse-watched.ts";
import { makeAgent } from "../render/testing/resources.ts";
import { parseSlice, podsAtUrl, podsInSlices, type WatchedSlice } from "./agent-pods.ts";

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
const sliceStore = () =>
  new Store<WatchedSlice, "agent">({
    indexes: { agent: ({ agent }) => (agent === undefined ? [] : [agent]) },
    onListenerError: failed,
  });

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
    expect(podsInSlices(store).of("agents/research")).toEqual([
      { url: "http://10.0.0.2:9090/health", ready: true },
      { url: "http://[fd00::1]:9090/health", ready: true },
      { url: "http://10.0.0.3:9090/health", ready: false },
    ]);
  });

  it("reads a slice without endpoints, and refuses another shape", () => {
    expect(parseSlice(slice("a", 1, null)).pods).toEqual([]);
    expect(() => parseSlice(slice("a", 1, [{ addresses: [] }]))).toThrow(/addresses/);
  });

  it("tells of each change, marking what was there first", () => {
    const store = sliceStore();
    store.upsert(parseSlice(slice("a", 1, [])));
    const listener = vi.fn<(agent: string, initial: boolean) => void>();
    const disconnect = podsInSlices(store).onChange(listener);
    store.upsert(parseSlice(slice("a", 2, [{ addresses: ["10.0.0.2"] }])));
    disconnect();
    store.upsert(parseSlice(slice("a", 3, [])));
    expect(listener.mock.calls).toEqual([
      ["agents/research", true],
      ["agents/research", false],
    ]);
  });
});

describe("HLT-6 agents at one URL each, for an operator outside the cluster", () => {
  const watched = (version: number, status: AgentStatus | undefined): WatchedAgent => ({
    apiVersion: "pallas.helu.ca/v1alpha1",
    kind: "PallasAgent",
    metadata: { name: "research", namespace: "agents", uid: "u", resourceVersion: String(version) },
    parsed: { ok: true, value: makeAgent("research") },
    status,
  });
  const available: AgentStatus = {
    readyReplicas: 1,
    conditions: [
      {
        type: "Available",
        status: "True",
        reason: "Available",
        message: "",
        lastTransitionTime: "2026-11-21T10:00:00Z",
      },
    ],
  };

  it("are asked while they are available with pods, and changes of that are told", () => {
    const store = new Store<WatchedAgent>({ indexes: {}, onListenerError: failed });
    const pods = podsAtUrl("http://127.0.0.1:1/{namespace}/{name}", store);
    const listener = vi.fn<(agent: string, initial: boolean) => void>();
    pods.onChange(listener);
    store.upsert(watched(1, undefined));
    expect(pods.of("agents/research")).toEqual([]);
    store.upsert(watched(2, available));
    expect(pods.of("agents/research")).toEqual([{ url: "http://127.0.0.1:1/agents/research", ready: true }]);
    store.upsert(watched(3, { ...available, health: "ok" }));
    store.upsert(watched(4, { ...available, readyReplicas: 0 }));
    expect(pods.of("agents/research")).toEqual([]);
    store.remove(watched(5, undefined));
    expect(listener.mock.calls).toHaveLength(4);
  });
});
