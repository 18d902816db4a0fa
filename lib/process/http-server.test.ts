import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Agent, request, type Server } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { listen } from "./http-server.ts";
import type { FetchHandler, HttpLimits, RunningServer } from "./http-server.ts";
import { createLogger } from "./log.ts";

const lines: string[] = [];
const log = createLogger({ logger: "test", level: "DEBUG", destination: { write: (line) => void lines.push(line) } });
const running: RunningServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close({ graceMs: 0 })));
  lines.length = 0;
});

async function serve(handler: FetchHandler, limits: Partial<HttpLimits> = {}): Promise<RunningServer> {
  const server = await listen(handler, { port: 0, hostname: "127.0.0.1", log, limits });
  running.push(server);
  return server;
}

async function open(
  server: RunningServer,
): Promise<{ socket: Socket; received: () => string; ended: Promise<unknown> }> {
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  const ended = once(socket, "close");
  await once(socket, "connect");
  return { socket, received: () => text, ended };
}

const encoder = new TextEncoder();

it("outlives a connection that the machine could not take, and logs it", async () => {
  let found: Server | undefined;
  const note = (message: unknown): void => void (found = Reflect.get(Object(message), "server"));
  subscribe("http.server.request.start", note);
  const server = await serve(() => new Response("fine"));
  await fetch(server.url);
  unsubscribe("http.server.request.start", note);
  found?.emit("error", new Error("accept EMFILE"));
  expect(lines.join("")).toContain("accept EMFILE");
  expect(await (await fetch(server.url)).text()).toBe("fine");
});

