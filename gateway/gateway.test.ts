// Who gets in at a gateway, and what everybody else gets: asked over real HTTP, by both SDKs where they let in.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { renderAccountClaims, renderOther } from "../lib/auth/testing/cluster-issuer.ts";
import type { GatewayRoutes } from "./name-caller.ts";
import { listResourcesTable } from "./testing/changing-table.ts";
import { serveGateway, tableOf, type ServedGateway } from "./testing/served-gateway.ts";
import { systemClock } from "../lib/process/clock.ts";
import type { ToolEntry } from "../lib/mcp/table.ts";

const whoAmI: ToolEntry = {
  name: "who_am_i",
  description: "Says what the handler learns of its caller.",
  inputSchema: { type: "object" },
  call: async (_args, { caller, bearer }) => ({
    content: [{ type: "text", text: JSON.stringify({ caller, bearer: bearer ?? null }) }],
  }),
};

const info = { name: "test-client", version: "1.0.0" };
const headersOf = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

const clients = {
  "SDK 1": async (url: URL, token: string) => {
    const client = new Client1(info);
    await client.connect(new Transport1(url, headersOf(token)));
    return client;
  },
  "SDK 2, 2025 era": async (url: URL, token: string) => {
    const client = new Client(info, { versionNegotiation: { mode: "legacy" } });
    await client.connect(new StreamableHTTPClientTransport(url, headersOf(token)));
    return client;
  },
  "SDK 2, 2026 era": async (url: URL, token: string) => {
    const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new StreamableHTTPClientTransport(url, headersOf(token)));
    return client;
  },
};

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info },
};

const send = ({ url }: ServedGateway, headers: Record<string, string> = {}, path = "/mcp") =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(initialize),
  });
const messageOf = async (response: Response) => (await response.json()).error.message;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("MGM-1 who is let in", () => {
  it.each(Object.entries(clients))("lists and calls, and no handler sees the token: %s", async (_name, connect) => {
    const served = await serveGateway({ table: tableOf(whoAmI) });
    await served.allow("admins", "an-admin");
    const client = await connect(new URL(`${served.url}/mcp`), "an-admin");
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toMatchObject([{ name: "who_am_i" }]);
    const { content } = await client.callTool({ name: "who_am_i" });
    const [first] = Array.isArray(content) ? content : [];
    expect(JSON.parse(first.text)).toEqual({
      caller: {
        kind: "person",
        role: "admin",
        agents: ["*"],
        servers: ["*"],
        groups: ["admins"],
        subject: expect.stringMatching(/^token tokens\/admins [0-9a-f]{12}$/),
        name: expect.stringMatching(/^token:tokens\/admins\/[0-9a-f]{12}$/),
      },
      bearer: null,
    });
    expect(JSON.stringify(served.logs)).not.toContain("an-admin");
  });

  it("is a ServiceAccount of the namespace with the gateway's audience, by the role of its entry", async () => {
    const served = await serveGateway({ table: tableOf(whoAmI) });
    const token = await served.issuer.sign(renderAccountClaims(systemClock));
    expect((await send(served, bearer(token))).status).toBe(200);
  });
});

