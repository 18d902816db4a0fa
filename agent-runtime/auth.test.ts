// AGT-11 inbound authentication of a running agent: who gets in, what is published, and what happens when keys are out of reach.
import { describe, expect, it } from "vitest";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { ask, connect2026, sendMessage } from "./testing/client.ts";
import { renderClaims, signingAlgorithms, startIssuer, type Issuer } from "../lib/auth/testing/issuer.ts";
import { renderTestServer, renderTestSubAgent } from "./testing/run-config.ts";
import { startAgent, startToolServer, textResult } from "./testing/servers.ts";
import type { RunConfig } from "../crds/run-config.ts";

const keep = keepUntilEnd();

const resource = "https://agents.example.com/team/a/mcp";
const authOf = (issuer: Issuer, changes: object = {}) => ({
  issuer: issuer.url,
  audiences: ["pallas"],
  resource,
  ...changes,
});

const start = (issuer: Issuer, changes: Partial<RunConfig> = {}) =>
  keep(startAgent({ auth: authOf(issuer), ...changes }));
const issue = (metadata?: string): Promise<Issuer> => keep(startIssuer(metadata));

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

const post = (url: string, token: string, message: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      Authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify(message),
  });

describe("AGT-11 a valid token", () => {
  it.each(signingAlgorithms)("signed with %s gets in, in both eras", async (alg) => {
    const issuer = await issue();
    const agent = await start(issuer);
    const token = await issuer.sign(renderClaims(issuer, { aud: ["other", "pallas"] }), { alg });
    expect((await ask(agent.mcpUrl, { message: "hello" }, token)).isError).toBe(false);
    expect((await post(agent.mcpUrl, token, initialize)).status).toBe(200);
  });

  it("may be off by the leeway of 30 s", async () => {
    const issuer = await issue();
    const agent = await start(issuer);
    const nowSeconds = Math.floor(Date.now() / 1_000);
    for (const claims of [{ exp: nowSeconds - 20 }, { nbf: nowSeconds + 20 }]) {
      const token = await issuer.sign(renderClaims(issuer, claims));
      expect((await post(agent.mcpUrl, token, initialize)).status).toBe(200);
    }
  });

  it.each(["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"])(
    "is checked by keys found at %s",
    async (metadata) => {
      const issuer = await issue(metadata);
      const agent = await start(issuer);
      const token = await issuer.sign(renderClaims(issuer));
      expect((await post(agent.mcpUrl, token, initialize)).status).toBe(200);
    },
  );

  it("is checked by keys at the configured URL", async () => {
    const issuer = await issue("/nowhere");
    const agent = await start(issuer, { auth: authOf(issuer, { jwksUrl: issuer.jwksUrl }) });
    const token = await issuer.sign(renderClaims(issuer));
    expect((await post(agent.mcpUrl, token, initialize)).status).toBe(200);
  });

  it("goes on to a sub-agent whose entry forwards it, and to no server that does not", async () => {
    const issuer = await issue();
    const sub = await start(issuer, { agent: renderNamed("sub") });
    const tools = await keep(startToolServer({ look: () => textResult("seen") }));
    const agent = await start(issuer, {
      agents: [renderTestSubAgent("sub", sub.mcpUrl, { forwardInboundAuth: true })],
      servers: [renderTestServer("tools", tools.url)],
    });
    const token = await issuer.sign(renderClaims(issuer));
    const { text } = await ask(agent.mcpUrl, { message: '***CALL_TOOL sub__sub {"message":"hi"}' }, token);
    expect(text).toContain("hi");
    expect(tools.authorizations.every((header) => header === null)).toBe(true);
    // Probes carry no token; that the sub-agent refuses them shows that it is there.
    expect((await agent.health.check()).status).toBe("ok");
  });
});

const renderNamed = (name: string): RunConfig["agent"] => ({
  name,
  namespace: "agents",
  instance: "ouranos",
  title: name,
  description: "",
  version: "1.0.0",
});

