import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CallRefused } from "./api-error.ts";
import { fenceTransport } from "./fence.ts";
import { answerJson, answerStatus, FakeApiServer, type Handler } from "./testing/fake-api-server.ts";
import { createTransport, type Call } from "./transport.ts";

const path = "/apis/example.com/v1/namespaces/default/widgets/a";
const write: Call = { method: "PATCH", path, body: { metadata: { name: "a" } } };

async function setUp() {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  onTestFinished(async () => {
    await transport.close();
    await fake.stop();
  });
  const lease = { validUntil: performance.now() + 60_000 };
  const fenced = fenceTransport({
    transport,
    remainingMs: () => lease.validUntil - performance.now(),
    describe: "not the leader",
  });
  const lapse = () => (lease.validUntil = 0);
  return { fake, transport, fenced, lease, lapse };
}

describe("I11 OPR-6 no write starts after the local lease expiry", () => {
  test("writes pass while the lease is ours", async () => {
    const { fenced } = await setUp();
    expect(await fenced.request(write)).toMatchObject({ metadata: { name: "a" } });
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
    "%s is refused afterwards, and nothing is sent",
    async (method) => {
      const { fake, fenced, lapse } = await setUp();
      lapse();
      await expect(fenced.request({ ...write, method })).rejects.toThrow(CallRefused);
      await expect(fenced.request({ ...write, method })).rejects.toThrow(/not the leader/);
      expect(fake.exchanges).toEqual([]);
    },
  );

  test("reads go on", async () => {
    const { fake, fenced, lapse } = await setUp();
    fake.put("a");
    lapse();
    expect(await fenced.request({ method: "GET", path })).toMatchObject({ metadata: { name: "a" } });
  });

  test("a write that waits for a connection is refused when its turn comes too late", async () => {
    const { fake, transport, fenced, lapse } = await setUp();
    const held: Parameters<Handler>[0][] = [];
    fake.next.other.push(...Array.from({ length: 32 }, (): Handler => (response) => held.push(response)));
    const busy = Promise.all(Array.from({ length: 32 }, () => transport.request({ method: "GET", path })));
    await vi.waitFor(() => expect(held).toHaveLength(32));
    const late = fenced.request(write);
    const refused = expect(late).rejects.toThrow(CallRefused);
    lapse();
    for (const response of held) answerJson(response, 200, {});
    await refused;
    await busy;
    expect(fake.seen("write")).toEqual([]);
  });

  test("a write is not tried again afterwards", async () => {
    const { fake, fenced, lapse } = await setUp();
    fake.next.other.push((response) => {
      lapse();
      answerStatus(429, "TooManyRequests", { "retry-after": "0" })(response);
    });
    await expect(fenced.request(write)).rejects.toThrow(CallRefused);
    expect(fake.seen("write")).toHaveLength(1);
  });

  test("a write under way is cut off at the end", async () => {
    const { fake, fenced, lease } = await setUp();
    lease.validUntil = performance.now() + 100;
    fake.next.other.push(() => undefined);
    await expect(fenced.request({ ...write, timeoutMs: 60_000 })).rejects.toMatchObject({ timedOut: true });
  });

  test.each([
    [1, "sent"],
    [0, "refused"],
  ])("a write that would start %i ms before the end is %s", async (leftMs, outcome) => {
    const sent = vi.fn(async () => "sent");
    const transport = {
      request: sent,
      watch: () => Promise.reject(new Error("no watch")),
      close: async () => undefined,
    };
    const fenced = fenceTransport({ transport, remainingMs: () => leftMs, describe: "not the leader" });
    const answer = fenced.request(write).catch((error: unknown) => (error instanceof CallRefused ? "refused" : error));
    expect(await answer).toBe(outcome);
    expect(sent).toHaveBeenCalledTimes(leftMs);
  });

  test("a caller's own condition counts too", async () => {
    const { fake, fenced } = await setUp();
    await expect(fenced.request({ ...write, mayStart: () => "not on Sundays" })).rejects.toThrow("not on Sundays");
    expect(fake.exchanges).toEqual([]);
  });
});

describe("I12 a call that waits for a connection keeps its deadline", () => {
  test("behind 32 calls without an answer", async () => {
    const { fake, transport } = await setUp();
    let open = 0;
    fake.next.other.push(...Array.from({ length: 32 }, (): Handler => () => (open += 1)));
    const busy = Promise.allSettled(
      Array.from({ length: 32 }, () => transport.request({ method: "GET", path, timeoutMs: 2_000 })),
    );
    await vi.waitFor(() => expect(open).toBe(32));
    const startedAt = performance.now();
    await expect(transport.request({ method: "GET", path, timeoutMs: 50 })).rejects.toMatchObject({ timedOut: true });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await busy;
  });
});