describe("MGM-1 who is not let in", () => {
  it.each<[string, (served: ServedGateway) => Promise<Record<string, string>>, number, string]>([
    ["nobody", async () => ({}), 401, "Missing Authorization header"],
    ["an empty header", async () => ({ authorization: "" }), 401, "Missing Authorization header"],
    ["another scheme", async () => ({ authorization: "Basic YTpi" }), 401, "Invalid token"],
    ["a token that nobody knows", async () => bearer("unknown"), 401, "Invalid token"],
    [
      "another audience",
      async ({ issuer }) =>
        bearer(await issuer.sign(renderAccountClaims(systemClock, { aud: ["pallas:agents/gaia"] }))),
      401,
      "Invalid token",
    ],
    [
      "an audience beside ours",
      async ({ issuer }) =>
        bearer(await issuer.sign(renderAccountClaims(systemClock, { aud: ["pallas:agents/ouranos", "api"] }))),
      401,
      "Invalid token",
    ],
    [
      "one that has expired",
      async ({ issuer }) =>
        bearer(await issuer.sign(renderAccountClaims(systemClock, { exp: Math.floor(Date.now() / 1_000) - 60 }))),
      401,
      "Invalid token",
    ],
    [
      "an account that access does not name",
      async ({ issuer }) =>
        bearer(await issuer.sign(renderAccountClaims(systemClock, renderOther("agents", "somebody", "uid-1")))),
      403,
      "this needs the role viewer, and the token's owner has no role",
    ],
    [
      "an account of that name in another namespace",
      async ({ issuer }) =>
        bearer(await issuer.sign(renderAccountClaims(systemClock, renderOther("elsewhere", "on-call", "uid-1")))),
      403,
      "this needs the role viewer, and the token's owner has no role",
    ],
  ])("%s", async (_who, render, status, message) => {
    const served = await serveGateway();
    const response = await send(served, await render(served));
    expect([response.status, await messageOf(response)]).toEqual([status, message]);
    expect(response.headers.has("www-authenticate")).toBe(status === 401);
    const { body } = await served.metrics.render();
    expect(body).toContain(`pallas_gateway_refused_total{status="${status}"} 1\n`);
  });

  it("an agent, at what is for people, whichever way it proves who it is", async () => {
    const served = await serveGateway();
    await served.allow("clerk", "the-clerk");
    served.state.finding = { agent: "clerk" };
    const account = renderOther("agents", "clerk-agent", "uid-2");
    const tokens = ["the-clerk", await served.issuer.sign(renderAccountClaims(systemClock, account))];
    for (const token of tokens) {
      const response = await send(served, bearer(token));
      expect([response.status, await messageOf(response)]).toEqual([
        403,
        "this needs a person with the role viewer, and the token is an agent's",
      ]);
    }
  });

  it("an account that the watch no longer knows, though its token is good", async () => {
    const served = await serveGateway();
    served.state.finding = { gone: "the token's pod has been deleted" };
    const response = await send(served, bearer(await served.issuer.sign(renderAccountClaims(systemClock))));
    expect([response.status, await messageOf(response)]).toEqual([401, "Invalid token"]);
    expect(response.headers.get("www-authenticate")).toContain("the token's pod has been deleted");
  });

  it("anybody with a token in the URL or with two of them", async () => {
    const served = await serveGateway();
    await served.allow("admins", "an-admin");
    expect((await send(served, bearer("an-admin"), "/mcp?access_token=an-admin")).status).toBe(400);
    expect(served.logs.filter((line) => JSON.stringify(line).includes("an-admin"))).toEqual([]);
  });

  it("anybody before the resources are read: 503, and a good token works once they are", async () => {
    const served = await serveGateway();
    await served.allow("admins", "an-admin");
    served.state.unready = "not read yet: pallasagents";
    const response = await send(served, bearer("an-admin"));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "15"]);
    served.state.unready = undefined;
    expect((await send(served, bearer("an-admin"))).status).toBe(200);
  });

  it("anybody by the cluster's tokens while its keys cannot be read: 503, and tables go on", async () => {
    const served = await serveGateway({ hasNoKeys: true });
    await served.allow("admins", "an-admin");
    const token = await served.issuer.sign(renderAccountClaims(systemClock));
    const tokens = ["an-admin", token];
    const answers = await Promise.all(tokens.map((each) => send(served, bearer(each))));
    expect(answers.map(({ status }) => status)).toEqual([200, 503]);
    expect((await served.metrics.render()).body).toMatch(/^pallas_gateway_token_sources_in_trouble 1$/m);
  });

  it("a foreign Host and a foreign Origin, before anybody looks at the token", async () => {
    const served = await serveGateway();
    await served.allow("admins", "an-admin");
    const answers = [
      await send(served, { ...bearer("an-admin"), origin: "https://evil.example.com" }),
      await send(served, { ...bearer("an-admin"), origin: "https://app.example.com" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 200]);
    expect(answers[1]?.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
  });
});

