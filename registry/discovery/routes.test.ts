import { afterEach, describe, expect, it, vi } from "vitest";
import type { PallasRegistry } from "../registry.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeInstance } from "../testing/resources.ts";

const path = "/.well-known/ai-catalog.json";
const running: PallasRegistry[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((registry) => registry.stop()));
});

async function serve(source: MemorySource): Promise<PallasRegistry> {
  const registry = makeRegistry(source);
  running.push(registry);
  registry.start();
  await vi.waitFor(async () => expect((await ask(registry.app, path)).status).toBe(200), { interval: 5 });
  return registry;
}

describe("CAT-11 GET /.well-known/ai-catalog.json", () => {
  it("points at the card of each agent, and names the publisher by its domain", async () => {
    const instance = makeInstance({ externalUrl: { template: "https://{agent}.example.com/mcp" } });
    const agents = [makeAgent("research", { title: "Research", description: "Searches" })];
    const { app } = await serve(new MemorySource({ instances: [instance], agents }));
    const answer = await ask(app, path, { headers: { origin: "https://anywhere.example" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(await answer.json()).toEqual({
      specVersion: "1.0",
      entries: [
        {
          identifier: "urn:air:ouranos.helu.ca:mcp:research",
          displayName: "Research",
          description: "Searches",
          version: "1.0.0",
          type: "application/mcp-server-card+json",
          mediaType: "application/mcp-server-card+json",
          url: "https://research.example.com/mcp/server-card",
        },
      ],
    });
  });

  it("has an ETag that changes with what it says, and with nothing else", async () => {
    const source = new MemorySource({ instances: [makeInstance()], agents: [makeAgent("research")] });
    const { app } = await serve(source);
    const etag = async () => (await ask(app, path)).headers.get("etag") ?? "";
    const before = await etag();
    expect((await ask(app, path, { headers: { "if-none-match": before } })).status).toBe(304);
    const unwell = { ...makeAgent("research"), status: { health: "error" as const, readyReplicas: 0 } };
    source.set({ agents: [unwell] });
    const catalogue = async () => (await ask(app, "/.well-known/mcp/server.json")).text();
    await expect.poll(catalogue).toContain('"error"');
    expect(await etag()).toBe(before);
    source.set({ agents: [makeAgent("research", { title: "New" })] });
    await expect.poll(etag).not.toBe(before);
  });
});
