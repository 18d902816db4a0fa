import { Registry } from "prom-client";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ApiError, TransportError } from "./api-error.ts";
import { createKubeMetrics } from "./metrics.ts";
import { answerJson, answerStatus, FakeApiServer, type Handler } from "./testing/fake-api-server.ts";
import { createTransport, type TransportOptions } from "./transport.ts";

const widgetPath = "/apis/example.com/v1/namespaces/default/widgets/a";

async function setUp(options: Partial<TransportOptions> = {}) {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1", ...options });
  onTestFinished(async () => {
    await transport.close();
    await fake.stop();
  });
  return {
    fake,
    transport,
    get: (more: object = {}) => transport.request({ method: "GET", path: widgetPath, ...more }),
  };
}

const silence: Handler = () => undefined;
const tooMany = answerStatus(429, "TooManyRequests", { "retry-after": "0" });

describe("calls", () => {
  test("send token, agent, query and body; give back JSON", async () => {
    const { fake, transport } = await setUp();
    const body = { metadata: { name: "a" } };
    const answer = await transport.request({
      method: "PATCH",
      path: widgetPath,
      query: { force: true, left: undefined, fieldManager: "me & you" },
      contentType: "application/apply-patch+yaml",
      body,
    });
    expect(answer).toMatchObject({ metadata: { name: "a", uid: "uid-1" } });
    const [seen] = fake.exchanges;
    expect(seen?.body).toEqual(body);
    expect(Object.fromEntries(seen?.query ?? [])).toEqual({ force: "true", fieldManager: "me & you" });
    expect(seen?.headers).toMatchObject({
      authorization: "Bearer secret",
      "user-agent": "test/1",
      "content-type": "application/apply-patch+yaml",
    });
  });

  test("an empty answer is undefined", async () => {
    const { fake, get } = await setUp();
    fake.next.other.push((response) => response.writeHead(200).end());
    expect(await get()).toBeUndefined();
  });

  test("a Status becomes an ApiError with reason, message and details", async () => {
    const { fake, get } = await setUp();
    const details = { name: "a", kind: "widgets" };
    fake.next.other.push((response) =>
      answerJson(response, 404, {
        kind: "Status",
        code: 404,
        reason: "NotFound",
        message: 'widgets "a" not found',
        details,
      }),
    );
    const error = await get().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 404, reason: "NotFound", details });
    expect(error).toHaveProperty("message", `GET ${widgetPath}: widgets "a" not found (HTTP 404 NotFound)`);
  });

  test("an error page of a proxy becomes an ApiError that quotes it in part", async () => {
    const { fake, get } = await setUp();
    fake.next.other.push((response) => response.writeHead(502).end(`bad gateway ${"x".repeat(10_000)}`));
    const error = await get().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 502, reason: "Unknown" });
    expect(String(error).length).toBeLessThan(500);
  });

  test("an error body without end is read in part", async () => {
    const { fake, get } = await setUp();
    const closed = Promise.withResolvers<void>();
    fake.next.other.push((response) => {
      response
        .on("close", () => closed.resolve())
        .writeHead(500)
        .write("x".repeat(1024 * 1024));
    });
    await expect(get()).rejects.toMatchObject({ status: 500, reason: "Unknown" });
    await closed.promise;
  });

  test("an answer that is not JSON, and none at all, are TransportErrors", async () => {
    const { fake, get } = await setUp();
    fake.next.other.push((response) => response.writeHead(200).end("<html>"));
    await expect(get()).rejects.toThrow(/expected JSON, found "<html>"/);
    fake.next.other.push((response) => response.destroy());
    await expect(get()).rejects.toMatchObject({ name: "TransportError", timedOut: false });
  });
});

describe("I12 every call has a deadline", () => {
  test("a silent server: TransportError timedOut, and the next call works", async () => {
    const { fake, get } = await setUp();
    fake.next.other.push(silence);
    await expect(get({ timeoutMs: 50 })).rejects.toMatchObject({ name: "TransportError", timedOut: true });
    fake.next.other.length = 0; // on a busy machine the time may be up before the call is sent
    await expect(get()).rejects.toMatchObject({ status: 404 });
  });

  test("a body that never ends is cut off too", async () => {
    const { fake, get } = await setUp();
    fake.next.other.push((response) => response.writeHead(200).write("{"));
    await expect(get({ timeoutMs: 50 })).rejects.toMatchObject({ timedOut: true });
  });

  test("the caller's abort ends the call with the caller's reason", async () => {
    const { fake, get } = await setUp();
    const abort = new AbortController();
    fake.next.other.push(() => abort.abort(new Error("enough")));
    await expect(get({ signal: abort.signal })).rejects.toThrow("enough");
    await expect(get({ signal: abort.signal })).rejects.toThrow("enough");
    expect(fake.exchanges).toHaveLength(1);
  });

  test("watches wait for no other: of twelve kinds in 25 namespaces each is opened", async () => {
    const { fake, transport } = await setUp();
    const query = { resourceVersion: fake.version };
    const { signal } = new AbortController();
    const watch = () => transport.watch({ path: widgetPath, query, signal, inactivityMs: 60_000 });
    await Promise.all(Array.from({ length: 300 }, watch));
    expect(fake.openWatches).toBe(300);
  });

  test("a watch that is not read any more is closed", async () => {
    const { fake, transport } = await setUp();
    const query = { resourceVersion: fake.version };
    const { signal } = new AbortController();
    const path = "/apis/example.com/v1/namespaces/default/widgets";
    const lines = await transport.watch({ path, query, signal, inactivityMs: 60_000 });
    fake.put("a");
    for await (const line of lines) {
      expect(line).toContain("ADDED");
      break;
    }
    await vi.waitFor(() => expect(fake.openWatches).toBe(0));
  });

  test("a watch that is not accepted in time fails", async () => {
    const { fake, transport } = await setUp();
    fake.next.watch.push(silence);
    const watch = transport.watch({
      path: widgetPath,
      signal: new AbortController().signal,
      inactivityMs: 9_000,
      openTimeoutMs: 50,
    });
    await expect(watch).rejects.toMatchObject({ timedOut: true });
  });
});