describe("AGT-11 metadata of the protected resource", () => {
  it("is open, says who issues tokens, and names the published URL on its own host", async () => {
    const issuer = await issue();
    const agent = await start(issuer, {
      http: { allowedHosts: ["agents.example.com"], allowedOrigins: [], bodyLimitBytes: 1_000 },
    });
    for (const path of ["", "/mcp"]) {
      const response = await fetch(`${agent.url}/.well-known/oauth-protected-resource${path}`, {
        headers: { Origin: "https://anywhere.example.com" },
      });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(await response.json()).toEqual({
        resource: agent.mcpUrl,
        authorization_servers: [issuer.url],
        bearer_methods_supported: ["header"],
        resource_name: "Tech Research",
      });
    }
  });

  it("probes, health and metrics stay open on their own port", async () => {
    const agent = await start(await issue());
    for (const path of ["/livez", "/readyz", "/health", "/metrics"]) {
      expect((await fetch(`${agent.adminUrl}${path}`)).status).toBe(200);
    }
  });

  it("is not there, and nobody needs a token, without auth", async () => {
    const agent = await keep(startAgent());
    expect((await fetch(`${agent.url}/.well-known/oauth-protected-resource`)).status).toBe(404);
    expect((await ask(agent.mcpUrl, { message: "hello" })).isError).toBe(false);
  });
});

describe("AGT-11 keys out of reach", () => {
  const outages: Record<string, () => Response> = {
    "an error": () => new Response("no", { status: 500 }),
    "no JSON": () => new Response("<html>"),
    "no key set": () => Response.json({ issuer: "x" }),
    "more than may be read": () => new Response("x".repeat(2_000_000)),
  };
  it.each(Object.entries(outages))("by %s: 503 and a degraded health, never open", async (_name, answer) => {
    const issuer = await issue();
    issuer.breakWith(answer);
    const agent = await start(issuer);
    const token = await issuer.sign(renderClaims(issuer));
    const response = await post(agent.mcpUrl, token, initialize);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await agent.health.check()).toMatchObject({
      status: "degraded",
      message: expect.stringContaining(`Authentication: ${issuer.url}`),
    });
  });

  it("SEC-5 at a link-local address: nothing is sent, nobody gets in", async () => {
    const issuer = await issue();
    const agent = await start(issuer, { auth: authOf(issuer, { jwksUrl: "http://169.254.169.254/keys" }) });
    const token = await issuer.sign(renderClaims(issuer));
    expect((await post(agent.mcpUrl, token, initialize)).status).toBe(503);
    expect((await agent.health.check()).message).toContain("link-local");
  });

  it("by metadata of another issuer: nobody gets in", async () => {
    const issuer = await issue();
    const other = await issue();
    const metadata = { issuer: other.url, jwks_uri: other.jwksUrl };
    issuer.breakWith(() => Response.json(metadata));
    const agent = await start(issuer);
    const forged = await other.sign(renderClaims(issuer));
    expect((await post(agent.mcpUrl, forged, initialize)).status).toBe(503);
  });
});

describe("AGT-11 a session belongs to who opened it", () => {
  it("another caller gets 404 for its Mcp-Session-Id, by every method, and the owner goes on", async () => {
    const issuer = await issue();
    const agent = await start(issuer);
    const [alice, bob] = await Promise.all(["alice", "bob"].map((sub) => issuer.sign(renderClaims(issuer, { sub }))));
    const opened = await post(agent.mcpUrl, alice ?? "", initialize);
    const session = { "Mcp-Session-Id": opened.headers.get("mcp-session-id") ?? "" };
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    expect((await post(agent.mcpUrl, bob ?? "", list, session)).status).toBe(404);
    for (const method of ["GET", "DELETE"]) {
      const headers = { ...session, Accept: "text/event-stream", Authorization: `Bearer ${bob}` };
      expect((await fetch(agent.mcpUrl, { method, headers })).status).toBe(404);
    }
    expect((await post(agent.mcpUrl, alice ?? "", list, session)).status).toBe(200);
  });

  it("another caller cannot go on with its session_id", async () => {
    const issuer = await issue();
    const agent = await start(issuer);
    const tokens = await Promise.all(["alice", "bob"].map((sub) => issuer.sign(renderClaims(issuer, { sub }))));
    const [alice, bob] = await Promise.all(tokens.map((token) => connect2026(agent.mcpUrl, token)));
    if (alice === undefined || bob === undefined) throw new Error("expected two connections");
    const { sessionId } = await sendMessage(alice, { message: "my secret" });
    expect(await sendMessage(bob, { message: "what?", session_id: sessionId })).toMatchObject({ isError: true });
    expect(await sendMessage(alice, { message: "again", session_id: sessionId })).toMatchObject({ isError: false });
    await Promise.all([alice.close(), bob.close()]);
  });
});
