import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Hono } from "hono";
import { afterEach, describe, expect, test, vi } from "vitest";
import { guardHosts } from "./http-guard.ts";
import { listen, type HttpLimits, type RunningServer, type ServerEnv } from "./http-server.ts";
import type { UpgradedConnection } from "./http-upgrade.ts";
import { createLogger } from "./log.ts";

const log = createLogger({ logger: "test", level: "SILENT" });
const running: RunningServer[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.close({ graceMs: 0 }))));

/** Says hello as a WebSocket server does, as shortly as can be. */
function sayHello({ incoming, socket }: UpgradedConnection): void {
  const key = `${incoming.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash("sha1").update(key).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`);
  socket.write(`Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.resume();
  socket.once("end", () => socket.end());
  socket.write(Buffer.from([0x81, 5, ...Buffer.from("hello")]));
}
const sayGoodbye = ({ socket }: UpgradedConnection) => socket.end(Buffer.from([0x88, 2, 1001 >> 8, 1001 & 255]));

async function serve(limits: Partial<HttpLimits> = {}) {
  const opened: UpgradedConnection[] = [];
  const app = new Hono<{ Bindings: ServerEnv }>();
  app.use(guardHosts({ allowedHosts: ["127.0.0.1"], allowedOrigins: ["https://app.example.com"] }));
  app.use("/ws", async (c, next) => {
    if (c.req.query("who") === "nobody") return c.json({ message: "Missing Authorization header" }, 401);
    await next();
    return undefined;
  });
  app.get("/ws", (c) => {
    if (c.env.upgrade === undefined) return c.text("a WebSocket is spoken here", 426);
    return c.env.upgrade.accept((connection) => {
      opened.push(connection);
      sayHello(connection);
    });
  });
  app.onError((error) => {
    throw error;
  });
  app.get("/broken", () => {
    throw new Error("inner secret");
  });
  app.all("/echo", async (c) => c.text(`${c.req.method} ${await c.req.text()}`));
  app.get("/never", () => new Promise<Response>(() => undefined));
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log, limits, upgrades: true });
  running.push(server);
  return { server, opened };
}

const handshake =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

/** One request on a connection of its own, and all that came back. */
async function send(server: RunningServer, head: string, body = "") {
  const socket: Socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  await once(socket, "connect");
  socket.write(`${head}\r\n${body}`);
  return { socket, received: () => text, closed };
}
const askWebSocket = (server: RunningServer, path: string, headers = "") =>
  send(server, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${handshake}${headers}`);

