// Sessions of the 2025 era over a restart of the gateway: the same session, still subscribed, and nobody else's.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { renderAccountClaims } from "../lib/auth/testing/cluster-issuer.ts";
import { createChangingTable } from "../lib/mcp/changing-table.fixture.ts";
import { systemClock } from "../lib/process/clock.ts";
import { serveGateway, type ServedGateway } from "./testing/served-gateway.ts";

async function createSessionsPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sessions-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "sessions.json");
}

const signFor = ({ issuer }: ServedGateway) => issuer.sign(renderAccountClaims(systemClock));
const versions = { "mcp-protocol-version": "2025-11-25", accept: "application/json, text/event-stream" };

interface Asked {
  token: string;
  session: string;
  method?: string;
}

/** What a session's next request gets. */
async function ask({ url }: ServedGateway, { token, session, method = "POST" }: Asked): Promise<number> {
  const response = await fetch(`${url}/mcp`, {
    method,
    headers: {
      ...versions,
      authorization: `Bearer ${token}`,
      "mcp-session-id": session,
      "content-type": "application/json",
    },
    ...(method === "POST" && { body: JSON.stringify({ jsonrpc: "2.0", id: 5, method: "ping" }) }),
  });
  await response.body?.cancel();
  return response.status;
}

async function connect({ url }: ServedGateway, token: string) {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, session: transport.sessionId ?? "" };
}

/** A client that goes on with a session without saying initialize, as clients do that know nothing of the restart. */
async function goOn({ url }: ServedGateway, token: string, sessionId: string) {
  const client = new Client({ name: "test", version: "1" });
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...versions } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit, sessionId });
  await client.connect(transport);
  onTestFinished(() => client.close());
  await transport.resumeStream("");
  return { client, heard };
}

describe("MGM-2 sessions over a restart of the gateway", () => {
  it("go on for their owner, still subscribed, by a token that is not the one before", async () => {
    const [sessionsPath, changing] = [await createSessionsPath(), createChangingTable()];
    const served = { table: changing.table, sessionsPath };
    const before = await serveGateway(served);
    const admin = await signFor(before);
    const { client, session } = await connect(before, admin);
    await client.subscribeResource({ uri: "note://a" });
    await client.subscribeResource({ uri: "note://b" });
    await client.unsubscribeResource({ uri: "note://b" });
    await before.gateway.close();

    const after = await serveGateway(served);
    const { heard } = await goOn(after, await signFor(after), session);
    await expect.poll(() => heard).toEqual(["note://a"]);
    changing.put("note://b", "changed");
    changing.put("note://a", "changed");
    await expect.poll(() => heard).toEqual(["note://a", "note://a"]);
  });

  it("are unknown to another caller, with a 404 as for one that never was", async () => {
    const sessionsPath = await createSessionsPath();
    const before = await serveGateway({ sessionsPath });
    await before.allow("admins", "of-an-admin");
    const { session } = await connect(before, "of-an-admin");
    expect(await ask(before, { token: await signFor(before), session })).toBe(404);
    await before.gateway.close();

    const after = await serveGateway({ sessionsPath });
    await after.allow("admins", "of-an-admin");
    for (const method of ["POST", "GET", "DELETE"]) {
      expect(await ask(after, { token: await signFor(after), session, method })).toBe(404);
    }
    expect(await ask(after, { token: "of-an-admin", session: session.replace(/.$/, "x") })).toBe(404);
    expect(after.gateway.countSessions()).toBe(0);
    expect(await ask(after, { token: "of-an-admin", session })).toBe(200);
    expect(after.gateway.countSessions()).toBe(1);
  });

  it("are over once their client has ended them, before the restart or after it", async () => {
    const sessionsPath = await createSessionsPath();
    const before = await serveGateway({ sessionsPath });
    const token = await signFor(before);
    const [ended, kept] = [await connect(before, token), await connect(before, token)];
    expect(await ask(before, { token, session: ended.session, method: "DELETE" })).toBe(200);
    await before.gateway.close();

    const after = await serveGateway({ sessionsPath });
    const sameToken = await signFor(after);
    expect(await ask(after, { token: sameToken, session: ended.session })).toBe(404);
    expect(await ask(after, { token: sameToken, session: kept.session, method: "DELETE" })).toBe(200);
    expect(await ask(after, { token: sameToken, session: kept.session })).toBe(404);
  });

  it("are kept without a name, an account or a token", async () => {
    const sessionsPath = await createSessionsPath();
    const served = await serveGateway({ sessionsPath });
    const token = await signFor(served);
    const { session } = await connect(served, token);
    await served.gateway.close();
    expect(await readFile(sessionsPath, "utf8")).toBe(`{"schema":1,"sessions":[["${session}",[]]]}\n`);
  });

  it("hold up no shutdown by their streams of changes", async () => {
    const [sessionsPath, { table }] = [await createSessionsPath(), createChangingTable()];
    const served = await serveGateway({ table, sessionsPath });
    const token = await signFor(served);
    const { session } = await connect(served, token);
    // Its client has the one stream that a session may have.
    await expect.poll(() => ask(served, { token, session, method: "GET" })).toBe(409);
    await expect.poll(() => served.gateway.countInFlight()).toBe(0);
  });
});
