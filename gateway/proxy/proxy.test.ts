import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { agentNamed, callers, instance, startProxy, startUpstream } from "./proxy.fixture.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});
async function keep<T extends { stop(): Promise<void> }>(started: Promise<T>): Promise<T> {
  const it = await started;
  stops.push(it.stop);
  return it;
}

const echo = () =>
  startUpstream((incoming, outgoing) => {
    void text(incoming).then((body) =>
      outgoing.setHeader("content-type", "application/json").end(JSON.stringify({ path: incoming.url, body })),
    );
  });

const ask = (
  url: string,
  caller: string,
  init: Omit<RequestInit, "headers"> & { path?: string; headers?: Record<string, string> } = {},
) =>
  fetch(`${url}${init.path ?? "/proxy/clerk/mcp"}`, {
    method: "POST",
    body: "{}",
    ...init,
    headers: { "x-caller": caller, "content-type": "application/json", ...init.headers },
  });
const messageOf = async (answer: Response): Promise<unknown> => Object(await answer.json()).error.message;

describe("MGM-1 who gets through to which agent", () => {
  test.each([
    ["ann", "/proxy/clerk/mcp", 200],
    ["bob", "/proxy/research-a/mcp", 200],
    ["narrow", "/proxy/research-a/mcp", 200],
    ["narrow", "/proxy/clerk/mcp", 404],
    ["ann", "/proxy/ghost/mcp", 404],
    ["ann", "/proxy/__proto__/mcp", 404],
    ["ann", "/proxy/clerk%2f..%2fx/mcp", 404],
    ["viewer", "/proxy/clerk/mcp", 403],
    ["nobody", "/proxy/clerk/mcp", 403],
    ["clerk", "/proxy/clerk/mcp", 403],
    ["clerk", "/mcp", 200],
    ["ghost", "/mcp", 404],
    ["unknown", "/mcp", 500],
    ["unknown", "/proxy/clerk/mcp", 500],
  ])("%s at %s gets %i", async (caller, path, status) => {
    const upstream = await keep(echo());
    const proxy = await keep(startProxy(upstream));
    expect((await ask(proxy.url, caller, { path })).status).toBe(status);
    expect(upstream.seen).toHaveLength(status === 200 ? 1 : 0);
  });

  test("an agent's token leads to its own compositor, a person's to what is behind", async () => {
    const proxy = await keep(startProxy(await keep(echo())));
    expect(await (await ask(proxy.url, "clerk", { path: "/mcp" })).json()).toMatchObject({ path: "/compositor/mcp" });
    expect(await (await ask(proxy.url, "ann", { path: "/mcp" })).text()).toBe("management");
  });

  test("an agent that one may not see is answered as one that is not there", async () => {
    const proxy = await keep(startProxy(await keep(echo())));
    const [hidden, missing] = await Promise.all(
      ["/proxy/clerk/mcp", "/proxy/ghost/mcp"].map((path) => ask(proxy.url, "narrow", { path })),
    );
    expect(await hidden?.text()).toBe(await missing?.text());
  });

  test.each([
    ["has no address", { getEndpoint: () => undefined }],
    ["is not available", { getAgent: () => agentNamed("clerk", "False") }],
    ["is not known yet, as nothing is", { getInstance: () => undefined }],
  ])("an agent that %s is answered with 503 and when to come again", async (_what, changes) => {
    const place = await keep(echo());
    const agents = { getInstance: instance, getAgent: () => agentNamed("clerk", "True"), getEndpoint: () => place };
    const proxy = await keep(startProxy(place, { agents: { ...agents, ...changes } }));
    const answer = await ask(proxy.url, "ann");
    expect([answer.status, answer.headers.get("retry-after"), place.seen]).toEqual([503, "5", []]);
  });

  test("an agent where nobody listens is answered with 503", async () => {
    const proxy = await keep(startProxy({ mcpUrl: "http://127.0.0.1:1/mcp", adminUrl: "http://127.0.0.1:1" }));
    const answer = await ask(proxy.url, "ann");
    expect([answer.status, await messageOf(answer)]).toEqual([503, "The agent clerk is not ready; try again later"]);
    expect(proxy.ended).toMatchObject([{ route: "agent", agent: "clerk", outcome: "unreachable" }]);
  });
});

