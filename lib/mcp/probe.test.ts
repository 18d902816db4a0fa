import { afterEach, describe, expect, test } from "vitest";
import { serveOnLoopback, startEndpoint, type ServedApp } from "./endpoint.fixture.ts";
import { probeMcp, type ProbeOptions } from "./probe.ts";

const running: ServedApp[] = [];

afterEach(() => Promise.all(running.splice(0).map((app) => app.stop())));

interface Seen {
  method: string;
  headers: Headers;
  body: string;
}

/** Serves `answer` to POSTs and `onDelete` to DELETEs, and records what came. */
async function serveAnswer(
  answer: () => Response | Promise<Response>,
  onDelete = () => new Response(null, { status: 405 }),
) {
  const seen: Seen[] = [];
  const app = await serveOnLoopback(async (request) => {
    seen.push({ method: request.method, headers: request.headers, body: await request.text() });
    return request.method === "DELETE" ? onDelete() : await answer();
  });
  running.push(app);
  return { url: app.url, seen };
}

const probe = (url: string, options: Partial<ProbeOptions> = {}) =>
  probeMcp({ url, timeoutMs: 3_000, forwardsInboundAuth: false, ...options });

const eventStream = { "content-type": "text/event-stream" };
const rpcError = (status: number, code: number) =>
  Response.json({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } }, { status });
const result = (headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: "2.0", id: 1, result: {} }, { headers });

describe("HLT-3 what counts as reachable", () => {
  const answers: [string, () => Response, { plain: boolean; forwarding: boolean }][] = [
    ["200", () => result(), { plain: true, forwarding: true }],
    ["200 as a stream", () => new Response("", { headers: eventStream }), { plain: true, forwarding: true }],
    ["-32022 with 400", () => rpcError(400, -32022), { plain: true, forwarding: true }],
    ["another error with 400", () => rpcError(400, -32600), { plain: false, forwarding: false }],
    ["400 without JSON", () => new Response("no", { status: 400 }), { plain: false, forwarding: false }],
    ["401", () => new Response("no", { status: 401 }), { plain: false, forwarding: true }],
    ["403", () => new Response("no", { status: 403 }), { plain: false, forwarding: true }],
    ["404", () => new Response("no", { status: 404 }), { plain: false, forwarding: false }],
    ["405", () => new Response("no", { status: 405 }), { plain: false, forwarding: false }],
    ["500", () => new Response("no", { status: 500 }), { plain: false, forwarding: false }],
    ["503", () => new Response("no", { status: 503 }), { plain: false, forwarding: false }],
  ];

  test.each(answers)("%s", async (name, answer, expected) => {
    const { url } = await serveAnswer(answer);
    const plain = await probe(url);
    const forwarding = await probe(url, { forwardsInboundAuth: true });
    expect({ plain: plain.reachable, forwarding: forwarding.reachable }).toEqual(expected);
    expect(plain.detail).toBe(expected.plain ? undefined : `HTTP ${name.match(/4\d\d|5\d\d/)?.[0]}`);
  });

  test.each<[string, () => Response]>([
    ["HTTP 202 and no result", () => new Response(null, { status: 202 })],
    ["HTTP 204 and no result", () => new Response(null, { status: 204 })],
    ["HTTP 200 and the type text/html", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ])("what calls could not use is not: %s", async (detail, answer) => {
    const { url } = await serveAnswer(answer);
    expect(await probe(url)).toMatchObject({ reachable: false, detail });
  });

  test("a server whose headers never come is not, at the deadline", async () => {
    const { url } = await serveAnswer(() => result());
    const headers = () => new Promise<Record<string, string>>(() => undefined);
    expect(await probe(url, { headers, timeoutMs: 150 })).toMatchObject({ detail: "no answer in 150 ms" });
  });

  test("a dead port is not, and says why", async () => {
    const app = await serveOnLoopback(() => result());
    await app.stop();
    expect(await probe(app.url)).toMatchObject({ reachable: false, detail: expect.stringContaining("ECONNREFUSED") });
  });

  test("a silent server is not, at the deadline", async () => {
    const { url } = await serveAnswer(() => new Promise<Response>(() => undefined));
    const { reachable, detail, latencyMs } = await probe(url, { timeoutMs: 150 });
    expect({ reachable, detail }).toEqual({ reachable: false, detail: "no answer in 150 ms" });
    expect(latencyMs).toBeGreaterThanOrEqual(140);
    expect(latencyMs).toBeLessThan(1_500);
  });

  test("SEC-5 a metadata address is not", async () => {
    const { reachable, detail } = await probe("http://169.254.169.254/mcp");
    expect([reachable, detail]).toEqual([false, expect.stringContaining("metadata address")]);
  });

  test("an unusable URL is not", async () => {
    expect(await probe("nonsense")).toMatchObject({ reachable: false, detail: expect.stringContaining("URL") });
  });
});

describe("HLT-3 what is sent", () => {
  test("initialize with both media types and the headers given, then DELETE with the session id and the same headers", async () => {
    const { url, seen } = await serveAnswer(() => result({ "mcp-session-id": "s-1" }));
    expect(await probe(url, { headers: () => ({ authorization: "Bearer configured" }) })).toMatchObject({
      reachable: true,
    });
    expect(seen.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
    expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer configured", "Bearer configured"]);
    expect(seen[0]?.headers.get("accept")).toBe("application/json, text/event-stream");
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ jsonrpc: "2.0", method: "initialize" });
    expect(seen[1]?.headers.get("mcp-session-id")).toBe("s-1");
  });

  test("no DELETE without a session id", async () => {
    const { url, seen } = await serveAnswer(() => result());
    await probe(url);
    expect(seen.map(({ method }) => method)).toEqual(["POST"]);
  });

  test.each([405, 500])("a DELETE answered with %i changes nothing", async (status) => {
    const { url } = await serveAnswer(
      () => result({ "mcp-session-id": "s" }),
      () => new Response(null, { status }),
    );
    expect(await probe(url)).toMatchObject({ reachable: true });
  });

  test("a DELETE without an answer is given up at the deadline, and the server stays reachable", async () => {
    const app = await serveOnLoopback((request) =>
      request.method === "DELETE" ? new Promise(() => undefined) : result({ "mcp-session-id": "s" }),
    );
    running.push(app);
    const startedAt = performance.now();
    const { reachable, latencyMs } = await probe(app.url, { timeoutMs: 300 });
    expect(reachable).toBe(true);
    expect(latencyMs).toBeLessThan(300);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test("our own endpoint is reachable and keeps no session of the probe", async () => {
    const served = await startEndpoint();
    running.push(served);
    expect(await probe(served.url)).toMatchObject({ reachable: true });
    expect(served.endpoint.sessionCount()).toBe(0);
  });
});
