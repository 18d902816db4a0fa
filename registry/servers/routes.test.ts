import { afterEach, describe, expect, it, vi } from "vitest";
import type { PallasRegistry } from "../registry.ts";
import { MemorySource } from "../testing/memory-source.ts";
import { ask, makeRegistry } from "../testing/registry.ts";
import { makeAgent, makeInstance } from "../testing/resources.ts";

const running: PallasRegistry[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((registry) => registry.stop()));
});

async function serve(source: MemorySource) {
  const registry = makeRegistry(source);
  running.push(registry);
  registry.start();
  await vi.waitFor(async () => expect((await ask(registry.app, "/readyz")).status).toBe(200), { interval: 5 });
  const get = (path: string, init?: RequestInit) => ask(registry.app, path, init);
  const names = async (path: string): Promise<string[]> =>
    (await (await get(path)).json()).servers.map(
      ({ server }: { server: { name: string } }) => server.name.split("/")[1],
    );
  return { get, names };
}

const agentNames = (count: number) => Array.from({ length: count }, (_, at) => `agent-${String(at).padStart(3, "0")}`);
const team = (...names: string[]) =>
  new MemorySource({ instances: [makeInstance()], agents: names.map((name) => makeAgent(name)) });
const research = "/v0.1/servers/ca.helu.ouranos%2Fresearch/versions";