describe("MGM-2 whoever follows a caller's conversations", () => {
  test("hears when a request of theirs to an agent begins and when it is over, and of no stream", async () => {
    const place = await keep(echo());
    const heard: unknown[] = [];
    const onTalk = (agent: string, { subject }: { subject: string }) =>
      void heard.push([agent, subject, place.seen.length]);
    const proxy = await keep(startProxy(place, { onTalk }));
    await (await ask(proxy.url, "ann")).text();
    await vi.waitFor(() =>
      expect(heard).toEqual([
        ["clerk", "ann", 0],
        ["clerk", "ann", 1],
      ]),
    );
    await (await ask(proxy.url, "ann", { method: "DELETE", body: null })).text();
    await (await ask(proxy.url, "clerk", { path: "/mcp" })).text();
    await vi.waitFor(() => expect(proxy.ended).toHaveLength(3));
    expect(heard).toHaveLength(2);
  });
});

describe("what passes between client and agent", () => {
  test("is what the protocol needs: no hop-by-hop header, no cookie, nothing the connection names", async () => {
    const upstream = await keep(
      startUpstream((_incoming, outgoing) => {
        outgoing.writeHead(200, {
          "content-type": "application/json",
          "mcp-session-id": "s1",
          "set-cookie": "a=b",
          "access-control-allow-origin": "*",
          "www-authenticate": "Bearer",
          "proxy-authenticate": "Basic",
          "mcp-hidden": "x",
          connection: "keep-alive, mcp-hidden",
        });
        outgoing.end("{}");
      }),
    );
    const proxy = await keep(startProxy(upstream));
    const sent = request(`${proxy.url}/proxy/clerk/mcp`, {
      method: "POST",
      headers: {
        "x-caller": "ann",
        cookie: "a=b",
        te: "trailers",
        connection: "close, mcp-named",
        "proxy-authorization": "Basic x",
        "mcp-named": "x",
        "mcp-session-id": "s1",
        "mcp-protocol-version": "2026-07-28",
        "last-event-id": "7",
        "pallas-caller": "0".repeat(64),
        "pallas-caller-name": "root",
        "pallas-caller-role": "admin",
        "pallas-caller-proof": "mine",
        "x-forwarded-for": "1.2.3.4",
      },
    });
    sent.end();
    const answer = await new Promise<IncomingMessage>((resolve) => sent.once("response", resolve));
    const { host: _host, connection: _connection, "pallas-caller": caller, ...got } = upstream.seen[0]?.headers ?? {};
    expect(got).toEqual({
      "content-length": "0",
      "mcp-session-id": "s1",
      "mcp-protocol-version": "2026-07-28",
      "last-event-id": "7",
      "pallas-caller-name": "ann%20%E2%9C%93",
      "pallas-caller-role": "caller",
      "pallas-caller-proof": "of the gateway",
    });
    expect(caller).toMatch(/^(?!0{64})[0-9a-f]{64}$/);
    expect(answer.headers).toMatchObject({ "mcp-session-id": "s1", "content-type": "application/json" });
    const kept = Object.keys(answer.headers).toSorted();
    expect(kept).not.toEqual(expect.arrayContaining(["mcp-hidden"]));
    expect(kept.filter((name) => /cookie|access-control|authenticate/.test(name))).toEqual([]);
  });

  test.each([
    ["one that agents may have goes on", "Bearer of-the-issuer", 200, ["Bearer of-the-issuer"]],
    ["none, where agents ask for one, says where to sign in", undefined, 403, []],
  ])("of tokens %s", async (_what, authorization, status, seen) => {
    const upstream = await keep(echo());
    const proxy = await keep(startProxy(upstream, { issuer: "https://idp" }));
    const headers = authorization === undefined ? {} : { authorization };
    expect((await ask(proxy.url, "ann", { headers })).status).toBe(status);
    expect(upstream.seen.map((each) => each.headers.authorization)).toEqual(seen);
  });

  test("MGM-4 a compositor gets the gateway's own token, never the agent's", async () => {
    const upstream = await keep(echo());
    const proxy = await keep(startProxy(upstream, { issuer: "https://idp" }));
    await ask(proxy.url, "clerk", { path: "/mcp", headers: { authorization: "Bearer of-the-agent" } });
    expect(upstream.seen[0]?.headers.authorization).toBe("Bearer of the gateway");
  });

  test("nothing goes to a compositor while that token cannot be read", async () => {
    const upstream = await keep(echo());
    const readAgentsToken = () => Promise.reject(new Error("no such file"));
    const proxy = await keep(startProxy(upstream, { readAgentsToken }));
    const answer = await ask(proxy.url, "clerk", { path: "/mcp" });
    const sentence = "The gateway has no token for its agents now; try again later";
    expect([answer.status, await messageOf(answer), upstream.seen]).toEqual([503, sentence, []]);
  });
});

