// The dashboard as browsers ask for it, over real HTTP: who gets it, what each answer allows, and which pages may call the gateway.
import { request, type IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { testConfig } from "../testing/resources.ts";
import { serveGateway, type ServedGateway } from "../testing/served-gateway.ts";
import type { Dashboard, DashboardFile } from "./dashboard-files.ts";
import { createDashboardRoutes } from "./routes.ts";

const encode = (text: string) => new Uint8Array(Buffer.from(text));
const fileOf = (contentType: string, hash: string, text: string): DashboardFile => ({
  contentType,
  hash,
  bytes: { identity: encode(text), br: encode(`br of ${text}`), gzip: encode(`gzip of ${text}`) },
});
const built: Dashboard = {
  page: fileOf("text/html; charset=utf-8", "page-hash", "<!doctype html>"),
  assets: new Map([["assets/main-A1.js", fileOf("text/javascript; charset=utf-8", "js-hash", "script")]]),
  approvalsApp: undefined,
};
const jwt = { issuer: "https://issuer.example/realm", audiences: ["pallas"] };

async function serve({
  config = testConfig(),
  dashboard = built,
}: { config?: GatewayConfig; dashboard?: Dashboard | undefined } = {}): Promise<ServedGateway & { blocked(): number }> {
  let blocked = 0;
  const log = createLogger({ logger: "test", level: "SILENT" });
  const onReport = () => (blocked += 1);
  const parts = { dashboard, config, isLocal: false, onReport, log, clock: systemClock };
  const served = await serveGateway({ config, dashboard: createDashboardRoutes(parts) });
  return { ...served, blocked: () => blocked };
}

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Not by fetch, which sets Host and Origin itself. */
function ask({ url }: ServedGateway, path: string, { method = "GET", headers = {}, body = "" }: Asked = {}) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("UI-1 the dashboard's files", () => {
  it("are for everybody, and are asked for again but where their name changes with them", async () => {
    const served = await serve();
    const page = await ask(served, "/ui/");
    expect([page.status, page.body, page.headers["content-type"], page.headers["cache-control"]]).toEqual([
      200,
      "<!doctype html>",
      "text/html; charset=utf-8",
      "no-cache",
    ]);
    const asset = await ask(served, "/ui/assets/main-A1.js");
    expect([asset.status, asset.body, asset.headers["content-type"], asset.headers["cache-control"]]).toEqual([
      200,
      "script",
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
    ]);
    // By it a page knows the server's time.
    expect(Date.parse(page.headers.date ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });

  it("come in the encoding that is liked best, each with a tag of its own, and not at all to who has it", async () => {
    const served = await serve();
    const get = (headers: Record<string, string>) => ask(served, "/ui/assets/main-A1.js", { headers });
    const tags = ["br", "gzip", "identity"].map(async (encoding) => {
      const { headers, body } = await get({ "accept-encoding": encoding });
      expect(headers.vary).toContain("Accept-Encoding");
      expect([headers["content-encoding"] ?? "identity", body]).toEqual([
        encoding,
        encoding === "identity" ? "script" : `${encoding} of script`,
      ]);
      return headers.etag ?? "";
    });
    const [br = "", gzip = "", plain = ""] = await Promise.all(tags);
    expect(new Set([br, gzip, plain]).size).toBe(3);
    const known = await get({ "accept-encoding": "br", "if-none-match": `"other", ${br}` });
    expect([known.status, known.body, known.headers.etag]).toEqual([304, "", br]);
    expect((await get({ "accept-encoding": "br", "if-none-match": gzip })).status).toBe(200);
  });

  it("are found at /ui/ from /ui", async () => {
    const { status, headers } = await ask(await serve(), "/ui");
    expect([status, headers.location]).toEqual([308, "/ui/"]);
  });

  it.each([
    "/ui/assets/",
    "/ui/assets/main-A2.js",
    "/ui/assets/../index.html",
    "/ui/%2e%2e/mcp",
    "/ui/index.html.br",
    "/ui/x",
  ])("do not include %s", async (path) => {
    const { status, headers } = await ask(await serve(), path);
    // A path that leads out of /ui is one of those that need a token.
    expect([401, 404]).toContain(status);
    if (path.includes("..") || path.includes("%2e")) return;
    expect([status, headers["cache-control"]]).toEqual([404, "no-store"]);
  });

  it("are only read: HEAD has no body, anything else is refused", async () => {
    const served = await serve();
    const head = await ask(served, "/ui/", { method: "HEAD" });
    expect([head.status, head.body, head.headers["content-length"]]).toEqual([200, "", "15"]);
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const { status, headers } = await ask(served, "/ui/", { method });
      expect([method, status, headers.allow]).toEqual([method, 405, "GET, HEAD"]);
    }
  });

  it("are not there where none were built, which is said with the cure", async () => {
    const config = testConfig();
    const log = createLogger({ logger: "test", level: "SILENT" });
    const parts = { dashboard: undefined, config, isLocal: false, onReport: () => undefined, log, clock: systemClock };
    const served = await serveGateway({ config, dashboard: createDashboardRoutes(parts) });
    const { status, body } = await ask(served, "/ui/");
    expect([status, JSON.parse(body).message]).toEqual([404, expect.stringContaining("make build")]);
  });

  it("are behind the Host guard", async () => {
    expect((await ask(await serve(), "/ui/", { headers: { host: "evil.example" } })).status).toBe(403);
  });

  it("leave the rest of the gateway closed to who has no token", async () => {
    expect((await ask(await serve(), "/uix")).status).toBe(401);
    expect((await ask(await serve(), "/mcp")).status).toBe(401);
  });
});

describe("UI-1 what a browser lets the page do", () => {
  const policyOf = async (served: ServedGateway, asked: Asked = {}, path = "/ui/") => {
    const { headers } = await ask(served, path, asked);
    const text = headers["content-security-policy"]?.toString() ?? "";
    return new Map(text.split("; ").map((part): [string, string] => [part.split(" ", 1)[0] ?? "", part]));
  };

  it("is to load its own files and to ask its own gateway, and nothing else", async () => {
    const served = await serve();
    const { host } = new URL(served.url);
    expect([...(await policyOf(served)).values()]).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'none'",
      `connect-src 'self' ws://${host}`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
      "report-uri /ui/csp-report",
    ]);
  });

  it("is the same for every answer below /ui, whatever it is", async () => {
    const served = await serve();
    for (const path of ["/ui/", "/ui", "/ui/assets/main-A1.js", "/ui/nothing", "/ui/config.json"]) {
      const { headers } = await ask(served, path);
      expect([path, headers["content-security-policy"]]).toEqual([path, expect.stringContaining("default-src 'none'")]);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": expect.stringContaining("camera=()"),
      });
    }
  });

  it("is to use wss, and to report by both ways, where TLS ends before the gateway", async () => {
    const config = testConfig({ http: { ...testConfig().http, allowedHosts: ["team.example.com"] } });
    const headers = { host: "team.example.com", "x-forwarded-proto": "https" };
    const served = await serve({ config });
    const policy = await policyOf(served, { headers });
    expect(policy.get("connect-src")).toBe("connect-src 'self' wss://team.example.com");
    expect([policy.get("report-uri"), policy.get("report-to")]).toEqual(["report-uri /ui/csp-report", "report-to ui"]);
    const { headers: answered } = await ask(served, "/ui/", { headers });
    expect(answered["reporting-endpoints"]).toBe('ui="/ui/csp-report"');
  });

  it("is to ask the issuer only where people sign in there by this page", async () => {
    const without = await serve({ config: testConfig({ jwt }) });
    expect((await policyOf(without)).get("connect-src")).not.toContain("issuer.example");
    const ui = { oidc: { clientId: "pallas", scopes: ["openid"] } };
    const withIt = await serve({ config: testConfig({ jwt, ui }) });
    expect((await policyOf(withIt)).get("connect-src")).toMatch(/ https:\/\/issuer\.example$/);
  });

  it("is reported when it is not kept, and counted", async () => {
    const served = await serve();
    const body = JSON.stringify({ "csp-report": { "effective-directive": "img-src", "blocked-uri": "inline" } });
    const headers = { "content-type": "application/csp-report", origin: served.url };
    expect((await ask(served, "/ui/csp-report", { method: "POST", headers, body })).status).toBe(204);
    expect(served.blocked()).toBe(1);
    const bad = await ask(served, "/ui/csp-report", { method: "POST", headers, body: "{" });
    expect([bad.status, JSON.parse(bad.body).error, served.blocked()]).toEqual([400, "bad_report", 1]);
    expect((await ask(served, "/ui/csp-report")).status).toBe(404);
  });
});

