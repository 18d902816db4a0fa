// A remote server whose token only the bridge has, in both eras.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveOnLoopback, startEndpoint } from "../../lib/mcp/endpoint.fixture.ts";
import { startBridge } from "../testing/bridge-under-test.ts";
import { openRawSession, tryOpenSession } from "../testing/raw-session.ts";

const token = "canary-5e0c11";

interface Seen {
  method: string;
  headers: Headers;
}

/** A server that wants the token, and what it was sent. */
async function startRemote() {
  const { endpoint, stop } = await startEndpoint();
  const seen: Seen[] = [];
  const served = await serveOnLoopback((request) => {
    seen.push({ method: request.method, headers: request.headers });
    if (request.headers.get("authorization") !== `Bearer ${token}`) return new Response("no", { status: 401 });
    return endpoint.app.fetch(request);
  });
  onTestFinished(async () => {
    await Promise.all([served.stop(), stop()]);
  });
  return { ...served, seen };
}

async function bridgeTo(
  url: string,
  { secret = `Bearer ${token}`, forwardInboundAuth = false, hasHeader = true, deny = [] as string[] } = {},
) {
  const secretsDir = await mkdtemp(join(tmpdir(), "pallas-secrets-"));
  onTestFinished(async () => await rm(secretsDir, { recursive: true }));
  await mkdir(join(secretsDir, "tools"));
  const file = join(secretsDir, "tools", "token");
  await writeFile(file, secret);
  const headers = hasHeader ? [{ name: "Authorization", secret: { name: "tools", key: "token" } }] : [];
  const target = { kind: "remote", url, headers, forwardInboundAuth } as const;
  const bridge = await startBridge({ target, secretsDir, tools: { deny }, timeoutMs: 1_500 });
  return { ...bridge, file };
}

it.each(["2025", "2026"] as const)(
  "DSC-6: clients of the %s era use a remote server without its token",
  async (era) => {
    const remote = await startRemote();
    const { url, health } = await bridgeTo(remote.url);
    const versionNegotiation = { mode: era === "2026" ? { pin: "2026-07-28" } : "legacy" } as const;
    const client = new Client({ name: "c", version: "1" }, { versionNegotiation });
    onTestFinished(() => client.close());
    const authorization = { authorization: "Bearer the client's own" };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: authorization } }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("echo");
    expect(await client.callTool({ name: "echo", arguments: { text: "hello" } })).toMatchObject({
      content: [{ text: "hello" }],
    });
    await vi.waitFor(async () => expect(await health()).toMatchObject({ status: "ok", processes: 0 }));
    expect(remote.seen.map(({ headers }) => headers.get("authorization"))).toEqual(
      remote.seen.map(() => `Bearer ${token}`),
    );
  },
);

it("a caller's token goes on only where that is asked for, and a configured one wins over it", async () => {
  const remote = await startRemote();
  const send = async (url: string) =>
    await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: "Bearer of-the-caller",
        cookie: "a=b",
      },
      body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    });
  const sentBy = async (options: Parameters<typeof bridgeTo>[1]) => {
    const { url } = await bridgeTo(remote.url, options);
    remote.seen.length = 0;
    await send(url);
    return remote.seen
      .filter(({ headers }) => headers.get("content-type") === "application/json")
      .map(({ headers }) => [headers.get("authorization"), headers.get("cookie")]);
  };
  expect(await sentBy({ forwardInboundAuth: true, hasHeader: false })).toContainEqual(["Bearer of-the-caller", null]);
  expect(await sentBy({ forwardInboundAuth: false, hasHeader: false })).not.toContainEqual([
    "Bearer of-the-caller",
    null,
  ]);
  expect(await sentBy({ forwardInboundAuth: true })).not.toContainEqual(["Bearer of-the-caller", null]);
});

it("DSC-6: credentials that the server refuses are the bridge's problem, not its client's, and are never repeated", async () => {
  const remote = await startRemote();
  const wrong = "Bearer canary-wrong";
  const { url, file, health, logLines } = await bridgeTo(remote.url, { secret: wrong });
  const refused = await tryOpenSession(url);
  expect(refused.status).toBe(502);
  const text = await refused.text();
  expect(text).toContain("refused the credentials of this server with HTTP 401: check its Secret");
  await vi.waitFor(async () =>
    expect(await health()).toMatchObject({ status: "down", message: expect.stringContaining("HTTP 401") }),
  );
  expect(text + JSON.stringify(await health()) + logLines.join("")).not.toContain("canary");
  await writeFile(file, `Bearer ${token}`);
  await openRawSession(url);
});

it("DSC-6: tools that are not offered are in no list of a remote server and unknown to calls", async () => {
  const remote = await startRemote();
  const { url, health } = await bridgeTo(remote.url, { deny: ["e*"] });
  const session = await openRawSession(url);
  const [listed] = await session.request("tools/list");
  const { tools } = Object(listed?.result);
  expect(tools.map(({ name }: { name: string }) => name)).not.toContain("echo");
  expect((await session.call("echo")).error?.message).toBe("Unknown tool: echo");
  expect((await health()).toolCount).toBe(tools.length);
});

it("a remote server that says nothing is given up in time, and one that is away is named without what its URL hides", async () => {
  const silent = await serveOnLoopback(() => new Promise(() => undefined));
  onTestFinished(() => silent.stop());
  const late = await tryOpenSession((await bridgeTo(silent.url)).url);
  expect([late.status, await late.text()]).toEqual([504, expect.stringContaining("did not answer within 1500 ms")]);
  const away = await tryOpenSession((await bridgeTo("http://127.0.0.1:1/mcp?key=canary")).url);
  const text = await away.text();
  expect([away.status, text]).toEqual([502, expect.stringContaining("127.0.0.1:1/mcp is not reachable")]);
  expect(text).not.toContain("canary");
});
