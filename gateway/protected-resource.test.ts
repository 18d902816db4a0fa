// What MCP clients read to sign somebody in at a gateway (RFC 9728), without a token, and where 401 leads them.
import { expect, test } from "vitest";
import { testConfig } from "./testing/resources.ts";
import { serveGateway } from "./testing/served-gateway.ts";

// Nobody answers there: what is read here needs no keys.
const jwt = { issuer: "http://127.0.0.1:1", audiences: ["agents"], jwksUrl: "http://127.0.0.1:1/keys" };
const config = testConfig({ jwt });
const wellKnown = "/.well-known/oauth-protected-resource";

test.each([
  ["", "/mcp"],
  ["/mcp", "/mcp"],
  ["/proxy/clerk/mcp", "/proxy/clerk/mcp"],
])("MGM-1 %j of the metadata is of the endpoint %s, as it was asked", async (suffix, path) => {
  const { url } = await serveGateway({ config });
  const read = async (headers: Record<string, string> = {}) =>
    await (await fetch(`${url}${wellKnown}${suffix}`, { headers })).json();
  expect(await read()).toEqual({
    resource: `${url}${path}`,
    authorization_servers: [jwt.issuer],
    bearer_methods_supported: ["header"],
    resource_name: "Gateway of ouranos",
  });
  const behindTls = await read({ "x-forwarded-proto": "https, http" });
  expect(behindTls).toMatchObject({ resource: `${url.replace("http:", "https:")}${path}` });
  expect(await read({ "x-forwarded-proto": "javascript" })).toMatchObject({ resource: `${url}${path}` });
});

test("MGM-1 of what is no endpoint there is none, and none without an issuer", async () => {
  const { url } = await serveGateway({ config });
  for (const suffix of ["/", "/other", "/proxy/CLERK/mcp", "/proxy//mcp", "/proxy/a/b/mcp"]) {
    expect((await fetch(`${url}${wellKnown}${suffix}`)).status).toBe(401);
  }
  const without = await serveGateway();
  expect((await fetch(`${without.url}${wellKnown}`)).status).toBe(401);
});

test("MGM-1 who comes without a token, or with one that is not good, is led to that of the endpoint", async () => {
  const { url } = await serveGateway({ config });
  const challengeOf = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${url}${path}`, { method: "POST", headers })).headers.get("www-authenticate");
  expect(await challengeOf("/mcp")).toBe(`Bearer resource_metadata="${url}${wellKnown}/mcp"`);
  expect(await challengeOf("/proxy/clerk/mcp")).toContain(`resource_metadata="${url}${wellKnown}/proxy/clerk/mcp"`);
  expect(await challengeOf("/elsewhere", { authorization: "Basic x" })).toContain(`"${url}${wellKnown}/mcp"`);
  const without = await serveGateway();
  expect((await fetch(`${without.url}/mcp`, { method: "POST" })).headers.get("www-authenticate")).toBe("Bearer");
});

test("SEC-4 pages of any origin may read it, and no foreign Host", async () => {
  const { url } = await serveGateway({ config });
  const read = (headers: Record<string, string>) => fetch(`${url}${wellKnown}/mcp`, { headers });
  expect(
    (await read({ origin: "https://anywhere.example" })).headers.get("access-control-allow-origin"),
  ).not.toBeNull();
  expect((await fetch(`${url}/mcp`, { headers: { origin: "https://anywhere.example" } })).status).toBe(403);
});