describe("UI-1 /ui/config.json", () => {
  const read = async (config: GatewayConfig) =>
    JSON.parse((await ask(await serve({ config }), "/ui/config.json")).body);

  it("says whose page it is and which build", async () => {
    expect(await read(testConfig({ jwt }))).toEqual({
      version: "1.0.0",
      instance: "ouranos",
      namespace: "agents",
      build: "page-hash",
      local: false,
    });
  });

  it("says where people sign in, where that is configured", async () => {
    const ui = { oidc: { clientId: "pallas", scopes: ["openid", "groups"] } };
    expect((await read(testConfig({ jwt, ui }))).oidc).toEqual({
      issuer: "https://issuer.example/realm",
      clientId: "pallas",
      scopes: ["openid", "groups"],
      audiences: ["pallas"],
    });
  });
});

describe("SEC-4 which pages may call the gateway", () => {
  const config = testConfig({ http: { ...testConfig().http, allowedHosts: ["team.example.com"] } });
  const post = (served: ServedGateway, headers: Record<string, string>, path = "/mcp") =>
    ask(served, path, { method: "POST", headers });
  const paths = ["/mcp", "/proxy/clerk/mcp", "/api/servers", "/ws"];
  const https = { "x-forwarded-proto": "https" };

  it.each<[string, Record<string, string>]>([
    ["its own, by its Service", { host: "ouranos-gateway", origin: "http://ouranos-gateway" }],
    ["its own, on its port", { host: "team.example.com:8443", origin: "https://team.example.com:8443", ...https }],
    ["its own, behind TLS", { host: "team.example.com", origin: "https://team.example.com", ...https }],
    [
      "its own, with the port that goes without saying",
      { host: "team.example.com:443", origin: "https://team.example.com", ...https },
    ],
    ["one that is listed", { host: "team.example.com", origin: "https://app.example.com" }],
  ])("%s", async (_what, headers) => {
    const served = await serve({ config });
    // No token: the guard of origins let it through to that of callers.
    for (const path of paths) expect([path, (await post(served, headers, path)).status]).toEqual([path, 401]);
  });

  it.each<[string, Record<string, string>]>([
    ["a foreign one", { host: "team.example.com", origin: "https://evil.example", ...https }],
    ["none", { host: "team.example.com", origin: "null", ...https }],
    ["one on another port", { host: "team.example.com", origin: "https://team.example.com:8443", ...https }],
    ["one on the port of plain HTTP", { host: "team.example.com", origin: "https://team.example.com:80", ...https }],
    ["one of this name without TLS", { host: "team.example.com", origin: "http://team.example.com", ...https }],
    ["one with TLS that nobody ended", { host: "team.example.com", origin: "https://team.example.com" }],
    ["another name of the gateway", { host: "team.example.com", origin: "http://ouranos-gateway" }],
    ["one below its name", { host: "team.example.com", origin: "https://a.team.example.com", ...https }],
    [
      "one that begins like its name",
      { host: "team.example.com", origin: "https://team.example.com.evil.example", ...https },
    ],
    [
      "one that names it in a user's place",
      { host: "team.example.com", origin: "https://team.example.com@evil.example", ...https },
    ],
    ["a name that was rebound to it", { host: "evil.example", origin: "http://evil.example" }],
    [
      "one with a scheme of its own",
      { host: "team.example.com", origin: "app://team.example.com", "x-forwarded-proto": "app" },
    ],
    ["an empty one", { host: "team.example.com", origin: "" }],
  ])("not %s", async (_what, headers) => {
    const served = await serve({ config });
    for (const path of [...paths, "/ui/csp-report"]) {
      const { status, body, headers: answered } = await post(served, headers, path);
      expect([path, status, JSON.parse(body).error]).toEqual([path, 403, expect.stringMatching(/_not_allowed$/)]);
      expect(answered["access-control-allow-origin"]).toBeUndefined();
    }
  });
});
