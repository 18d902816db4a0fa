import { writeFile } from "node:fs/promises";
import { Hono } from "hono";
import { describe, expect, it, vi } from "vitest";
import type { LiveConfig, RunCard } from "../crds/run-config.ts";
import { guardHosts } from "../lib/process/http-guard.ts";
import { cardPath, createCardApp } from "./card.ts";
import { startAgentProcess } from "./testing/process.ts";
import { renderTestConfig } from "./testing/run-config.ts";

const facts: RunCard = { name: "ca.helu.ouranos/research", title: "Research", description: "Searches" };
function serve(readCard: () => Promise<RunCard | undefined>) {
  const app = new Hono()
    .use(
      guardHosts({
        allowedHosts: ["localhost", "research.example.com"],
        allowedOrigins: [],
        isPublicRead: (path) => path === cardPath,
      }),
    )
    .route("/", createCardApp("1.2.3", readCard));
  return (init: RequestInit & { url?: string } = {}) => {
    const url = init.url ?? "http://localhost:24101";
    const headers = { host: new URL(url).host, ...Object.fromEntries(new Headers(init.headers)) };
    return app.request(`${url}${cardPath}`, { ...init, headers });
  };
}

describe("CAT-11 GET /mcp/server-card", () => {
  it("says who the agent is and how to connect, to everyone", async () => {
    const answer = await serve(async () => facts)({ headers: { origin: "https://anywhere.example" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/mcp-server-card+json");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    const card = await answer.json();
    expect(card).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name: "ca.helu.ouranos/research",
      title: "Research",
      description: "Searches",
      version: "1.2.3",
      remotes: [
        {
          type: "streamable-http",
          url: "http://localhost:24101/mcp",
          supportedProtocolVersions: expect.arrayContaining(["2026-07-28", "2025-11-25"]),
        },
      ],
    });
  });

  it("gives the published URL to who asks by its host, and the asked one to others", async () => {
    const get = serve(async () => ({ ...facts, url: "https://research.example.com/team/mcp" }));
    const urlAt = async (url: string) => (await (await get({ url })).json()).remotes[0].url;
    expect(await urlAt("http://research.example.com")).toBe("https://research.example.com/team/mcp");
    expect(await urlAt("http://localhost:8080")).toBe("http://localhost:8080/mcp");
  });

  it("has an ETag, and follows an edit without a restart", async () => {
    let card = facts;
    const get = serve(async () => card);
    const etag = (await get()).headers.get("etag") ?? "";
    const again = await get({ headers: { "if-none-match": `W/${etag}` } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    card = { ...facts, name: "com.example/research" };
    const changed = await get({ headers: { "if-none-match": etag } });
    expect([changed.status, (await changed.json()).name]).toEqual([200, "com.example/research"]);
  });

  it("HEAD has no body, other methods are 405 with Allow, foreign hosts are refused", async () => {
    const get = serve(async () => facts);
    const head = await get({ method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await get({ method: "OPTIONS" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    for (const method of ["POST", "PUT", "DELETE"]) {
      const answer = await get({ method });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
    expect((await get({ url: "http://evil.example" })).status).toBe(403);
  });

  it("is 404 where the operator wrote none", async () => {
    expect((await serve(async () => undefined)()).status).toBe(404);
  });
});

describe("CAT-11 the card of an agent's process", () => {
  it("needs no token where calls do, and follows the live configuration", async () => {
    const auth = { issuer: "https://issuer.example", audiences: ["a"], resource: "https://research.example.com/mcp" };
    const config = renderTestConfig({ auth, card: facts });
    const agent = await startAgentProcess(config);
    const readName = async () => (await (await fetch(`${agent.url}${cardPath}`)).json()).name;
    try {
      await vi.waitFor(async () => expect(await readName()).toBe("ca.helu.ouranos/research"), { timeout: 20_000 });
      expect((await fetch(`${agent.url}/mcp`, { method: "POST", body: "{}" })).status).toBe(401);
      const live: LiveConfig = { schema: 1, severalPods: false, card: { ...facts, name: "com.example/research" } };
      await writeFile(agent.liveConfig, JSON.stringify(live));
      expect(await readName()).toBe("com.example/research");
    } finally {
      await agent.stop();
    }
  });
});
