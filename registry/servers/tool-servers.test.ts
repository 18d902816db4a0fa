import { describe, expect, it } from "vitest";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { sampleAgent, sampleInstance, sampleServer } from "../../plan/testing/resources.ts";
import type { Rules } from "../../plan/rules.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { createToolServerLister } from "./tool-servers.ts";

const at = { namespace: "agents", creationTimestamp: "2026-11-21T10:00:00Z" };
const instance = sampleInstance({}, at);
const npm = { package: { kind: "npm", name: "server-memory", version: "1.0.0" } };
const server = (name: string, spec: object = npm, metadata: object = {}) =>
  sampleServer(name, spec, { ...at, ...metadata });

function make(rules: Rules = { mode: "cluster" }) {
  const source = new MemorySource({ instances: [instance] });
  let time = Date.UTC(2026, 10, 22);
  const list = createToolServerLister({ source, rules, now: () => time });
  const listed = () => list().map(({ entry }) => entry.server.name.split("/")[1]);
  return { source, list, listed, pass: (ms: number) => void (time += ms) };
}

describe("CAT-10 DSC-6 tool servers that are listed", () => {
  it("are the accepted ones of accepted instances, by the registry's rules", () => {
    const { source, listed } = make();
    const faulty = sampleInstance({ defaultModel: "nobody.x" }, { ...at, name: "faulty" });
    source.set({
      instances: [instance, faulty],
      servers: [
        server("writer"),
        server("memory"),
        server("mine", { local: { command: "node" } }),
        server("later", { ...npm, serverName: "memory" }, { creationTimestamp: "2026-11-21T10:00:01Z" }),
        server("lost", { ...npm, instanceRef: { name: "faulty" } }),
        server("stray", { ...npm, instanceRef: { name: "nobody" } }),
      ],
    });
    expect(listed()).toEqual(["memory", "writer"]);
  });

  it("not one whose pods would have an agent's name", () => {
    const { source, listed } = make();
    source.set({ servers: [server("memory")], agents: [sampleAgent("memory-server", {}, at)] });
    expect(listed()).toEqual([]);
  });

  it("with where they are: in a cluster the bridge's Service, on one machine what is said of it", () => {
    const remotes = (rules: Rules, status: object) => {
      const { source, list } = make(rules);
      source.set({ servers: [{ ...server("memory"), status }] });
      return list().map(({ entry }) => entry.server.remotes.map(({ url }) => url));
    };
    expect(remotes({ mode: "cluster" }, {})).toEqual([["http://memory-server.agents.svc:8080/mcp"]]);
    expect(remotes({ mode: "local" }, { url: "http://localhost:4000/mcp" })).toEqual([["http://localhost:4000/mcp"]]);
    expect(remotes({ mode: "local" }, {})).toEqual([[]]);
  });

  it("keep their entry while nothing of it changes, and changed when what is said of them did", () => {
    const { source, list, pass } = make();
    const first = server("memory");
    source.set({ servers: [first] });
    const [before] = list();
    const updatedAt = () => list()[0]?.entry._meta["io.modelcontextprotocol.registry/official"].updatedAt;
    expect(updatedAt()).toBe("2026-11-21T10:00:00Z");
    source.set({ servers: [{ ...first, status: { conditions: [] } }] });
    expect(list()[0]?.entry).toBe(before?.entry);
    pass(5_400);
    source.set({ servers: [server("memory", { ...npm, title: "Graph" })] });
    expect(updatedAt()).toBe("2026-11-22T00:00:05Z");
    pass(5_000);
    expect(updatedAt()).toBe("2026-11-22T00:00:05Z");
  });
});

describe("CAT-10 DSC-6 the generic registry API", () => {
  const agent = sampleAgent("research", {}, at);
  const names = async (registry: ReturnType<typeof makeRegistry>) => {
    const { servers } = JSON.parse(await (await ask(registry.app, "/v0.1/servers")).text());
    return servers.map((each: { server: { name: string } }) => each.server.name);
  };

  it("lists tool servers beside agents, and the catalogue of agents is as it was", async () => {
    const source = new MemorySource({ instances: [instance], agents: [agent] });
    const registry = makeRegistry(source, { log: silentLog() });
    registry.start();
    const catalogue = async () => (await ask(registry.app, "/.well-known/mcp/server.json")).text();
    await expect.poll(() => names(registry)).toEqual(["ca.helu.ouranos/research"]);
    const before = await catalogue();
    source.set({ servers: [server("memory")] });
    await expect.poll(() => names(registry)).toEqual(["ca.helu.ouranos/memory", "ca.helu.ouranos/research"]);
    expect(await catalogue()).toBe(before);
    const one = await ask(registry.app, "/v0.1/servers/ca.helu.ouranos%2Fmemory/versions/latest");
    expect(await one.json()).toMatchObject({
      server: { packages: [{ registryType: "npm", identifier: "server-memory", version: "1.0.0" }] },
      _meta: { "io.modelcontextprotocol.registry/official": { status: "active", publishedAt: at.creationTimestamp } },
    });
    source.set({ servers: [] });
    await expect.poll(() => names(registry)).toEqual(["ca.helu.ouranos/research"]);
    await registry.stop();
  });

  it("lists of one name the agent, and says at /healthz what it leaves out", async () => {
    const source = new MemorySource({ instances: [instance], agents: [agent], servers: [server("research")] });
    const registry = makeRegistry(source, { log: silentLog() });
    registry.start();
    const conflicts = async () => {
      const { slugConflicts } = JSON.parse(await (await ask(registry.app, "/healthz")).text());
      return slugConflicts;
    };
    await expect.poll(conflicts, { timeout: 5_000 }).toEqual([
      {
        slug: "ca.helu.ouranos/research",
        kept: "PallasAgent agents/research",
        leftOut: "PallasServer agents/research",
      },
    ]);
    expect(await names(registry)).toEqual(["ca.helu.ouranos/research"]);
    await registry.stop();
  });
});
