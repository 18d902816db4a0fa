import { describe, expect, it, vi } from "vitest";
import { renderCatalogueEntry } from "../../plan/catalogue.ts";
import { publishedAgentUrl } from "../../plan/urls.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { makeAgent, makeInstance } from "../testing/resources.ts";
import { createLister, type RenderEntry } from "./listing.ts";

function makeLister(source: MemorySource) {
  const renderEntry = vi.fn<RenderEntry>((agent, instance) =>
    renderCatalogueEntry(agent, instance, publishedAgentUrl(agent, instance)),
  );
  const list = createLister({ source, rules: { mode: "cluster" }, renderEntry });
  const names = () => list().servers.map(({ text }): string => JSON.parse(text).server.name.split("/")[1]);
  return { renderEntry, list, names };
}

describe("CAT-8 one change costs one entry", () => {
  it("among 1,000 agents only the changed one is rendered again", () => {
    const agents = Array.from({ length: 1_000 }, (_, at) => makeAgent(`agent-${at}`));
    const source = new MemorySource({ instances: [makeInstance()], agents });
    const { renderEntry, list } = makeLister(source);
    expect(list().servers).toHaveLength(1_000);
    expect(renderEntry).toHaveBeenCalledTimes(1_000);

    const changed = makeAgent("agent-7", { title: "Seven" });
    source.set({ agents: agents.with(7, changed) });
    const { servers } = list();
    expect(renderEntry.mock.calls.slice(1_000).map(([agent]) => agent)).toEqual([changed]);
    expect(servers.filter(({ text }) => text.includes('"Seven"'))).toHaveLength(1);
    expect(servers).toHaveLength(1_000);
  });

  it("an instance's status renders nothing, its spec renders its agents", () => {
    const instance = makeInstance();
    const source = new MemorySource({ instances: [instance], agents: [makeAgent("a"), makeAgent("b")] });
    const { renderEntry, list } = makeLister(source);
    list();
    source.set({ instances: [{ ...instance, status: { agents: { total: 2, ready: 1 } } }] });
    list();
    expect(renderEntry).toHaveBeenCalledTimes(2);
    source.set({ instances: [makeInstance({ version: "2.0.0" })] });
    expect(list().servers.every(({ text }) => text.includes('"2.0.0"'))).toBe(true);
    expect(renderEntry).toHaveBeenCalledTimes(4);
  });

  it("CAT-6 that an instance's spec has changed is told by its agents' entries", () => {
    const source = new MemorySource({ instances: [makeInstance()], agents: [makeAgent("a"), makeAgent("b")] });
    const { list } = makeLister(source);
    const times = () =>
      list().servers.map(({ entry }) => entry._meta["io.modelcontextprotocol.registry/official"].updatedAt);
    expect(times()).toEqual(["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"]);
    const edited = makeInstance({ version: "2.0.0" });
    source.set({ instances: [edited] });
    expect(times()).toEqual(["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"]);
    source.set({ instances: [{ ...edited, status: { specChangedAt: "2026-11-22T10:00:00Z" } }] });
    expect(times()).toEqual(["2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z"]);
  });
});

describe("CAT-6 listed is every accepted agent", () => {
  it("ready or not, but none that is not accepted, and none without an accepted instance", () => {
    const source = new MemorySource({
      instances: [
        makeInstance(),
        makeInstance({ servers: [{ name: "x", url: "http://${HOST}/mcp" }] }, "placeholders"),
      ],
      agents: [
        makeAgent("plain"),
        makeAgent("replicated", { replicas: 2 }),
        makeAgent("orphan", { instanceRef: { name: "gone" } }),
        makeAgent("faulty-instance", { instanceRef: { name: "placeholders" } }),
      ],
    });
    expect(makeLister(source).names()).toEqual(["plain"]);
  });

  it("an agent that is deleted, and one whose instance goes, leave the list", () => {
    const source = new MemorySource({ instances: [makeInstance()], agents: [makeAgent("a"), makeAgent("b")] });
    const { names } = makeLister(source);
    expect(names()).toEqual(["a", "b"]);
    source.set({ agents: [makeAgent("b")] });
    expect(names()).toEqual(["b"]);
    source.set({ instances: [] });
    expect(names()).toEqual([]);
  });
});

describe("CAT-2 one entry per slug", () => {
  it("the later-created of two agents is left out and told", () => {
    const source = new MemorySource({
      instances: [makeInstance(), { ...makeInstance(), metadata: { ...makeInstance().metadata, namespace: "other" } }],
      agents: [
        makeAgent("research", {}, { creationTimestamp: "2026-11-21T11:00:00Z" }),
        makeAgent("research", {}, { creationTimestamp: "2026-11-21T10:00:00Z", namespace: "other" }),
      ],
    });
    const { list } = makeLister(source);
    const { servers, conflicts } = list();
    expect(servers).toHaveLength(1);
    expect(servers[0]?.text).toContain("research.other.svc");
    expect(conflicts).toEqual([{ slug: "research", kept: "other/research", leftOut: "agents/research" }]);
  });
});
