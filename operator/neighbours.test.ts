import { describe, expect, it } from "vitest";
import { Store } from "../lib/kube/store.ts";
import type { WatchedAgent } from "../plan/parse-watched.ts";
import { createNeighbours } from "./neighbours.ts";
import { makeAgent, makeInstance } from "./render/testing/resources.ts";

const instance = makeInstance();
const elsewhere = { instanceRef: { name: "elsewhere" } };

/** An agent in the cache; undefined where its spec does not parse. */
function watched(name: string, resourceVersion: string, spec: object | undefined): WatchedAgent {
  const agent = makeAgent(name, spec ?? {});
  const problem = { reason: "InvalidField", path: "spec", message: "expected an object" } as const;
  return {
    apiVersion: agent.apiVersion,
    kind: agent.kind,
    metadata: { name, namespace: agent.metadata.namespace, uid: name, resourceVersion },
    parsed: spec ? { ok: true, value: agent } : { ok: false, problems: [problem] },
    status: undefined,
  };
}

function setUp() {
  const store = new Store<WatchedAgent>({ indexes: {}, onListenerError: (error) => expect.fail(String(error)) });
  store.upsert(watched("early", "1", {}));
  const neighbours = createNeighbours(store);
  const callers = (of: string) => [...(neighbours.of(instance).callers.get(of) ?? [])];
  const invalid = () => [...(neighbours.of(instance).invalid ?? [])];
  return { store, callers, invalid, names: () => [...neighbours.of(instance).agents.keys()] };
}

describe("the agents around an agent", () => {
  it("are those of its instance, earlier than the view or later", () => {
    const { store, names } = setUp();
    store.upsert(watched("late", "2", {}));
    store.upsert(watched("foreign", "3", elsewhere));
    expect(names()).toEqual(["early", "late"]);
  });

  it("keep their order when one changes", () => {
    const { store, names } = setUp();
    store.upsert(watched("late", "2", {}));
    store.upsert(watched("early", "3", { description: "changed" }));
    expect(names()).toEqual(["early", "late"]);
  });

  it.each([
    ["goes to another instance", elsewhere],
    ["does not parse any more", undefined],
  ])("lose one that %s, and get it back", (_title, spec) => {
    const { store, names } = setUp();
    store.upsert(watched("early", "2", spec));
    expect(names()).toEqual([]);
    store.upsert(watched("early", "3", {}));
    expect(names()).toEqual(["early"]);
  });

  it("are told apart from those that are there but cannot be read", () => {
    const { store, names, invalid } = setUp();
    store.upsert(watched("unread", "2", undefined));
    store.upsert(watched("early", "3", undefined));
    expect([names(), invalid()]).toEqual([[], ["unread", "early"]]);
    store.upsert(watched("unread", "4", {}));
    store.remove(watched("early", "5", undefined));
    expect([names(), invalid()]).toEqual([["unread"], []]);
  });

  it("lose one that is deleted", () => {
    const { store, names } = setUp();
    store.remove(watched("early", "2", {}));
    expect(names()).toEqual([]);
  });
});

describe("the callers of an agent", () => {
  const calls = (...names: string[]) => ({ agents: names.map((name) => ({ name })) });

  it("are those of its instance that name it, there or not yet", () => {
    const { store, callers } = setUp();
    store.upsert(watched("a", "2", calls("early", "later")));
    store.upsert(watched("b", "3", calls("early")));
    store.upsert(watched("foreign", "4", { ...elsewhere, ...calls("early") }));
    store.upsert(watched("waits", "5", { dependsOn: ["early"] }));
    expect([callers("early"), callers("later"), callers("a")]).toEqual([["a", "b"], ["a"], []]);
  });

  it.each([
    ["calls another one now", calls("other")],
    ["goes to another instance", { ...elsewhere, ...calls("early") }],
    ["does not parse any more", undefined],
  ])("lose one that %s, and get it back", (_title, spec) => {
    const { store, callers } = setUp();
    store.upsert(watched("a", "2", calls("early")));
    store.upsert(watched("a", "3", spec));
    expect(callers("early")).toEqual([]);
    store.upsert(watched("a", "4", calls("early")));
    expect(callers("early")).toEqual(["a"]);
  });

  it("lose one that is deleted, and stay when the called one is", () => {
    const { store, callers } = setUp();
    store.upsert(watched("a", "2", calls("early")));
    store.upsert(watched("b", "3", calls("early")));
    store.remove(watched("a", "4", calls("early")));
    store.remove(watched("early", "5", {}));
    expect(callers("early")).toEqual(["b"]);
  });
});