describe("streams through the gateway", () => {
  test("go out as they come, and an agent hears that its client has gone", async () => {
    const first = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const upstream = await keep(
      startUpstream((_incoming, outgoing) => {
        outgoing.once("close", () => gone.resolve());
        outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
        void first.promise.then(() => outgoing.write("data: 2\n\n"));
      }),
    );
    const proxy = await keep(startProxy(upstream));
    const stop = new AbortController();
    const answer = await ask(proxy.url, "ann", { method: "GET", body: null, signal: stop.signal });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe("data: 1\n\n");
    first.resolve();
    expect((await reader?.read())?.value).toBe("data: 2\n\n");
    expect(proxy.count()).toBe(1);
    stop.abort();
    await gone.promise;
    await vi.waitFor(() => expect(proxy.count()).toBe(0));
    expect(proxy.ended).toMatchObject([{ outcome: "aborted" }]);
  });

  test("an agent is asked no more than its client reads", async () => {
    let written = 0;
    const upstream = await keep(
      startUpstream((_incoming, outgoing) => {
        outgoing.writeHead(200, { "content-type": "text/event-stream" });
        const event = `data: ${"x".repeat(64 * 1024)}\n\n`;
        const write = () => {
          while (!outgoing.destroyed) {
            written += event.length;
            if (!outgoing.write(event)) return void outgoing.once("drain", write);
          }
        };
        write();
      }),
    );
    const proxy = await keep(startProxy(upstream));
    const opened = request(`${proxy.url}/proxy/clerk/mcp`, { headers: { "x-caller": "ann" } });
    opened.end();
    const answer = await new Promise<IncomingMessage>((resolve) => opened.once("response", resolve));
    answer.pause();
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = before === written;
        before = written;
        expect(isStill).toBe(true);
      },
      { interval: 300, timeout: 20_000 },
    );
    // Buffers of three sockets, and no more.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    answer.resume();
    await vi.waitFor(() => expect(written).toBeGreaterThan(before + 8 * 1024 * 1024), { timeout: 20_000 });
    opened.destroy();
  });

  test("one whose agent breaks off is cut, never ended as if it were whole", async () => {
    const upstream = await keep(
      startUpstream((_incoming, outgoing) => {
        outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
        setImmediate(() => outgoing.destroy());
      }),
    );
    const proxy = await keep(startProxy(upstream));
    await expect(ask(proxy.url, "ann").then((answer) => answer.text())).rejects.toThrow(/^(terminated|fetch failed)$/);
    await vi.waitFor(() => expect(proxy.ended).toMatchObject([{ outcome: "failed" }]));
  });

  test("a small one of declared length goes out whole, or its caller learns that the agent broke off", async () => {
    const limit = 16 * 1024;
    const upstream = await keep(
      startUpstream(({ headers }, outgoing) => {
        const length = Number(headers["mcp-length"]);
        outgoing.writeHead(200, { "content-type": "application/json", "content-length": length });
        outgoing.write("x".repeat(10));
        setImmediate(() => outgoing.destroy());
      }),
    );
    const proxy = await keep(startProxy(upstream));
    const asked = (length: number) => ask(proxy.url, "ann", { headers: { "mcp-length": String(length) } });
    const small = await asked(limit);
    expect([small.status, await small.text()]).toEqual([502, expect.stringContaining("the call may have run")]);
    // A larger one has begun by then.
    await expect(asked(limit + 1).then((answer) => answer.text())).rejects.toThrow(/^(terminated|fetch failed)$/);
    await vi.waitFor(() => expect(proxy.ended).toMatchObject([{ outcome: "failed" }, { outcome: "failed" }]));
  });

  test("one that has no end of its own ends with its caller's token, a call does not", async () => {
    const clock = new ManualClock();
    const upstream = await keep(
      startUpstream((_incoming, outgoing) => {
        outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      }),
    );
    const ann = { ...Object(callers["ann"]), expiresAtMs: clock.wallNow() + 60_000 };
    const proxy = await keep(startProxy(upstream, { clock, identities: { ann } }));
    const open = async (init: Parameters<typeof ask>[2]) => {
      const reader = (await ask(proxy.url, "ann", init)).body?.getReader();
      await reader?.read();
      return { read: reader?.read() };
    };
    const stream = await open({ method: "GET", body: null });
    const listening = await open({ headers: { "mcp-method": "subscriptions/listen" } });
    const call = await open({ headers: { "mcp-method": "tools/call" } });
    const isCallOver = vi.fn();
    call.read?.then(isCallOver, isCallOver);
    expect(proxy.count()).toBe(3);
    const [streamEnds, listeningEnds] = [stream, listening].map(({ read }) =>
      expect(read).rejects.toThrow("terminated"),
    );
    await clock.advance(60_000);
    await streamEnds;
    await listeningEnds;
    await vi.waitFor(() => expect(proxy.count()).toBe(1));
    expect(isCallOver).not.toHaveBeenCalled();
  });
});

