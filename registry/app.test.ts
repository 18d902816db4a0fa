import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createLogger } from "../lib/process/log.ts";
import { createApp } from "./app.ts";
import { renderAllowedHosts } from "./hosts.ts";
import type { PallasRegistry } from "./registry.ts";
import { MemorySource } from "./testing/memory-source.ts";
import { ask, makeRegistry } from "./testing/registry.ts";

const lines: string[] = [];
let registry: PallasRegistry;

beforeAll(async () => {
  registry = makeRegistry(new MemorySource(), {
    allowedHosts: renderAllowedHosts({
      instances: ["ouranos"],
      namespace: "agents",
      podIp: "10.1.2.3",
      configured: ["agents.example.com"],
    }),
    log: createLogger({ logger: "test", level: "DEBUG", destination: { write: (line) => lines.push(line) } }),
  });
  registry.start();
  await vi.waitUntil(async () => (await ask(registry.app, "/readyz")).status === 200);
});
afterAll(() => registry.stop());

const paths = [
  "/",
  "/.well-known/mcp/server.json",
  "/.well-known/ai-catalog.json",
  "/openapi.json",
  "/v0.1/servers",
  "/v0/servers",
  "/healthz",
  "/livez",
  "/readyz",
  "/metrics",
];

describe("SEC-4 hosts", () => {
  it.each([
    "ouranos-registry",
    "ouranos-registry.agents:24200",
    "ouranos-registry.agents.svc",
    "ouranos-registry.agents.svc.cluster.local",
    "localhost:24200",
    "127.0.0.1",
    "[::1]:24200",
    "10.1.2.3:24200",
    "agents.example.com",
  ])("%s is served on every route", async (host) => {
    for (const path of paths) expect((await ask(registry.app, path, { headers: { host } })).status).toBe(200);
  });

  it.each(["evil.example", "ouranos-registry.other", "ouranos.agents.svc", "10.1.2.4", "localhost.evil.example"])(
    "%s is refused on every route",
    async (host) => {
      for (const path of [...paths, "/nowhere"]) {
        expect((await ask(registry.app, path, { headers: { host } })).status).toBe(403);
      }
    },
  );
});

describe("SEC-4 origins", () => {
  it.each([
    ["/.well-known/mcp/server.json", "https://anywhere.example", 200, "*"],
    ["/healthz", "https://anywhere.example", 200, "*"],
    ["/v0.1/servers", "https://anywhere.example", 200, "*"],
    ["/v0/servers", "null", 200, "*"],
    ["/.well-known/ai-catalog.json", "https://anywhere.example", 200, "*"],
    ["/openapi.json", "https://anywhere.example", 200, "*"],
    ["/", "https://anywhere.example", 403, null],
    ["/metrics", "https://anywhere.example", 403, null],
    ["/metrics", "https://app.example.com", 200, "https://app.example.com"],
    ["/readyz", "https://anywhere.example", 403, null],
  ])("%s to %s: %i", async (path, origin, status, allowed) => {
    const answer = await ask(registry.app, path, { headers: { origin } });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, allowed]);
  });

  it("a foreign page cannot send anything but reads", async () => {
    const init = { method: "POST", headers: { origin: "https://anywhere.example" } };
    expect((await ask(registry.app, "/.well-known/mcp/server.json", init)).status).toBe(403);
  });
});

describe("SEC-6 request ids and the access log", () => {
  it.each(["a", "x".repeat(64), "0f8f-1.2:3_4"])("a sane id is kept: %s", async (id) => {
    expect((await ask(registry.app, "/livez", { headers: { "x-request-id": id } })).headers.get("x-request-id")).toBe(
      id,
    );
  });

  it.each(["", "x".repeat(65), "a b", 'a"b', "{}", "é"])("any other is replaced: %s", async (id) => {
    const answer = await ask(registry.app, "/nowhere", { headers: { "x-request-id": id } });
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("every kind of answer has one, and its line in the log has it too, without the query", async () => {
    const cases: [string, RequestInit][] = [
      ["/v0.1/servers", {}],
      ["/v0.1/servers?limit=secret", {}],
      ["/nowhere?token=secret", {}],
      ["/livez", { method: "POST" }],
      ["/livez", { headers: { host: "evil.example" } }],
      [
        "/v0.1/servers",
        { method: "OPTIONS", headers: { origin: "https://a.example", "access-control-request-method": "GET" } },
      ],
      ["/", {}],
    ];
    for (const [path, init] of cases) {
      lines.length = 0;
      const answer = await ask(registry.app, path, init);
      const id = answer.headers.get("x-request-id");
      expect(id, path).toMatch(/^[0-9a-f-]{36}$/);
      const served = lines.map((line): Record<string, unknown> => JSON.parse(line));
      expect(served).toContainEqual(
        expect.objectContaining({
          level: "DEBUG",
          message: "request served",
          requestId: id,
          status: answer.status,
          path: path.split("?")[0],
          durationMs: expect.any(Number),
        }),
      );
      expect(lines.join()).not.toContain("secret");
    }
  });
});

describe("SEC-6 what nobody serves", () => {
  it("an unknown path is 404 with JSON", async () => {
    const answer = await ask(registry.app, `/${"x".repeat(5_000)}`);
    expect(answer.status).toBe(404);
    const { error, message } = await answer.json();
    expect(error).toBe("not_found");
    expect(message.length).toBeLessThan(300);
  });

  it.each(paths)("another method at %s is 405 with Allow, OPTIONS tells it", async (path) => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const answer = await ask(registry.app, path, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
      expect(await answer.json()).toMatchObject({ error: "method_not_allowed" });
    }
    const options = await ask(registry.app, path, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect((await ask(registry.app, path, { method: "HEAD" })).status).toBe(200);
  });
});

describe("SEC-6 a surface that throws", () => {
  it("is 500 with JSON, and the error is in the log only", async () => {
    const surface = new Hono().get("/broken", () => {
      throw new Error("inner workings");
    });
    const destination = { write: (line: string) => lines.push(line) };
    const app = createApp({
      surfaces: [{ app: surface }],
      allowedHosts: ["localhost"],
      allowedOrigins: [],
      log: createLogger({ logger: "test", destination }),
    });
    const answer = await ask(app, "/broken");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("inner workings");
    expect(lines.join("")).toContain("inner workings");
  });
});

describe("LOG-1 access log", () => {
  it("is at debug, without the query", async () => {
    lines.length = 0;
    await ask(registry.app, "/healthz?token=hush");
    const entry = lines.map((line) => JSON.parse(line)).find(({ message }) => message === "request served");
    expect(entry).toMatchObject({ level: "DEBUG", method: "GET", path: "/healthz", status: 200 });
    expect(lines.join("")).not.toContain("hush");
  });
});
