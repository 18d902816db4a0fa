import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { afterEach, describe, expect, it, vi } from "vitest";
import { cataloguePath } from "../../crds/catalogue.ts";
import type { PallasRegistry } from "../registry.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeInstance } from "../testing/resources.ts";

const running: PallasRegistry[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((registry) => registry.stop()));
});

const get = (registry: PallasRegistry, headers: Record<string, string> = {}, method = "GET") =>
  ask(registry.app, cataloguePath, { headers, method });

async function serve(source: MemorySource): Promise<PallasRegistry> {
  const registry = makeRegistry(source);
  running.push(registry);
  registry.start();
  const isCompressed = async () =>
    expect((await get(registry, { "accept-encoding": "br" })).headers.get("content-encoding")).toBe("br");
  await vi.waitFor(isCompressed, { interval: 5 });
  return registry;
}

const two = () =>
  new MemorySource({ instances: [makeInstance()], agents: [makeAgent("coder"), makeAgent("research")] });

describe("CAT-1 GET /.well-known/mcp/server.json", () => {
  it("answers JSON with one entry per agent, for every origin", async () => {
    const answer = await get(await serve(two()), { origin: "https://anywhere.example" });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    const body = await answer.json();
    expect(Object.keys(body)).toEqual(["servers"]);
    expect(body.servers.map((entry: { server: { name: string } }) => entry.server.name)).toEqual([
      "ca.helu.ouranos/coder",
      "ca.helu.ouranos/research",
    ]);
    expect(body.servers[0].server.remotes).toEqual([
      { type: "streamable-http", url: "http://coder.agents.svc:8080/mcp" },
    ]);
  });

  it("HEAD gives the same headers and no body", async () => {
    const registry = await serve(two());
    const [head, whole] = [await get(registry, {}, "HEAD"), await get(registry)];
    expect(await head.text()).toBe("");
    expect(head.headers.get("content-length")).toBe(String((await whole.arrayBuffer()).byteLength));
    expect(head.headers.get("etag")).toBe(whole.headers.get("etag"));
  });
});

describe("CAT-7 the published JSON schema", () => {
  it("takes every entry's server", async () => {
    const schema = JSON.parse(readFileSync(new URL("../../test/data/server.schema.json", import.meta.url), "utf8"));
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    const source = two();
    source.set({
      agents: [
        ...source.agents(),
        makeAgent("full", {
          title: "T".repeat(100),
          description: "word ".repeat(100),
          icons: [{ src: "https://example.com/a.svg", mimeType: "image/svg+xml" }],
          modelCapabilities: { vision: true },
        }),
      ],
    });
    const { servers } = await (await get(await serve(source))).json();
    for (const { server } of servers) expect(validate(server), JSON.stringify(validate.errors)).toBe(true);
    expect(servers).toHaveLength(3);
    expect(validate({ ...servers[0].server, description: "" })).toBe(false);
  });
});

describe("CAT-8 served from memory", () => {
  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ])("%s decodes to the plain bytes", async (encoding, decode) => {
    const registry = await serve(two());
    const plain = Buffer.from(await (await get(registry)).arrayBuffer());
    const answer = await get(registry, { "accept-encoding": encoding });
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(answer.headers.get("vary")).toContain("Accept-Encoding");
    const body = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get("content-length")).toBe(String(body.byteLength));
    expect(decode(body).equals(plain)).toBe(true);
  });

  it("each encoding has a strong ETag of its own, and If-None-Match gets 304 without a body", async () => {
    const registry = await serve(two());
    const tags = new Set<string>();
    for (const encoding of ["identity", "gzip", "br"]) {
      const etag = (await get(registry, { "accept-encoding": encoding })).headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[\w-]+"$/);
      tags.add(etag);
      const again = await get(registry, { "accept-encoding": encoding, "if-none-match": `"other", ${etag}` });
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    expect(tags.size).toBe(3);
  });

  it("a change of the resources changes bytes and ETag; one that the catalogue does not show changes neither", async () => {
    const source = two();
    const registry = await serve(source);
    const etag = async () => (await get(registry)).headers.get("etag") ?? "";
    const before = await etag();
    source.set({ agents: [makeAgent("coder"), makeAgent("research", { instruction: "be brief" })] });
    source.set({ agents: [makeAgent("coder"), makeAgent("research", { title: "Deep Research" })] });
    await expect.poll(etag, { interval: 2 }).not.toBe(before);
    const after = await etag();
    expect(await (await get(registry)).text()).toContain("Deep Research");
    source.set({
      agents: [makeAgent("coder", { instruction: "x" }), makeAgent("research", { title: "Deep Research" })],
    });
    source.set({ agents: [...source.agents(), makeAgent("writer")] });
    await expect.poll(etag, { interval: 2 }).not.toBe(after);
    source.set({ agents: source.agents().slice(0, 2) });
    await expect.poll(etag, { interval: 2 }).toBe(after);
  });

  it("at 1,000 agents an edit is in the served bytes within 100 ms, where the machine is free", async () => {
    const agents = Array.from({ length: 1_000 }, (_, at) => makeAgent(`agent-${at}`, { description: `Does ${at}` }));
    const source = new MemorySource({ instances: [makeInstance()], agents });
    const registry = await serve(source);
    const times: number[] = [];
    for (let round = 0; round < 9; round += 1) {
      const startedMs = performance.now();
      source.set({ agents: agents.with(500, makeAgent("agent-500", { description: `Round ${round}` })) });
      await vi.waitFor(async () => expect(await (await get(registry)).text()).toContain(`Round ${round}`), {
        interval: 1,
      });
      times.push(performance.now() - startedMs);
    }
    // The best: rounds share the machine with other tests. The benchmark judges the p99.
    expect(Math.min(...times)).toBeLessThan(100);
  });
});

describe("CAT-9 what is served when", () => {
  it("nothing to serve is an empty list", async () => {
    expect(await (await get(await serve(new MemorySource()))).text()).toBe('{"servers":[]}');
  });

  it("before the first sync 503 with Retry-After, though something is known already; then the list", async () => {
    const source = two();
    source.set({ state: { phase: "starting", since: 0 } });
    const registry = makeRegistry(source);
    running.push(registry);
    registry.start();
    const answer = await get(registry, { origin: "https://anywhere.example" });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toMatchObject({ error: "not_synced" });
    source.set({ state: { phase: "live", since: 1 } });
    await vi.waitFor(async () => expect((await get(registry)).status).toBe(200));
  });

  it("a broken watch serves the last known list, marked with since when, until it is live again", async () => {
    const source = two();
    const registry = await serve(source);
    const plain = await (await get(registry)).text();
    const since = Date.UTC(2026, 10, 21, 12);
    source.set({ state: { phase: "degraded", since, message: "watch interrupted" } });
    const read = async () => (await get(registry)).text();
    await expect
      .poll(read)
      .toBe(`${plain.slice(0, -1)},"_meta":{"ca.helu.pallas/registry":{"staleSince":"2026-11-21T12:00:00.000Z"}}}`);
    source.set({ state: { phase: "live", since: since + 1 } });
    await expect.poll(read).toBe(plain);
  });
});