describe("CAT-10 GET /v0.1/servers", () => {
  it("pages of the asked size hold every server once, and the last has no cursor", async () => {
    const all = agentNames(107);
    const { get } = await serve(team(...all));
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor = "";
    do {
      const { servers, metadata } = await (await get(`/v0.1/servers?limit=25&cursor=${cursor}`)).json();
      seen.push(...servers.map((entry: { server: { name: string } }) => entry.server.name.split("/")[1]));
      sizes.push(metadata.count);
      cursor = metadata.nextCursor ?? "";
    } while (cursor !== "");
    expect(seen).toEqual(all);
    expect(sizes).toEqual([25, 25, 25, 25, 7]);
  });

  it("a page that is just full has a cursor only when there is more", async () => {
    const { get } = await serve(team(...agentNames(30)));
    expect((await (await get("/v0.1/servers")).json()).metadata).toEqual({ count: 30 });
    expect((await (await get("/v0.1/servers?limit=29")).json()).metadata.nextCursor).toBeDefined();
  });

  it("servers that come and go between pages make none appear twice and hide none that stays", async () => {
    const source = team(...agentNames(20));
    const { get, names } = await serve(source);
    const { servers, metadata } = await (await get("/v0.1/servers?limit=10")).json();
    expect(servers).toHaveLength(10);
    const later = ["aaa", ...agentNames(20).filter((name) => name !== "agent-003" && name !== "agent-009")];
    source.set({ agents: later.map((name) => makeAgent(name)) });
    await expect.poll(() => names("/v0.1/servers?limit=1")).toEqual(["aaa"]);
    expect(await names(`/v0.1/servers?limit=100&cursor=${metadata.nextCursor}`)).toEqual(agentNames(20).slice(10));
  });

  it("search looks in name, title and description, in any case", async () => {
    const agents = [
      makeAgent("alpha", { title: "Große Suche" }),
      makeAgent("beta", { description: "Looks for ALPHA particles" }),
      makeAgent("gamma"),
    ];
    const { names } = await serve(new MemorySource({ instances: [makeInstance()], agents }));
    expect(await names("/v0.1/servers?search=Alpha")).toEqual(["alpha", "beta"]);
    expect(await names("/v0.1/servers?search=GROSSE")).toEqual([]);
    expect(await names(`/v0.1/servers?search=${encodeURIComponent("GROßE s")}`)).toEqual(["alpha"]);
    expect(await names("/v0.1/servers?search=ouranos/g")).toEqual(["gamma"]);
  });

  it("version is latest or the one there is", async () => {
    const { names } = await serve(team("research"));
    expect(await names("/v0.1/servers?version=latest")).toEqual(["research"]);
    expect(await names("/v0.1/servers?version=1.0.0")).toEqual(["research"]);
    expect(await names("/v0.1/servers?version=9.9.9")).toEqual([]);
  });

  it("updated_since and include_deleted show what went, others do not", async () => {
    const source = team("coder", "research");
    const { get, names } = await serve(source);
    source.set({ agents: [makeAgent("coder")] });
    await expect.poll(() => names("/v0.1/servers")).toEqual(["coder"]);
    expect(await names("/v0.1/servers?include_deleted=true")).toEqual(["coder", "research"]);
    expect(await names("/v0.1/servers?updated_since=2026-11-21T10:00:00Z")).toEqual(["coder", "research"]);
    expect(await names(`/v0.1/servers?updated_since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect((await get(research)).status).toBe(404);
    const gone = await (await get(`${research}/latest?include_deleted=true`)).json();
    expect(gone._meta["io.modelcontextprotocol.registry/official"].status).toBe("deleted");
  });

  it("a malformed parameter is 400 with a sentence", async () => {
    const { get } = await serve(team("research"));
    const answer = await get("/v0.1/servers?limit=0");
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: "limit must be a whole number from 1 to 100" },
    ]);
  });
});

describe("CAT-10 one server", () => {
  it("is found by its name, its slash encoded or not, under /v0.1 and /v0", async () => {
    const { get } = await serve(team("research"));
    for (const name of ["ca.helu.ouranos%2Fresearch", "ca.helu.ouranos%2fresearch", "ca.helu.ouranos/research"]) {
      for (const prefix of ["/v0.1", "/v0"]) {
        const versions = await (await get(`${prefix}/servers/${name}/versions`)).json();
        expect(versions.metadata).toEqual({ count: 1 });
        for (const version of ["latest", "1.0.0"]) {
          expect(await (await get(`${prefix}/servers/${name}/versions/${version}`)).json()).toEqual(
            versions.servers[0],
          );
        }
      }
    }
  });

  it("shows its capabilities under a key of ours too, and the closed block as it is agreed", async () => {
    const agents = [makeAgent("research", { modelCapabilities: { vision: true } })];
    const { get } = await serve(new MemorySource({ instances: [makeInstance()], agents }));
    const { server, _meta } = await (await get(`${research}/latest`)).json();
    expect(_meta["ca.helu.pallas/capabilities"]).toEqual(server.capabilities);
    expect(_meta["io.modelcontextprotocol.registry/official"]).toEqual({
      status: "active",
      statusChangedAt: "2026-11-21T10:00:00Z",
      publishedAt: "2026-11-21T10:00:00Z",
      updatedAt: "2026-11-21T10:00:00Z",
      isLatest: true,
    });
  });

  it("that is not there, or not in that version, is 404 with a sentence", async () => {
    const { get } = await serve(team("research"));
    for (const path of [
      "/v0.1/servers/ca.helu.ouranos%2Fnobody/versions",
      "/v0.1/servers/nobody/versions/latest",
      `${research}/2.0.0`,
      `/v0.1/servers/${"x".repeat(5_000)}/versions`,
      "/v0.1/servers/__proto__/versions/constructor",
    ]) {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      const { error, ...rest } = await answer.json();
      expect(error).toMatch(/^(there is no server|ca\.helu\.ouranos\/research has no version)/);
      expect(error.length).toBeLessThan(400);
      expect(rest).toEqual({});
    }
  });
});

describe("CAT-10 publishing", () => {
  it.each([
    ["POST", "/v0.1/publish"],
    ["POST", "/v0/publish"],
    ["PUT", `${research}/1.0.0`],
    ["DELETE", `${research}/1.0.0`],
    ["PATCH", `${research}/1.0.0/status`],
    ["PATCH", "/v0.1/servers/ca.helu.ouranos/research/status"],
  ])("%s %s is 501 with a sentence, and a foreign page is not even told so", async (method, path) => {
    const { get } = await serve(team("research"));
    const answer = await get(path, { method });
    expect([answer.status, await answer.json()]).toEqual([501, { error: expect.stringContaining("read-only") }]);
    expect((await get(path, { method, headers: { origin: "https://evil.example" } })).status).toBe(403);
  });
});

describe("CAT-10 what every answer has", () => {
  it.each(["/v0.1/servers", "/v0/servers?limit=1", research, `${research}/latest`])(
    "%s: ETag and 304, HEAD without a body, CORS for everyone, OPTIONS",
    async (path) => {
      const { get } = await serve(team("coder", "research"));
      const answer = await get(path, { headers: { origin: "https://anywhere.example" } });
      const etag = answer.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-headers")).toBe("authorization, content-type");
      const again = await get(path, { headers: { "if-none-match": etag } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
      const head = await get(path, { method: "HEAD" });
      expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
      const options = await get(path, { method: "OPTIONS", headers: { origin: "https://anywhere.example" } });
      expect([options.status, options.headers.get("access-control-allow-methods")]).toEqual([
        204,
        "GET, HEAD, OPTIONS",
      ]);
      expect(options.headers.get("allow")).toContain("GET, HEAD");
    },
  );

  it("a change of a server changes the ETags it is in, and no others", async () => {
    const source = team("coder", "research");
    const { get } = await serve(source);
    const etag = async (path: string) => (await get(path)).headers.get("etag");
    const first = "/v0.1/servers?limit=1";
    const [list, coder, own] = [await etag("/v0.1/servers"), await etag(first), await etag(`${research}/latest`)];
    source.set({ agents: [makeAgent("coder"), makeAgent("research", { title: "New" })] });
    await expect.poll(() => etag("/v0.1/servers")).not.toBe(list);
    expect(await etag(`${research}/latest`)).not.toBe(own);
    // The page is the same; what follows it is not part of it.
    expect(await etag(first)).toBe(coder);
  });

  it("CAT-9 before the first sync 503 with Retry-After", async () => {
    const source = team("research");
    source.set({ state: { phase: "starting", since: 0 } });
    const registry = makeRegistry(source);
    for (const path of ["/v0.1/servers", research, `${research}/latest`, "/.well-known/ai-catalog.json"]) {
      const answer = await ask(registry.app, path);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    }
  });
});