describe("SEC-6 what one request, and one caller, may take", () => {
  const chunked = (size: number) =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(size));
        controller.close();
      },
    });

  test.each([
    ["of declared length", 1_000, (size: number) => ({ body: "x".repeat(size) })],
    ["of undeclared length", 1_000, (size: number) => ({ body: chunked(size), duplex: "half" as const })],
  ])("a body %s of %i bytes passes, one byte more gets 413", async (_what, size, body) => {
    const proxy = await keep(startProxy(await keep(echo())));
    expect((await ask(proxy.url, "ann", body(size))).status).toBe(200);
    const refused = await ask(proxy.url, "ann", body(size + 1));
    expect([refused.status, await messageOf(refused)]).toEqual([
      413,
      "Payload Too Large: the request body is over the limit of 1000 bytes",
    ]);
  });

  test("as many as one caller may have run at a time, one more gets 429, and others none of it; one more than all gets 503", async () => {
    const upstream = await keep(
      startUpstream((_incoming, outgoing) => {
        outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(": \n\n");
      }),
    );
    const limits = { maxExchanges: 3, maxPerCaller: 2 };
    const proxy = await keep(startProxy(upstream, { limits }));
    const stop = new AbortController();
    const statuses = [];
    for (const caller of ["ann", "ann", "ann", "bob", "bob"]) {
      statuses.push((await ask(proxy.url, caller, { signal: stop.signal })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 503]);
    stop.abort();
    await vi.waitFor(() => expect(proxy.count()).toBe(0));
  });

  test.each([
    ["a call", { method: "POST" }, 20_000],
    ["a stream", { method: "GET", body: null }, 15_000],
    ["the end of a session", { method: "DELETE", body: null }, 15_000],
  ])(
    "%s that nothing comes back of gets 504 in its time, and the agent hears of it",
    async (_what, init, timeoutMs) => {
      const clock = new ManualClock();
      const gone = Promise.withResolvers<void>();
      const upstream = await keep(
        startUpstream((_incoming, outgoing) => void outgoing.once("close", () => gone.resolve())),
      );
      const proxy = await keep(startProxy(upstream, { clock }));
      const asked = ask(proxy.url, "ann", init);
      await vi.waitFor(() => expect(upstream.seen).toHaveLength(1));
      await clock.advance(timeoutMs - 1);
      expect(proxy.count()).toBe(1);
      await clock.advance(1);
      expect((await asked).status).toBe(504);
      await gone.promise;
    },
  );

  test("a method that MCP does not have gets 405", async () => {
    const proxy = await keep(startProxy(await keep(echo())));
    const answer = await ask(proxy.url, "ann", { method: "PUT" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
  });
});
