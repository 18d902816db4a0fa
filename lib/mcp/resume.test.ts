// Sessions of the 2025 era that outlive the endpoint that opened them, with the first SDK's client where it matters.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { serveOnLoopback, startEndpoint, type TestEndpoint } from "./endpoint.fixture.ts";
import { callMessage, initializeMessage, openSession, post, readMessages } from "./raw-client.fixture.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(...options: Parameters<typeof startEndpoint>): Promise<TestEndpoint> {
  const served = await startEndpoint(...options);
  stops.push(served.stop);
  return served;
}

const statusOf = async (response: Response) => {
  await response.text();
  return response.status;
};
const session = { "mcp-session-id": "5".repeat(32) };
const isKnown = async (id: string) => id === session["mcp-session-id"];

describe("AGT-5 a session that is not open is resumed", () => {
  test("a client of the first SDK goes on over a restart on the same address, without a new initialize", async () => {
    const known: string[] = [];
    const first = await start();
    let current = first;
    const front = await serveOnLoopback((request) => current.endpoint.app.fetch(request));
    stops.push(front.stop);
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(front.url));
    await client.connect(transport);
    known.push(transport.sessionId ?? "");
    await first.endpoint.close();
    current = await start({ isResumable: async (id) => known.includes(id) });
    const before = transport.sessionId;
    const progress: unknown[] = [];
    const options = { onprogress: (each: unknown) => void progress.push(each) };
    const answer = await client.callTool({ name: "steps", arguments: {} }, undefined, options);
    expect(answer.content).toEqual([{ type: "text", text: "token" }]);
    expect(progress).toHaveLength(3);
    expect((await client.listTools()).tools).toHaveLength(5);
    expect(await client.getPrompt({ name: "greeting", arguments: { name: "you" } })).toMatchObject({ messages: [{}] });
    expect([transport.sessionId, current.endpoint.sessionCount()]).toEqual([before, 1]);
    await transport.terminateSession();
    await client.close();
    expect(current.endpoint.sessionCount()).toBe(0);
  });

  test("only where it is known: any other id gets 404, and an initialize with a known one is refused", async () => {
    const { url, endpoint } = await start({ isResumable: isKnown });
    expect(await statusOf(await post(url, callMessage("whoami"), { "mcp-session-id": "6".repeat(32) }))).toBe(404);
    expect(endpoint.sessionCount()).toBe(0);
    expect(await statusOf(await post(url, initializeMessage, session))).toBe(400);
    expect(JSON.stringify(await readMessages(await post(url, callMessage("whoami"), session)))).toContain(
      '\\"session\\":true',
    );
  });

  test("requests that come together resume it once", async () => {
    const gate = Promise.withResolvers<boolean>();
    const isResumable = vi.fn(() => gate.promise);
    const { endpoint } = await start({ isResumable });
    let arrived = 0;
    const front = await serveOnLoopback((request) => {
      arrived += 1;
      return endpoint.app.fetch(request);
    });
    stops.push(front.stop);
    const ids = Array.from({ length: 10 }, (_, index) => index);
    const posts = ids.map(async (id) => statusOf(await post(front.url, callMessage("whoami", {}, id), session)));
    await vi.waitFor(() => expect(arrived).toBe(ids.length));
    gate.resolve(true);
    expect(await Promise.all(posts)).toEqual(ids.map(() => 200));
    expect([isResumable.mock.calls.length, endpoint.sessionCount()]).toEqual([1, 1]);
  });

  test("by a GET stream, and by a DELETE, which then ends it", async () => {
    const ended: string[] = [];
    const onSessionDelete = async (id: string) => void ended.push(id);
    const { url, endpoint } = await start({ isResumable: isKnown, onSessionDelete });
    const stream = await fetch(url, { headers: { accept: "text/event-stream", ...session } });
    expect([stream.status, endpoint.sessionCount()]).toEqual([200, 1]);
    await stream.body?.cancel();
    await endpoint.close();
    const next = await start({ isResumable: isKnown, onSessionDelete });
    expect(await statusOf(await fetch(next.url, { method: "DELETE", headers: session }))).toBe(200);
    expect([ended, next.endpoint.sessionCount()]).toEqual([[session["mcp-session-id"]], 0]);
  });

  test("after it has idled out, which tells nobody that it was deleted", async () => {
    const clock = new ManualClock();
    const onSessionDelete = vi.fn(async () => undefined);
    const sessions = { idleTtlMs: 1_000, max: 10 };
    const { url, endpoint } = await start({ sessions, clock, isResumable: async () => true, onSessionDelete });
    const opened = await openSession(url);
    await clock.advance(1_000);
    expect(endpoint.sessionCount()).toBe(0);
    expect(await statusOf(await post(url, callMessage("whoami"), opened))).toBe(200);
    expect(onSessionDelete).not.toHaveBeenCalled();
  });

  test("within the cap: when every session has a call running it gets 503", async () => {
    const { url, calls } = await start({ sessions: { idleTtlMs: 60_000, max: 1 }, isResumable: isKnown });
    await post(url, callMessage("wait"), await openSession(url));
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(await statusOf(await post(url, callMessage("whoami"), session))).toBe(503);
    calls[0]?.finish();
    await vi.waitFor(async () => expect(await statusOf(await post(url, callMessage("whoami"), session))).toBe(200));
  });

  test("not while nobody can say whether it is known: 503 with Retry-After, so that the client keeps it", async () => {
    const { url, endpoint, logLines } = await start({ isResumable: () => Promise.reject(new Error("disk gone")) });
    const refused = await post(url, callMessage("whoami"), session);
    expect([await statusOf(refused), refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect([endpoint.sessionCount(), logLines.join("")]).toEqual([0, expect.stringContaining("disk gone")]);
  });

  test("a DELETE whose onSessionDelete fails gets 500, and can be tried again", async () => {
    const outcomes = [Promise.reject(new Error("disk full")), Promise.resolve()];
    outcomes[0]?.catch(() => undefined);
    const { url } = await start({ isResumable: isKnown, onSessionDelete: () => outcomes.shift() ?? Promise.resolve() });
    const remove = async () => statusOf(await fetch(url, { method: "DELETE", headers: session }));
    expect([await remove(), await remove()]).toEqual([500, 200]);
  });
});
