import { Client as Client2025 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport2025 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startEndpoint, type CallRecord, type TestEndpoint } from "./endpoint.fixture.ts";
import { callMessage, modernCall, openSession, post, readMessages } from "./raw-client.fixture.ts";

let served: TestEndpoint;

afterEach(() => served?.stop());

const withinMs = { timeout: 1_000, interval: 5 };

async function nextCall(index = 0): Promise<CallRecord> {
  return await vi.waitFor(() => {
    const call = served.calls[index];
    if (call === undefined) throw new Error(`call ${index} has not arrived`);
    return call;
  });
}

async function expectAborted(call: CallRecord): Promise<void> {
  await vi.waitFor(() => expect(call.context.signal.aborted).toBe(true), withinMs);
}

describe("AGT-8 cancellation reaches the handler's signal within a second", () => {
  test("the first SDK's client with its abort signal", async () => {
    served = await startEndpoint();
    const client = new Client2025({ name: "c", version: "1" });
    await client.connect(new Transport2025(new URL(served.url)));
    const controller = new AbortController();
    const result = client.callTool({ name: "wait", arguments: {} }, undefined, { signal: controller.signal });
    const outcome = expect(result).rejects.toThrow("enough");
    const call = await nextCall();
    controller.abort("enough");
    await outcome;
    await expectAborted(call);
    await client.close();
  });

  test.each([0, 7, "seven"])(
    "notifications/cancelled for request id %j, whose stream then ends without a result",
    async (id) => {
      served = await startEndpoint();
      const session = await openSession(served.url);
      const response = await post(served.url, callMessage("wait", {}, id), session);
      const call = await nextCall();
      const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
      expect((await post(served.url, message, session)).status).toBe(202);
      await expectAborted(call);
      expect(await readMessages(response)).toEqual([]);
    },
  );

  test("a cancelled call leaves the others of its session alone", async () => {
    served = await startEndpoint();
    const session = await openSession(served.url);
    await post(served.url, callMessage("wait", {}, 1), session);
    const first = await nextCall(0);
    const response = await post(served.url, callMessage("wait", {}, 2), session);
    const second = await nextCall(1);
    await post(served.url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, session);
    await expectAborted(first);
    second.finish();
    expect(JSON.stringify(await readMessages(response))).toContain("finished");
  });

  test("closing the stream cancels in the 2026 era", async () => {
    served = await startEndpoint();
    const { message, headers } = modernCall("wait");
    const controller = new AbortController();
    const pending = post(served.url, message, headers, controller.signal);
    const call = await nextCall();
    await pending;
    controller.abort();
    await expectAborted(call);
    expect(call.context.era).toBe("2026");
  });

  test("closing the POST cancels where no sessions are opened", async () => {
    served = await startEndpoint({ opensSessions: async () => false });
    const controller = new AbortController();
    await post(served.url, callMessage("wait"), {}, controller.signal);
    const call = await nextCall();
    controller.abort();
    await expectAborted(call);
    expect(call.context.sessionId).toBeUndefined();
  });

  test("closing the POST of a session does not cancel", async () => {
    served = await startEndpoint();
    const session = await openSession(served.url);
    const controller = new AbortController();
    await post(served.url, callMessage("wait"), session, controller.signal);
    const call = await nextCall();
    controller.abort();
    // A later call of the session is a full round trip after the server has seen the socket close.
    await vi.waitFor(async () => {
      await readMessages(await post(served.url, callMessage("whoami", {}, 2), session));
      expect(served.endpoint.sessionCount()).toBe(1);
    });
    expect(call.context.signal.aborted).toBe(false);
    call.finish();
    await vi.waitFor(() => expect(served.logLines.join("")).toContain("mcp transport reported an error"));
  });

  test("closing the endpoint aborts running calls of both eras, and later requests get 503", async () => {
    served = await startEndpoint();
    await post(served.url, callMessage("wait"), await openSession(served.url));
    const { message, headers } = modernCall("wait");
    await post(served.url, message, headers);
    const calls = [await nextCall(0), await nextCall(1)];
    await served.endpoint.close();
    for (const call of calls) await expectAborted(call);
    const refused = await post(served.url, callMessage("whoami"));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  });
});

describe("SEC-6 one id, one running call", () => {
  test("a second call with the id of a running one is refused, and works once that has ended", async () => {
    served = await startEndpoint();
    const session = await openSession(served.url);
    const first = await post(served.url, callMessage("wait", {}, 5), session);
    const call = await nextCall();
    expect((await post(served.url, callMessage("whoami", {}, 5), session)).status).toBe(400);
    call.finish();
    expect(JSON.stringify(await readMessages(first))).toContain("finished");
    expect((await post(served.url, callMessage("whoami", {}, 5), session)).status).toBe(200);
  });
});