describe("MGM-1 routes beside the management server", () => {
  it("get who is named before it does, an agent too, and pass on what they leave", async () => {
    const routes = new Hono<GatewayRoutes>();
    routes.all("/mcp", async (c, next) => {
      const caller = c.get("caller");
      const token = c.req.header("authorization") ?? "no token";
      return caller.kind === "agent" ? c.text(`the compositor of ${caller.agent}, ${token}`) : await next();
    });
    const served = await serveGateway({ routes: [routes] });
    await served.allow("clerk", "the-clerk");
    await served.allow("admins", "an-admin");
    expect(await (await send(served, bearer("the-clerk"))).text()).toBe("the compositor of clerk, no token");
    expect((await send(served, bearer("an-admin"))).headers.has("mcp-session-id")).toBe(true);
    expect((await send(served)).status).toBe(401);
  });
});

describe("MGM-1 a stream of changes", () => {
  it("ends when the token that opened it ends, and a call goes on", async () => {
    const { table, hear } = listResourcesTable();
    const served = await serveGateway({ table });
    await served.allow("admins", "an-admin", new Date(Date.now() + 1_500).toISOString());
    const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), headersOf("an-admin")));
    const wait = client.callTool({ name: "wait" });
    const stream = await fetch(`${served.url}/mcp`, {
      method: "POST",
      headers: {
        ...bearer("an-admin"),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: "s",
        method: "subscriptions/listen",
        params: {
          notifications: { resourcesListChanged: true },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": info,
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(stream.status).toBe(200);
    await expect(stream.text()).rejects.toThrow("terminated");
    hear();
    expect(await wait).toMatchObject({ content: [{ text: "done" }] });
  });
});

describe("HLT-5 the admin port", () => {
  it("is alive from the start, ready once the resources are read, and needs no token", async () => {
    const served = await serveGateway();
    served.state.unready = "not read yet: pallasagents";
    const get = (path: string) => fetch(`${served.adminUrl}${path}`);
    expect((await get("/livez")).status).toBe(200);
    const unready = await get("/readyz");
    expect([unready.status, (await unready.json()).reason]).toEqual([503, "not read yet: pallasagents"]);
    served.state.unready = undefined;
    expect((await get("/readyz")).status).toBe(200);
    expect(await (await get("/metrics")).text()).toMatch(/^pallas_up 1$/m);
  });

  it("has none of its routes on the port for callers", async () => {
    const served = await serveGateway();
    await served.allow("admins", "an-admin");
    for (const path of ["/metrics", "/readyz", "/livez"]) {
      expect((await fetch(`${served.url}${path}`, { headers: bearer("an-admin") })).status).toBe(404);
      expect((await fetch(`${served.url}${path}`)).status).toBe(401);
    }
  });
});

describe("AGT-12 a gateway that drains", () => {
  it("is not ready, refuses new calls, lets those in flight finish, then ends its streams", async () => {
    const { table, hear } = listResourcesTable();
    const served = await serveGateway({ table });
    await served.allow("admins", "an-admin");
    const client = new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), headersOf("an-admin")));
    const wait = client.callTool({ name: "wait" });
    await expect.poll(() => served.gateway.countInFlight()).toBe(1);
    const drained = served.gateway.drain.run({ delayMs: 0, timeoutMs: 30_000, signal: new AbortController().signal });
    await expect.poll(async () => (await send(served, bearer("an-admin"))).status).toBe(503);
    expect((await fetch(`${served.adminUrl}/readyz`)).status).toBe(503);
    hear();
    expect(await wait).toMatchObject({ content: [{ text: "done" }] });
    await drained;
    expect(served.gateway.countInFlight()).toBe(0);
  });
});