describe("Retry-After is obeyed within limits", () => {
  test.each([
    ["429", tooMany],
    ["503 with Retry-After", answerStatus(503, "ServiceUnavailable", { "retry-after": "0" })],
  ])("%s is tried again", async (_title, refusal) => {
    const { fake, get } = await setUp();
    fake.put("a");
    fake.next.other.push(refusal, refusal);
    expect(await get()).toMatchObject({ metadata: { name: "a" } });
    expect(fake.exchanges).toHaveLength(3);
  });

  test.each([
    [4, true],
    [5, false],
  ])("after %i refusals of at most 5 tries: success %s", async (refusals, succeeds) => {
    const { fake, get } = await setUp();
    fake.put("a");
    fake.next.other.push(...Array.from({ length: refusals }, () => tooMany));
    const outcome = await get().then(
      () => true,
      () => false,
    );
    expect(outcome).toBe(succeeds);
    expect(fake.exchanges).toHaveLength(5);
  });

  test("the pause is at least what the server asks", async () => {
    const { fake, get } = await setUp();
    fake.put("a");
    fake.next.other.push(answerStatus(429, "TooManyRequests", { "retry-after": "1" }));
    const startedAt = performance.now();
    await get();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(995);
  });

  test("a pause beyond the deadline is not waited for", async () => {
    const { fake, get } = await setUp();
    fake.next.other.push(answerStatus(429, "TooManyRequests", { "retry-after": "3600" }));
    await expect(get()).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
  });

  test.each([500, 503, 409])("%i without Retry-After is the caller's business", async (code) => {
    const { fake, get } = await setUp();
    fake.next.other.push(answerStatus(code, "Whatever"));
    await expect(get()).rejects.toMatchObject({ status: code });
    expect(fake.exchanges).toHaveLength(1);
  });
});

describe("credentials and connections", () => {
  test("fault 21: a refused token is read anew once", async () => {
    const { fake } = await setUp();
    const kubeConfig = fake.kubeConfig("old");
    const transport = createTransport({ kubeConfig, userAgent: "test/1" });
    onTestFinished(() => transport.close());
    fake.put("a");
    fake.next.other.push((response) => {
      kubeConfig.users = [{ name: "tester", token: "new" }];
      answerStatus(401, "Unauthorized")(response);
    });
    await transport.request({ method: "GET", path: widgetPath });
    expect(fake.exchanges.map((exchange) => exchange.headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
    fake.next.other.push(answerStatus(401, "Unauthorized"), answerStatus(401, "Unauthorized"));
    await expect(transport.request({ method: "GET", path: widgetPath })).rejects.toMatchObject({ status: 401 });
  });

  test.each<[string, Handler]>([
    ["fault 21: refused", answerStatus(401, "Unauthorized")],
    ["fault 22: without an answer", (response) => response.destroy()],
  ])("%s, a watch makes the next call read its credentials anew", async (_title, refuse) => {
    const { fake } = await setUp();
    const kubeConfig = fake.kubeConfig("old");
    const transport = createTransport({ kubeConfig, userAgent: "test/1" });
    onTestFinished(() => transport.close());
    fake.put("a");
    fake.next.watch.push(refuse);
    const { signal } = new AbortController();
    await expect(transport.watch({ path: widgetPath, signal, inactivityMs: 9_000 })).rejects.toThrow(
      `GET ${widgetPath}`,
    );
    kubeConfig.users = [{ name: "tester", token: "new" }];
    await transport.request({ method: "GET", path: widgetPath });
    expect(fake.exchanges.map((exchange) => exchange.headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
  });

  test("200 calls in a row share a connection or two; at once, no more than 32", async () => {
    const { fake, get } = await setUp();
    fake.put("a");
    const peers = new Set<number | undefined>();
    const note: Handler = (response) => {
      peers.add(response.socket?.remotePort);
      answerJson(response, 200, {});
    };
    fake.next.other.push(...Array.from({ length: 400 }, () => note));
    for (let i = 0; i < 200; i += 1) await get();
    expect(peers.size).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 200 }, () => get()));
    expect(peers.size).toBeGreaterThan(2);
    expect(peers.size).toBeLessThanOrEqual(32);
  });

  test("a proxy-url is refused with a cure", async () => {
    const { fake } = await setUp();
    const kubeConfig = fake.kubeConfig();
    kubeConfig.clusters = [{ name: "fake", server: fake.url, skipTLSVerify: true, proxyUrl: "http://127.0.0.1:1" }];
    const transport = createTransport({ kubeConfig, userAgent: "test/1" });
    onTestFinished(() => transport.close());
    await expect(transport.request({ method: "GET", path: widgetPath })).rejects.toThrow(
      /proxy-url, which is not supported/,
    );
  });

  test("MET-4 requests are counted by code and method", async () => {
    const registry = new Registry();
    const { fake, get } = await setUp({ metrics: createKubeMetrics(registry) });
    fake.next.other.push((response) => response.destroy());
    await expect(get()).rejects.toBeInstanceOf(TransportError);
    await expect(get()).rejects.toBeInstanceOf(ApiError);
    const text = await registry.metrics();
    expect(text).toContain('rest_client_requests_total{method="GET",code="<error>"} 1');
    expect(text).toContain('rest_client_requests_total{method="GET",code="404"} 1');
  });
});
