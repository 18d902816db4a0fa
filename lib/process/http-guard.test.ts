import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guardHosts, loopbackHosts } from "./http-guard.ts";
import { listen } from "./http-server.ts";
import type { RunningServer } from "./http-server.ts";
import { createLogger } from "./log.ts";

const log = createLogger({ logger: "test", destination: { write: () => undefined } });
let server: RunningServer;

beforeAll(async () => {
  const app = new Hono();
  app.use(
    guardHosts({
      allowedHosts: [...loopbackHosts, "Research.agents.svc", "10.1.2.3:8080", "fd00:0:0::1"],
      allowedOrigins: ["https://app.example.com", "http://localhost:3000/".slice(0, -1), "vscode-webview://abc"],
      isPublicRead: (path) => path === "/public",
    }),
  );
  app.all("*", () => new Response("served"));
  server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log });
});
afterAll(() => server.close({ graceMs: 0 }));

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

function send(headers: Record<string, string | string[]>, { method = "POST", path = "/mcp" } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: server.port, method, path, headers, agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("SEC-4 Host allow-list", () => {
  it.each([
    "localhost",
    "LOCALHOST:1",
    "127.0.0.1:24200",
    "[::1]:8080",
    "research.agents.svc",
    "research.agents.svc.:80",
    "10.1.2.3",
    "[fd00::1]:9",
  ])("serves %s", async (host) => {
    expect((await send({ host })).status).toBe(200);
  });

  it.each([
    "evil.example",
    "localhost.evil.example",
    "evillocalhost",
    "research.agents.svc.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.2",
    "[::2]",
    "user@localhost",
    "localhost:80:80",
    "localhost:",
  ])("refuses %s", async (host) => {
    const { status } = await send({ host });
    // What is no host at all ends in the server's own 400.
    expect([400, 403]).toContain(status);
  });

  it("says in JSON which Host it refused, and the cure", async () => {
    const { status, body, headers } = await send({ host: "evil.example:80" });
    expect(status).toBe(403);
    expect(headers["content-type"]).toContain("application/json");
    expect(JSON.parse(body)).toEqual({
      error: "host_not_allowed",
      message: expect.stringMatching(/^Host "evil\.example:80" is not on the allow-list/),
    });
  });

  it("refuses an absolute target that names another host than the header", async () => {
    expect((await send({ host: "localhost" }, { path: "http://evil.example/mcp" })).status).toBe(403);
    expect((await send({ host: "localhost" }, { path: "http://127.0.0.1/mcp" })).status).toBe(200);
  });

  it("refuses wildcards and malformed entries when it is made", () => {
    for (const host of ["*", "*.example.com", "", "http://a", "a b"]) {
      expect(() => guardHosts({ allowedHosts: [host], allowedOrigins: [] })).toThrow(/is not a host name or address/);
    }
    for (const origin of ["*", "https://*.example.com", "example.com", "https://a/path", ""]) {
      expect(() => guardHosts({ allowedHosts: [], allowedOrigins: [origin] })).toThrow(/is not an origin/);
    }
  });
});

describe("SEC-4 Origin allow-list and CORS", () => {
  it.each(["https://app.example.com", "HTTPS://APP.example.com", "http://localhost:3000", "vscode-webview://abc"])(
    "serves %s with matching CORS headers",
    async (origin) => {
      const { status, headers } = await send({ host: "localhost", origin });
      expect(status).toBe(200);
      expect(headers["access-control-allow-origin"]).toBe(origin);
      expect(headers["access-control-expose-headers"]).toContain("Mcp-Session-Id");
      expect(headers.vary).toBe("Origin");
    },
  );

  it.each([
    "null",
    "https://app.example.com.evil.example",
    "http://app.example.com",
    "https://app.example.com:444",
    "https://evil.example",
    "http://localhost:3001",
    "https://localhost",
    "http://127.0.0.1",
    "http://localhost:3000.evil.example",
    "",
  ])("refuses Origin %s", async (origin) => {
    const { status, headers, body } = await send({ host: "localhost", origin });
    expect(status).toBe(403);
    expect(body).toContain("origin_not_allowed");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("serves a page of its own on this machine, but not one of another name it is known by", async () => {
    expect((await send({ host: "localhost:8080", origin: "http://localhost:8080" })).status).toBe(200);
    expect((await send({ host: "[::1]:8080", origin: "http://[::1]:8080" })).status).toBe(200);
    expect((await send({ host: "research.agents.svc", origin: "http://research.agents.svc" })).status).toBe(403);
    expect((await send({ host: "evil.example", origin: "http://evil.example" })).status).toBe(403);
  });

  it("serves a request without Origin, and `null` only when listed", async () => {
    expect((await send({ host: "localhost" })).status).toBe(200);
    const app = new Hono()
      .use(guardHosts({ allowedHosts: ["localhost"], allowedOrigins: ["null"] }))
      .get("/", (c) => c.text("ok"));
    expect((await app.request("/", { headers: { host: "localhost", origin: "null" } })).status).toBe(200);
  });

  it("answers a preflight with the Mcp-* headers that were asked for, and no others", async () => {
    const preflight = {
      host: "localhost",
      origin: "https://app.example.com",
      "access-control-request-method": "POST",
      "access-control-request-headers":
        "content-type, Mcp-Session-Id, mcp-protocol-version, Mcp-Param-Region, authorization, x-evil",
    };
    const { status, headers } = await send(preflight, { method: "OPTIONS" });
    expect(status).toBe(204);
    expect(headers["access-control-allow-headers"]).toBe(
      "content-type, mcp-session-id, mcp-protocol-version, mcp-param-region, authorization",
    );
    expect(headers["access-control-allow-methods"]).toContain("DELETE");
    expect(headers["access-control-allow-origin"]).toBe("https://app.example.com");
    expect((await send({ ...preflight, origin: "https://evil.example" }, { method: "OPTIONS" })).status).toBe(403);
  });

  it("grants any page what it needs to read what is public, asked for or not, and no method that writes", async () => {
    const evil = { host: "localhost", origin: "https://evil.example" };
    const preflight = {
      ...evil,
      "access-control-request-method": "GET",
      "access-control-request-headers": "if-none-match",
    };
    const granted = await send(preflight, { method: "OPTIONS", path: "/public" });
    expect(granted.headers["access-control-allow-headers"]).toBe("if-none-match, authorization, content-type");
    for (const method of ["GET", "OPTIONS"]) {
      const { headers } = await send(evil, { method, path: "/public" });
      expect(headers["access-control-allow-headers"]).toBe("authorization, content-type");
    }
    expect(granted.headers["access-control-allow-methods"]).toBe("GET, HEAD, OPTIONS");
  });

  it("answers public reads to every origin, but not their writes nor other paths", async () => {
    const evil = { host: "localhost", origin: "https://evil.example" };
    const read = await send(evil, { method: "GET", path: "/public" });
    expect(read.status).toBe(200);
    expect(read.headers["access-control-allow-origin"]).toBe("*");
    expect(
      (await send({ ...evil, "access-control-request-method": "GET" }, { method: "OPTIONS", path: "/public" })).status,
    ).toBe(204);
    expect((await send(evil, { method: "POST", path: "/public" })).status).toBe(403);
    expect(
      (await send({ ...evil, "access-control-request-method": "POST" }, { method: "OPTIONS", path: "/public" })).status,
    ).toBe(403);
    expect((await send(evil, { method: "GET", path: "/private" })).status).toBe(403);
    expect((await send({ host: "evil.example" }, { method: "GET", path: "/public" })).status).toBe(403);
  });
});