describe("listen", () => {
  it("serves a fetch handler and tells its URL", async () => {
    const server = await serve(async (request) => new Response(`${request.method} ${await request.text()}`));
    const response = await fetch(`${server.url}/x`, { method: "POST", body: "hello" });
    expect(await response.text()).toBe("POST hello");
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  });

  it("says that a port is in use, and the cure", async () => {
    const { port } = await serve(() => new Response());
    const second = listen(() => new Response(), { port, hostname: "127.0.0.1", log });
    await expect(second).rejects.toThrow(
      `port ${port} is in use: stop the program that holds it or choose another port`,
    );
    await expect(second).rejects.toHaveProperty("cause.code", "EADDRINUSE");
  });

  it("says that an address is not this machine's", async () => {
    await expect(listen(() => new Response(), { port: 0, hostname: "192.0.2.1", log })).rejects.toThrow(
      /192\.0\.2\.1 is not an address of this machine/,
    );
  });

  it("SEC-6 answers 500 without the error's text when the handler throws, and logs it", async () => {
    const server = await serve(() => Promise.reject(new Error("inner secret")));
    const response = await fetch(`${server.url}/path?token=abc`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("inner secret");
    expect(lines.join("")).toContain("inner secret");
    expect(lines.join("")).not.toContain("token=abc");
  });

  it("SEC-6 answers 400 to a request that is none, and goes on", async () => {
    const server = await serve(() => new Response("fine"));
    for (const text of [
      "nonsense\r\n\r\n",
      "GET /a\\b HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    ]) {
      const { socket, received } = await open(server);
      socket.write(text);
      await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 400 /));
      socket.destroy();
    }
    expect(await (await fetch(server.url)).text()).toBe("fine");
  });

  it("cuts a failing event stream off and prints nothing past the logger", async () => {
    const printed = vi.spyOn(console, "error").mockReturnValue();
    const fail = Promise.withResolvers<void>();
    const server = await serve(() => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode("data: 1\n\n")),
        pull: () => fail.promise,
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const reader = (await fetch(server.url)).body?.getReader();
    await reader?.read();
    fail.reject(new Error("stream broke"));
    await expect(reader?.read()).rejects.toThrow("terminated");
    await vi.waitFor(() => expect(lines.join("")).toContain("response stream failed"));
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it("aborts the request's signal and cancels the stream when the client goes", async () => {
    const aborted = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const server = await serve((request) => {
      request.signal.addEventListener("abort", () => aborted.resolve());
      const body = new ReadableStream({
        start: (c) => c.enqueue(encoder.encode("data: 1\n\n")),
        cancel: () => cancelled.resolve(),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const client = new AbortController();
    const response = await fetch(server.url, { signal: client.signal });
    await response.body?.getReader().read();
    client.abort();
    await expect(Promise.all([aborted.promise, cancelled.promise])).resolves.toBeDefined();
  });
});

describe("deadlines and caps", () => {
  it("answers 408 to headers that do not end in time", async () => {
    const server = await serve(() => new Response("late"), { headersTimeoutMs: 200 });
    const { socket, received, ended } = await open(server);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
    await ended;
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("ends a request whose body does not arrive in time", async () => {
    const server = await serve(async (request) => new Response(await request.text()), { requestTimeoutMs: 200 });
    const { socket, received, ended } = await open(server);
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    await ended;
    expect(received()).not.toMatch(/ 200 /);
  });

  it("lets a response take longer than the request timeout", async () => {
    const server = await serve(
      async (request) => {
        await request.text();
        await new Promise((resolve) => setTimeout(resolve, 700)); // the passing of time is what is tested
        return new Response("slow but whole");
      },
      { requestTimeoutMs: 200, headersTimeoutMs: 200 },
    );
    const response = await fetch(server.url, { method: "POST", body: "x" });
    expect(await response.text()).toBe("slow but whole");
  });

  const isOpen = (connection: { socket: Socket }) => !connection.socket.closed && !connection.socket.readableEnded;
  const ask = async (connection: { socket: Socket; received: () => string }, path = "/") => {
    const before = connection.received().length;
    connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await vi.waitFor(() => expect(connection.received().slice(before)).toMatch(/ 200 /));
  };

  it("SEC-6 at the limit all connections are served; for one more the longest idle is closed, and it is logged once", async () => {
    const server = await serve(() => new Response("ok"), { maxConnections: 3 });
    const [first, second, third] = [await open(server), await open(server), await open(server)];
    // The first has asked since, so that the second is idle for longest.
    for (const each of [first, second, third, first]) await ask(each);
    expect([first, second, third].map(isOpen)).toEqual([true, true, true]);
    const fourth = await open(server);
    await second.ended;
    await ask(fourth);
    expect([first, third, fourth].map(isOpen)).toEqual([true, true, true]);
    const fifth = await open(server);
    await third.ended;
    await ask(fifth);
    await ask(first);
    const logged = lines.filter((line) => line.includes("connection limit reached"));
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ closedIdle: 1, refused: 0, maxConnections: 3 }]);
  });

  it("SEC-6 no connection with a response in flight is closed for a new one: where all have, the new one is", async () => {
    const gate = Promise.withResolvers<void>();
    let entered = 0;
    const server = await serve(
      async () => {
        entered += 1;
        await gate.promise;
        return new Response("ok");
      },
      { maxConnections: 2 },
    );
    const [first, second] = [await open(server), await open(server)];
    const answered = [ask(first), ask(second)];
    await vi.waitFor(() => expect(entered).toBe(2));
    await (
      await open(server)
    ).ended;
    expect([first, second].map(isOpen)).toEqual([true, true]);
    gate.resolve();
    await Promise.all(answered);
    // With answers sent, they are idle again: the first that got one makes room.
    await ask(await open(server));
    expect([first, second].map(isOpen).filter(Boolean)).toHaveLength(1);
    expect(lines.filter((line) => line.includes("connection limit reached"))).toHaveLength(1);
  });

  it("SEC-6 who asks twice at once is busy until both answers are sent", async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await serve(
      async (request) => {
        await gates[Number(new URL(request.url).pathname.slice(1))]?.promise;
        return new Response("ok");
      },
      { maxConnections: 1 },
    );
    const only = await open(server);
    only.socket.write("GET /0 HTTP/1.1\r\nHost: x\r\n\r\nGET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
    gates[0]?.resolve();
    await vi.waitFor(() => expect(only.received().match(/ 200 /g)).toHaveLength(1));
    await (
      await open(server)
    ).ended;
    gates[1]?.resolve();
    await vi.waitFor(() => expect(only.received().match(/ 200 /g)).toHaveLength(2));
  });

  it("SEC-6 connections that ask nothing keep nobody out", async () => {
    const server = await serve(() => new Response("ok"), { maxConnections: 50 });
    const silent = await Promise.all(Array.from({ length: 200 }, () => open(server)));
    for (let times = 0; times < 3; times += 1) expect((await fetch(server.url)).status).toBe(200);
    expect(silent.filter(isOpen).length).toBeLessThanOrEqual(50);
    for (const { socket } of silent) socket.destroy();
  });
});

describe("AGT-12 draining and closing", () => {
  it("says Connection: close while draining, for a request that came before it too", async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const server = await serve(async (request) => {
      if (request.url.endsWith("/wait")) {
        entered.resolve();
        await gate.promise;
      }
      return new Response("ok");
    });
    const agent = new Agent({ keepAlive: true });
    expect(await connectionHeader(server, "/", agent)).toBe("keep-alive");
    const waiting = connectionHeader(server, "/wait", agent);
    await entered.promise;
    server.setDraining();
    gate.resolve();
    expect(await waiting).toBe("close");
    expect(await connectionHeader(server, "/", agent)).toBe("close");
    agent.destroy();
  });

  it("finishes what is in flight, drops idle connections and refuses new ones", async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const server = await serve(async () => {
      entered.resolve();
      await gate.promise;
      return new Response("finished");
    });
    const idle = await open(server);
    const answer = fetch(server.url).then((response) => response.text());
    await entered.promise;
    const closed = server.close({ graceMs: 10_000 });
    await idle.ended;
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
    gate.resolve();
    expect(await answer).toBe("finished");
    expect(await closed).toEqual({ cutOff: 0 });
    expect(await server.close({ graceMs: 0 })).toEqual({ cutOff: 0 });
  });

  it("does not lose the tail of an answer that a slow reader has not yet taken", async () => {
    const sizeBytes = 32 * 1024 * 1024;
    const server = await serve(() => new Response(new Uint8Array(sizeBytes)));
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "readable");
    const closed = server.close({ graceMs: 10_000 });
    let receivedBytes = 0;
    socket.on("data", (chunk) => (receivedBytes += chunk.length));
    await once(socket, "close");
    expect(receivedBytes).toBeGreaterThan(sizeBytes);
    expect(await closed).toEqual({ cutOff: 0 });
  });

  it("cuts off after the grace what never ends, and says how much", async () => {
    const entered = Promise.withResolvers<void>();
    const server = await serve(() => {
      entered.resolve();
      return new Promise<Response>(() => undefined);
    });
    const answer = fetch(server.url);
    answer.catch(() => undefined);
    await entered.promise;
    expect(await server.close({ graceMs: 50 })).toEqual({ cutOff: 1 });
    await expect(answer).rejects.toThrow("fetch failed");
    expect(lines.join("")).toContain("requests cut off at the end of the grace");
  });
});

function connectionHeader(server: RunningServer, path: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.headers.connection));
    });
    sent.on("error", reject);
    sent.end();
  });
}
