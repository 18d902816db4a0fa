import type { LookupFunction } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { serveOnLoopback, type ServedApp } from "./endpoint.fixture.ts";
import { findNetworkProblem } from "./mcp-error.ts";
import { isRefusedAddress } from "../outgoing/refused-addresses.ts";
import type { GuardedFetchOptions } from "../outgoing/guarded-fetch.ts";
import { createSafeFetch, type SafeFetch } from "./safe-fetch.ts";

const running: ServedApp[] = [];
let safeFetch: SafeFetch | undefined;

afterEach(async () => {
  await safeFetch?.close();
  await Promise.all(running.splice(0).map((app) => app.stop()));
});

function open(options: Partial<GuardedFetchOptions> = {}): SafeFetch {
  safeFetch = createSafeFetch({ connectTimeoutMs: 2_000, maxResponseBytes: 1_000, ...options });
  return safeFetch;
}

async function serveApp(handler: (request: Request) => Response | Promise<Response>): Promise<string> {
  const app = await serveOnLoopback(handler);
  running.push(app);
  return app.url;
}

const problemOf = async (promise: Promise<unknown>) =>
  findNetworkProblem(
    await promise.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );

const redirectTo =
  (location: string, status = 307) =>
  () =>
    new Response(null, { status, headers: { location } });

/** Says which headers and body arrived. */
const echo = async (request: Request) =>
  Response.json({ headers: Object.fromEntries(request.headers), body: await request.text(), method: request.method });

describe("SEC-5 link-local and metadata addresses are refused", () => {
  test.each([
    "169.254.169.254",
    "169.254.0.0",
    "169.254.255.255",
    "100.100.100.200",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
  ])("%s", (address) => expect(isRefusedAddress(address)).toBe(true));

  test.each([
    "169.253.255.255",
    "169.255.0.0",
    "127.0.0.1",
    "10.0.0.1",
    "::1",
    "fec0::1",
    "fd00:ec2::253",
    "example.com",
  ])("%s is not refused", (address) => expect(isRefusedAddress(address)).toBe(false));

  test.each([
    "http://169.254.169.254/",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://[fe80::1]/",
    "http://[::ffff:a9fe:a9fe]/",
  ])("as a literal in the URL: %s", async (url) =>
    expect(await problemOf(open().fetch(url, {}))).toContain("link-local or metadata address"),
  );

  test("by redirect", async () => {
    const url = await serveApp(redirectTo("http://169.254.169.254/latest/meta-data"));
    expect(await problemOf(open().fetch(url, {}))).toContain("to http://169.254.169.254 was refused");
  });

  test("by name, even beside a good address", async () => {
    const lookup: LookupFunction = (_name, _options, callback) =>
      callback(null, [
        { address: "127.0.0.1", family: 4 },
        { address: "169.254.169.254", family: 4 },
      ]);
    const problem = await problemOf(open({ lookup }).fetch("http://metadata.example:80/", {}));
    expect(problem).toBe("metadata.example leads to 169.254.169.254, a link-local or metadata address");
  });

  test("a name that leads to a good address is connected to", async () => {
    const url = new URL(await serveApp(echo));
    const lookup: LookupFunction = (_name, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]);
    url.hostname = "good.example";
    expect((await open({ lookup }).fetch(url, {})).status).toBe(200);
  });
});

describe("BRR-3 redirects", () => {
  const secrets = { authorization: "Bearer t", "x-api-key": "k", cookie: "c=1" };
  const portable = { "mcp-session-id": "s", "mcp-protocol-version": "2025-11-25", "content-type": "application/json" };
  const request = { method: "POST", headers: { ...secrets, ...portable }, body: '{"a":1}' };

  test("to another port of the host are refused with the server to configure, and nothing is sent there", async () => {
    const seen: string[] = [];
    const away = await serveApp(({ url }) => {
      seen.push(url);
      return new Response("internal secret");
    });
    const home = await serveApp(redirectTo(`${away}/admin?token=t`, 308));
    expect(await problemOf(open().fetch(home, request))).toBe(
      `a redirect from ${new URL(home).origin} to ${new URL(away).origin} was refused: ` +
        "it would leave the host, or encryption; configure the URL that it leads to instead",
    );
    expect(seen).toEqual([]);
  });

  test("to the same origin keep everything", async () => {
    const url = await serveApp((incoming) =>
      incoming.url.endsWith("/mcp/") ? echo(incoming) : redirectTo("/mcp/", 308)(),
    );
    const seen = await (await open().fetch(url, request)).json();
    expect(seen).toMatchObject({ method: "POST", body: '{"a":1}', headers: { ...secrets, ...portable } });
  });

  test.each([301, 302, 303])("a %i that would turn a POST into a GET is refused with the cure", async (status) => {
    const url = await serveApp(redirectTo("/elsewhere", status));
    expect(await problemOf(open().fetch(url, request))).toContain("configure the URL that it leads to instead");
  });

  test("to another scheme than https are refused", async () => {
    const url = await serveApp(redirectTo("file:///etc/passwd"));
    expect(await problemOf(open().fetch(url, {}))).toContain("refused");
  });

  test.each([
    [5, undefined],
    [6, "more than 5 redirects"],
  ])("%i in a row", async (count, problem) => {
    const url = await serveApp(({ url: at }) => {
      const hop = Number(new URL(at).searchParams.get("hop"));
      return hop < count ? redirectTo(`/mcp?hop=${hop + 1}`)() : new Response("ok");
    });
    const found = await problemOf(open().fetch(url, {}));
    expect(problem === undefined ? found : found?.includes(problem)).toBe(problem === undefined ? undefined : true);
  });
});

describe("SEC-6 answers are limited", () => {
  const stream = { headers: { "content-type": "text/event-stream" } };
  const event = (bytes: number) => `data: ${"x".repeat(bytes - 8)}\n\n`;

  test.each([
    [1_000, undefined],
    [1_001, "the response is over the limit of 1000 bytes"],
  ])("a body of %i bytes", async (bytes, problem) => {
    const url = await serveApp(() => new Response("x".repeat(bytes)));
    const response = await open().fetch(url, {});
    expect(await problemOf(response.text())).toBe(problem);
  });

  test.each([
    ["ten events at the limit", event(1_000).repeat(10), undefined],
    ["ten events with CRLF", event(900).replaceAll("\n", "\r\n").repeat(10), undefined],
    ["an event one byte past it", event(500) + event(1_001), "one event of the stream is over the limit of 1000 bytes"],
    [
      "an event in many lines",
      "data: abcdefgh\n".repeat(70),
      "one event of the stream is over the limit of 1000 bytes",
    ],
    [
      "an event with one-byte lines between",
      "data: abcdefgh\na\n".repeat(70),
      "one event of the stream is over the limit of 1000 bytes",
    ],
    ["an endless line", "x".repeat(1_001), "one event of the stream is over the limit of 1000 bytes"],
  ])("a stream with %s", async (_name, body, problem) => {
    const url = await serveApp(() => new Response(body, stream));
    const response = await open().fetch(url, {});
    expect(await problemOf(response.text())).toBe(problem);
  });

  test("line ends split over chunks still end an event", async () => {
    const chunks = ["data: ", "x".repeat(400), "\r", "\n\r", "\n", "data: ", "y".repeat(600), "\n", "\n", event(900)];
    const body = () => ReadableStreamOf(chunks.map((chunk) => new TextEncoder().encode(chunk)));
    const url = await serveApp(() => new Response(body(), stream));
    expect(await problemOf((await open().fetch(url, {})).text())).toBe(undefined);
  });
});

function ReadableStreamOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      const chunk = chunks[next];
      next += 1;
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}