describe("a WebSocket", () => {
  test("is opened by a client of its own, on the port of all else", async () => {
    const { server, opened } = await serve();
    const client = new WebSocket(`${server.url.replace("http", "ws")}/ws`);
    const [message] = await once(client, "message");
    expect(message).toMatchObject({ data: "hello" });
    expect(await (await fetch(`${server.url}/echo`)).text()).toBe("GET ");
    const closed = once(client, "close");
    server.setDraining();
    expect(opened[0]?.draining.aborted).toBe(true);
    opened.forEach(sayGoodbye);
    expect((await closed)[0]).toMatchObject({ code: 1001 });
  });

  test("SEC-4 passes the guards of every request, and what they refuse is answered and closed", async () => {
    const { server, opened } = await serve();
    const refused: [string, string, string][] = [
      ["/ws", "Origin: https://evil.example.com\r\n", "403 Forbidden"],
      ["/ws?who=nobody", "", "401 Unauthorized"],
      ["/nowhere", "", "404 Not Found"],
      ["/broken", "", "500 Internal Server Error"],
    ];
    for (const [path, headers, status] of refused) {
      const { received, closed } = await askWebSocket(server, path, headers);
      await closed;
      expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
      expect(received()).toMatch(/\r\nconnection: close\r\n/i);
      expect(received()).not.toContain("inner secret");
    }
    const foreign = await send(server, `GET /ws HTTP/1.1\r\nHost: evil.example.com\r\n${handshake}`);
    await foreign.closed;
    expect(foreign.received()).toMatch(/^HTTP\/1\.1 403 /);
    expect(opened).toHaveLength(0);
    const own = await askWebSocket(server, "/ws", "Origin: https://app.example.com\r\n");
    await vi.waitFor(() => expect(own.received()).toMatch(/^HTTP\/1\.1 101 [^]*hello$/));
    own.socket.destroy();
  });

  test("what else a request would upgrade to is served as it is, with its body", async () => {
    const { server } = await serve();
    const h2c = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n";
    const head = `POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\n${h2c}Content-Length: 5\r\n`;
    const { socket, received } = await send(server, head, "hello");
    await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 200 [^]*POST hello$/));
    socket.destroy();
    const posted = await send(
      server,
      `POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\n${handshake}Content-Length: 2\r\n`,
      "ab",
    );
    await vi.waitFor(() => expect(posted.received()).toMatch(/^HTTP\/1\.1 200 [^]*POST ab$/));
    posted.socket.destroy();
  });

  test("is not taken by a route that is asked without one", async () => {
    const { server } = await serve();
    expect((await fetch(`${server.url}/ws`)).status).toBe(426);
  });

  test("SEC-6 behind a request without an answer ends the connection, and nothing else", async () => {
    const { server, opened } = await serve();
    const both = `GET /never HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\n${handshake}`;
    const { received, closed } = await send(server, both);
    await closed;
    expect(received()).toBe("");
    expect(opened).toHaveLength(0);
    expect((await fetch(`${server.url}/echo`)).status).toBe(200);
  });

  test("SEC-6 at the limit all are open; one more gets 503, and one that is closed makes room", async () => {
    const { server, opened } = await serve({ maxUpgraded: 2 });
    const inside = [await askWebSocket(server, "/ws"), await askWebSocket(server, "/ws")];
    for (const { received } of inside) await vi.waitFor(() => expect(received()).toMatch(/ 101 /));
    const beyond = await askWebSocket(server, "/ws");
    await beyond.closed;
    expect(beyond.received()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5[^]*there are 2 WebSockets already/i);
    inside[0]?.socket.destroy();
    await vi.waitFor(() => expect(opened.filter(({ socket }) => socket.closed)).toHaveLength(1));
    const next = await askWebSocket(server, "/ws");
    await vi.waitFor(() => expect(next.received()).toMatch(/ 101 /));
    for (const { socket } of [...inside, next]) socket.destroy();
  });

  test("SEC-6 is never closed for a new connection, as an idle one is", async () => {
    const { server } = await serve({ maxConnections: 2 });
    const open = await askWebSocket(server, "/ws");
    await vi.waitFor(() => expect(open.received()).toMatch(/ 101 /));
    const idle = await send(server, "GET /echo HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    await vi.waitFor(() => expect(idle.received()).toMatch(/ 200 /));
    expect((await fetch(`${server.url}/echo`)).status).toBe(200);
    await idle.closed;
    expect(open.socket.closed).toBe(false);
    open.socket.destroy();
  });
});

describe("AGT-12 a server that drains", () => {
  test("opens no more, answers others, and waits for those that are open until they have said goodbye", async () => {
    const { server, opened } = await serve();
    const open = await askWebSocket(server, "/ws");
    await vi.waitFor(() => expect(open.received()).toMatch(/ 101 /));
    server.setDraining();
    const late = await askWebSocket(server, "/ws");
    await late.closed;
    expect(late.received()).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 5/i);
    expect((await fetch(`${server.url}/echo`)).status).toBe(200);
    const closing = server.close({ graceMs: 60_000 });
    opened.forEach(sayGoodbye);
    open.socket.end();
    expect(await closing).toEqual({ cutOff: 0 });
  });

  test("cuts off at the end of the grace what has not gone, and counts it", async () => {
    const { server } = await serve();
    const open = await askWebSocket(server, "/ws");
    await vi.waitFor(() => expect(open.received()).toMatch(/ 101 /));
    expect(await server.close({ graceMs: 20 })).toEqual({ cutOff: 1 });
    await open.closed;
  });
});
