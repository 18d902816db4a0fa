import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type LookupFunction, type Socket } from "node:net";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createGuardedFetch } from "./guarded-fetch.ts";

afterEach(() => vi.unstubAllEnvs());

function open(lookup?: LookupFunction) {
  const guarded = createGuardedFetch({ connectTimeoutMs: 2_000, maxResponseBytes: 1_000, lookup });
  onTestFinished(() => guarded.close());
  return guarded;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP port");
  return `http://127.0.0.1:${address.port}`;
}

const serve = (text: string) => listen(createServer((request, response) => response.end(`${text} ${request.url}`)));

/** A proxy that takes every name for `upstream`, with what it was asked for. */
async function startProxy(upstream: string) {
  const asked: string[] = [];
  const tunnels: Socket[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end("by proxy");
  });
  proxy.on("connect", (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    const tunnel = connect(Number(new URL(upstream).port), "127.0.0.1");
    tunnels.push(tunnel, socket);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.pipe(tunnel).pipe(socket);
  });
  onTestFinished(() => tunnels.forEach((tunnel) => tunnel.destroy()));
  return { url: await listen(proxy), asked };
}

/** Every name leads to `address`. */
const resolveTo =
  (address: string): LookupFunction =>
  (_name, _options, callback) =>
    callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);

async function causeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => new Error("expected a rejection"),
    (problem: unknown) => problem,
  );
  const { cause = error } = error instanceof Error ? error : {};
  return cause instanceof Error ? cause.message : String(cause);
}

const refused = "link-local or metadata address";

describe("SEC-5 no connection is made", () => {
  test.each([
    ...["http://169.254.169.254/", "http://0xa9fea9fe/", "http://2852039166/", "http://[fe80::1]/"],
    ...["http://[::ffff:a9fe:a9fe]/", "https://168.63.129.16/", "http://[fd00:c1::a9fe:a9fe]/"],
  ])("to the literal %s", async (url) => {
    expect(await causeOf(open().fetch(url, {}))).toContain(refused);
  });

  test.each(["169.254.169.254", "168.63.129.16", "fd00:ec2::23", "fe80::1"])(
    "to a name that leads to %s",
    async (address) => {
      const cause = await causeOf(open(resolveTo(address)).fetch("http://trap.example/", {}));
      expect(cause).toBe(`trap.example leads to ${address}, a ${refused}`);
    },
  );

  test("through a proxy to a refused literal", async () => {
    const proxy = await startProxy("http://127.0.0.1:9");
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    for (const url of ["http://169.254.169.254/", "https://169.254.169.254/"]) {
      expect(await causeOf(open().fetch(url, {}))).toContain(refused);
    }
    expect(proxy.asked).toEqual([]);
  });

  test.each(["HTTP_PROXY", "HTTPS_PROXY"])("to a proxy in %s that is a refused literal", async (variable) => {
    vi.stubEnv(variable, "http://169.254.169.254:80");
    for (const url of ["http://a.example/latest/meta-data", "https://a.example/"]) {
      expect(await causeOf(open(resolveTo("127.0.0.1")).fetch(url, {}))).toContain(refused);
    }
  });

  test.each(["http://a.example/latest/meta-data", "https://a.example/"])(
    "for %s to a proxy whose name leads to a refused address",
    async (url) => {
      vi.stubEnv("HTTP_PROXY", "http://proxy.example:80");
      vi.stubEnv("HTTPS_PROXY", "http://proxy.example:80");
      expect(await causeOf(open(resolveTo("169.254.169.254")).fetch(url, {}))).toBe(
        `proxy.example leads to 169.254.169.254, a ${refused}`,
      );
    },
  );
});

describe("what may be called", () => {
  test("is reached by a name that leads to a good address", async () => {
    const url = new URL(await serve("direct"));
    url.hostname = "good.example";
    expect(await (await open(resolveTo("127.0.0.1")).fetch(`${url.href}a`, {})).text()).toBe("direct /a");
  });

  test("is asked for through the proxy of the environment, plain as well as in a tunnel", async () => {
    const proxy = await startProxy(await serve("no TLS"));
    vi.stubEnv("HTTP_PROXY", proxy.url);
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    expect(await (await open().fetch("http://a.example/x", {})).text()).toBe("by proxy");
    await expect(open().fetch("https://a.example/x", {})).rejects.toThrow("fetch failed");
    expect(proxy.asked).toEqual(["GET http://a.example/x", "CONNECT a.example:443"]);
  });

  test.each(["http://127.0.0.1", "http://localhost"])("is asked for directly at %s, proxy or not", async (origin) => {
    vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:9");
    const { port } = new URL(await serve("direct"));
    expect(await (await open(resolveTo("127.0.0.1")).fetch(`${origin}:${port}/`, {})).text()).toBe("direct /");
  });

  test("may redirect, which is an answer like any other", async () => {
    const url = await listen(createServer((_, response) => response.writeHead(307, { location: "/b" }).end()));
    const answer = await open().fetch(url, { method: "POST", body: "{}" });
    expect([answer.status, answer.headers.get("location")]).toEqual([307, "/b"]);
  });
});
