// Servers that close connections, numbered as in test/faults/rows.ts. The server offers HTTP/2 as kube-apiserver does: a
// client that took it would meet GOAWAY, ours speaks HTTP/1.1 and meets its ways of saying the same.
import { once } from "node:events";
import { request } from "node:http";
import {
  connect,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { KubeConfig } from "@kubernetes/client-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { createInformer } from "../../lib/kube/informer.ts";
import type { RawObject } from "../../lib/kube/object.ts";
import { FakeApiServer, widgetType } from "../../lib/kube/testing/fake-api-server.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createTransport } from "../../lib/kube/transport.ts";
import { createAuthority } from "../cluster/certificates.ts";
import { portOf } from "../faults/link.ts";

const name = "/apis/example.com/v1/namespaces/default/widgets/a";
/** Of HTTP/1.1 headers, those that HTTP/2 does not know. */
const hopByHop = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** An API server behind TLS that speaks both versions of HTTP, and is told how to treat its connections. */
async function startServer() {
  const fake = await FakeApiServer.start();
  const authority = createAuthority("two-versions-ca");
  const { certificatePem: cert, keyPem: key } = authority.issue({ commonName: "s", serverNames: ["127.0.0.1"] });
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const versions: string[] = [];
  const behaviour = { closeAfterAnswer: false };

  const relay = (incoming: Http2ServerRequest, outgoing: Http2ServerResponse) => {
    versions.push(incoming.httpVersion);
    const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([header]) => !header.startsWith(":")));
    const upstream = request(`${fake.url}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      const kept = Object.entries(answer.headers).filter(([header]) => !hopByHop.has(header));
      const closing = behaviour.closeAfterAnswer ? { connection: "close" } : {};
      outgoing.writeHead(answer.statusCode ?? 500, { ...Object.fromEntries(kept), ...closing });
      answer.on("error", () => outgoing.stream?.destroy());
      answer.pipe(outgoing);
    });
    upstream.on("error", () => outgoing.writableEnded || outgoing.end());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  };
  const server = createSecureServer({ allowHTTP1: true, cert, key }, relay);
  server.on("secureConnection", (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  });
  server.on("session", (session) => sessions.add(session));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${portOf(server.address())}`;

  const kubeConfig = new KubeConfig();
  const caData = Buffer.from(authority.certificatePem).toString("base64");
  kubeConfig.loadFromClusterAndUser(
    { name: "c", server: url, caData, skipTLSVerify: false },
    { name: "u", token: "t" },
  );
  const transport = createTransport({ kubeConfig, userAgent: "test/1" });
  onTestFinished(async () => {
    await transport.close();
    for (const socket of sockets) socket.destroy();
    await fake.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    ...{ fake, transport, versions, behaviour, sessions, url, ca: authority.certificatePem },
    get: () => transport.request({ method: "GET", path: name }),
    openConnections: () => sockets.size,
    /** Ends every connection as a server that shuts down does: with FIN, after the answers under way. */
    endConnections() {
      for (const socket of sockets) socket.end();
    },
  };
}

describe("OPR-7 fault 12: a server that offers HTTP/2 and closes connections", () => {
  it("says GOAWAY to those who took HTTP/2, and our client did not", async () => {
    const { fake, get, versions, url, ca, sessions } = await startServer();
    fake.put("a");
    const session = connect(url, { ca });
    onTestFinished(() => session.destroy());
    const stream = session.request({ ":path": name });
    await once(stream, "response");
    stream.resume();
    expect(versions).toEqual(["2.0"]);
    const goneAway = once(session, "goaway");
    for (const accepted of sessions) accepted.goaway();
    await goneAway;
    expect(await get()).toMatchObject({ metadata: { name: "a" } });
    expect(versions).toEqual(["2.0", "1.1"]);
  });

  it("with Connection: close on every answer, every call is answered", async () => {
    const { fake, get, behaviour, openConnections } = await startServer();
    fake.put("a");
    behaviour.closeAfterAnswer = true;
    for (let i = 0; i < 50; i += 1) expect(await get()).toMatchObject({ metadata: { name: "a" } });
    const concurrency = await Promise.all(Array.from({ length: 100 }, () => get()));
    expect(concurrency).toHaveLength(100);
    await expect.poll(openConnections).toBe(0);
  });

  it("idle connections that the server has ended are not used again", async () => {
    const { fake, get, openConnections, endConnections } = await startServer();
    fake.put("a");
    for (let i = 0; i < 20; i += 1) {
      await Promise.all([get(), get(), get()]);
      endConnections();
      await expect.poll(openConnections, { interval: 1 }).toBe(0);
    }
    expect(await get()).toMatchObject({ metadata: { name: "a" } });
  });

  it("a watch goes on over connections that are ended in its midst, without a new list", async () => {
    const { fake, transport, versions, openConnections, endConnections } = await startServer();
    const informer = createInformer<RawObject>({
      ...{ transport, type: widgetType, parse: (raw) => raw, indexes: {}, log: silentLog() },
      timing: { backoff: { initialMs: 2, maxMs: 20 } },
    });
    onTestFinished(() => informer.stop());
    informer.start();
    await informer.synced;
    for (let color = 1; color <= 10; color += 1) {
      await expect.poll(() => fake.openWatches, { interval: 5 }).toBe(1);
      fake.put("a", { color });
      await expect.poll(() => informer.store.get("default/a")?.["color"], { interval: 5 }).toBe(color);
      endConnections();
      fake.put("b", { color });
      await expect.poll(() => informer.store.get("default/b")?.["color"], { interval: 5 }).toBe(color);
    }
    expect(fake.seen("list")).toHaveLength(1);
    expect(new Set(versions)).toEqual(new Set(["1.1"]));
    await expect.poll(openConnections).toBeLessThanOrEqual(2);
  });
});
