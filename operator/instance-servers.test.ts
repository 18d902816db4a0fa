import { describe, expect, it } from "vitest";
import { Store } from "../lib/kube/store.ts";
import type { WatchedAgent, WatchedServer } from "../plan/parse-watched.ts";
import { keysInInstance, type ServerIndex } from "./caches.ts";
import { createInstanceServers } from "./instance-servers.ts";
import { makeAgent, makeInstance, makeServer, releaseRules } from "./render/testing/resources.ts";

const onListenerError = (error: unknown) => expect.fail(String(error));
const direct = { remote: { url: "https://mcp.example.com/mcp" } };
let versions = 0;

function setUp() {
  const servers = new Store<WatchedServer, ServerIndex>({
    indexes: { instance: keysInInstance, name: () => [] },
    onListenerError,
  });
  const agents = new Store<WatchedAgent>({ indexes: {}, onListenerError });
  let judged = 0;
  const counting = {
    ...releaseRules,
    get mode() {
      judged += 1;
      return "cluster" as const;
    },
  };
  const known = createInstanceServers({ servers, agents, rules: counting });
  const instance = makeInstance();
  const put = (name: string, spec: object | undefined, generation = 1) => {
    const { apiVersion, kind, metadata, ...rest } = makeServer(name, spec ?? direct);
    const { namespace } = metadata;
    const version = String((versions += 1));
    const live = { name, namespace, uid: name, resourceVersion: version, generation };
    const problem = { reason: "InvalidField", path: "spec", message: "expected an object" } as const;
    servers.upsert({
      ...{ apiVersion, kind, metadata: live, status: undefined },
      parsed: spec
        ? { ok: true, value: { apiVersion, kind, ...rest, metadata: live } }
        : { ok: false, problems: [problem] },
    });
  };
  const putAgent = (name: string) => {
    const { apiVersion, kind, metadata } = makeAgent(name);
    const live = { name, namespace: metadata.namespace, uid: name, resourceVersion: String((versions += 1)) };
    agents.upsert({
      apiVersion,
      kind,
      metadata: live,
      parsed: { ok: true, value: makeAgent(name) },
      status: undefined,
    });
  };
  const of = (from = instance) => {
    const { sound, faulty } = known.of(from);
    return { sound: [...sound.keys()], faulty: [...faulty.keys()] };
  };
  return { put, putAgent, of, judged: () => judged };
}

describe("DSC-6 the tool servers around an agent", () => {
  it("are the sound ones by the names that agents use, and the faulty ones apart", () => {
    const { put, of } = setUp();
    put("memory", { ...direct, serverName: "graph" });
    put("program", { local: { command: "node" } });
    put("unreadable", undefined);
    put("elsewhere", { ...direct, instanceRef: { name: "gaia" } });
    expect(of()).toEqual({ sound: ["graph"], faulty: ["unreadable", "program"] });
  });

  it("are judged once for all agents, however often a status is written", () => {
    const { put, of, judged } = setUp();
    put("memory", direct);
    of();
    const once = judged();
    expect(once).toBeGreaterThan(0);
    put("memory", direct);
    for (let agent = 0; agent < 100; agent += 1) of();
    expect(judged()).toBe(once);
  });

  it("are judged anew for an edit, and for an edit of the instance", () => {
    const { put, of } = setUp();
    put("memory", direct);
    expect(of().sound).toEqual(["memory"]);
    put("memory", { local: { command: "node" } }, 2);
    expect(of()).toEqual({ sound: [], faulty: ["memory"] });
    put("memory", direct, 3);
    const edited = makeInstance({ servers: [{ name: "memory", url: "http://a.example/mcp" }] });
    edited.metadata.generation = 2;
    expect(of(edited)).toEqual({ sound: [], faulty: ["memory"] });
    expect(of().sound).toEqual(["memory"]);
  });

  it("lose one whose children an agent has the names of, and get it back", () => {
    const { put, putAgent, of } = setUp();
    put("memory", direct);
    expect(of().sound).toEqual(["memory"]);
    putAgent("other");
    expect(of().sound).toEqual(["memory"]);
    putAgent("memory-server");
    expect(of()).toEqual({ sound: [], faulty: ["memory"] });
  });
});
