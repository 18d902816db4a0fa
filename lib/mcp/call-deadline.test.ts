import { afterEach, describe, expect, test, vi } from "vitest";
import { connectMcp, type McpConnection } from "./connect.ts";
import { serveOnLoopback, startEndpoint, type ServedApp, type TestEndpoint } from "./endpoint.fixture.ts";
import type { ServeOptions } from "./serve.ts";

let served: TestEndpoint;
let front: ServedApp | undefined;
let connection: McpConnection | undefined;

afterEach(async () => {
  await connection?.close();
  await served.stop();
  await front?.stop();
  front = undefined;
});

const withoutSessions = { opensSessions: async () => false };

/** Connects in the era asked for: the 2026 era is kept from the server where the 2025 era is wanted. */
async function open(era: string, options: Partial<ServeOptions> = {}, unanswered = "") {
  served = await startEndpoint(options);
  front = await serveOnLoopback(async (request) => {
    if (era === "2025" && request.headers.has("mcp-method")) return Response.json({ error: "no" }, { status: 400 });
    if (unanswered !== "" && (await request.clone().text()).includes(unanswered)) {
      return await new Promise<Response>(() => undefined);
    }
    return await served.endpoint.app.fetch(request);
  });
  const signal = new AbortController().signal;
  connection = await connectMcp({
    url: front.url,
    clientName: "t",
    clientVersion: "1",
    signal,
    connectTimeoutMs: 5_000,
  });
  expect(connection.era).toBe(era);
  return connection;
}

async function expectAborted(): Promise<void> {
  await vi.waitFor(() => expect(served.calls[0]?.context.signal.aborted).toBe(true), { timeout: 1_000, interval: 5 });
}

const never = new AbortController().signal;

describe.each(["2025", "2026"])("the deadlines of a call in the %s era", (era) => {
  test("AGT-8 the caller's signal ends the call here and on the server", async () => {
    const client = await open(era);
    const controller = new AbortController();
    const call = client.callTool("wait", {}, { signal: controller.signal, idleTimeoutMs: 5_000 });
    const outcome = expect(call).rejects.toMatchObject({ name: "McpError", kind: "cancelled" });
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    controller.abort();
    await outcome;
    await expectAborted();
  });

  test("CFG-8 silence past the idle timeout is a timeout here and cancels on the server", async () => {
    const client = await open(era);
    const call = client.callTool("wait", {}, { signal: never, idleTimeoutMs: 1_000 });
    await expect(call).rejects.toMatchObject({
      kind: "timeout",
      message: expect.stringContaining("silent for 1000 ms"),
    });
    await expectAborted();
  });

  test("CFG-8 progress starts the idle time anew, and the total timeout ends the call all the same", async () => {
    const client = await open(era);
    const call = client.callTool("wait", {}, { signal: never, idleTimeoutMs: 300, totalTimeoutMs: 1_000 });
    const outcome = expect(call).rejects.toMatchObject({
      kind: "timeout",
      message: expect.stringContaining("1000 ms"),
    });
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    let progress = 0;
    const ticker = setInterval(() => void served.calls[0]?.context.sendProgress?.({ progress: (progress += 1) }), 50);
    await outcome;
    clearInterval(ticker);
    await expectAborted();
  });

  test("a signal that is already aborted sends nothing", async () => {
    const client = await open(era);
    const call = client.callTool("wait", {}, { signal: AbortSignal.abort(), idleTimeoutMs: 5_000 });
    await expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await client.callTool("whoami", {}, { signal: never, idleTimeoutMs: 5_000 });
    expect(served.calls).toHaveLength(0);
  });

  test("a stream that is cut before the result fails the call at once as unreachable", async () => {
    const client = await open(era);
    const call = client.callTool("wait", {}, { signal: never, idleTimeoutMs: 60_000 });
    const outcome = expect(call).rejects.toMatchObject({ kind: "unreachable" });
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    await front?.stop();
    await outcome;
  });

  test("close fails a running call as cancelled", async () => {
    const client = await open(era);
    const call = client.callTool("wait", {}, { signal: never, idleTimeoutMs: 60_000 });
    const outcome = expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    await client.close();
    await outcome;
    await expectAborted();
  });
});

test("AGT-8 a cancelled call also ends on a 2025-era server without sessions, which never hears of the cancellation", async () => {
  const client = await open("2025", withoutSessions);
  const controller = new AbortController();
  const call = client.callTool("wait", {}, { signal: controller.signal, idleTimeoutMs: 5_000 });
  const outcome = expect(call).rejects.toMatchObject({ kind: "cancelled" });
  await vi.waitFor(() => expect(served.calls).toHaveLength(1));
  controller.abort();
  await outcome;
  await expectAborted();
});

test("AGT-8 a cancelled call ends within a second although the server never answers the cancellation", async () => {
  const client = await open("2025", withoutSessions, "notifications/cancelled");
  const controller = new AbortController();
  const call = client.callTool("wait", {}, { signal: controller.signal, idleTimeoutMs: 5_000 });
  const outcome = expect(call).rejects.toMatchObject({ kind: "cancelled" });
  await vi.waitFor(() => expect(served.calls).toHaveLength(1));
  controller.abort();
  await outcome;
  await expectAborted();
});
