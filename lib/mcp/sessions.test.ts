import { afterEach, describe, expect, test, vi } from "vitest";
import { defined } from "../process/defined.ts";
import { startEndpoint, type TestEndpoint } from "./endpoint.fixture.ts";
import { callMessage, initializeMessage, openSession, post, readMessages } from "./raw-client.fixture.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";

let served: TestEndpoint;

afterEach(() => served?.stop());

/** Random numbers in [0, 1), the same at each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

async function statusOf(session: Record<string, string>, id = 1): Promise<number> {
  const response = await post(served.url, callMessage("whoami", {}, id), session);
  await response.text();
  return response.status;
}

async function openStream(session: Record<string, string>, signal?: AbortSignal): Promise<Response> {
  const headers = { accept: "text/event-stream", ...session };
  return await fetch(served.url, { headers, ...defined({ signal }) });
}

describe("AGT-6 sessions of the 2025 era", () => {
  test("an unknown id gets 404, a missing one 400, both as JSON-RPC errors", async () => {
    served = await startEndpoint();
    const unknown = await post(served.url, callMessage("whoami"), { "mcp-session-id": "f".repeat(32) });
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: -32001 } }]);
    const missing = await post(served.url, callMessage("whoami"));
    expect([missing.status, await missing.json()]).toMatchObject([400, { error: { code: -32000 } }]);
  });

  test("DELETE ends the session once, aborts its calls and is answered after onSessionDelete", async () => {
    const ended: string[] = [];
    served = await startEndpoint({ onSessionDelete: async (id) => void ended.push(id) });
    const session = await openSession(served.url);
    const call = await post(served.url, callMessage("wait"), session);
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    const stream = await openStream(session);
    expect((await fetch(served.url, { method: "DELETE", headers: session })).status).toBe(200);
    expect(await readMessages(call)).toEqual([]);
    await stream.text();
    expect(served.calls[0]?.context.signal.aborted).toBe(true);
    expect((await fetch(served.url, { method: "DELETE", headers: session })).status).toBe(404);
    expect(await statusOf(session)).toBe(404);
    expect([ended, served.endpoint.sessionCount()]).toEqual([[session["mcp-session-id"]], 0]);
  });

  test("the GET stream is held once per session", async () => {
    served = await startEndpoint();
    const session = await openSession(served.url);
    const stream = await openStream(session);
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect((await openStream(session)).status).toBe(409);
    await stream.body?.cancel();
    await vi.waitFor(async () => expect((await openStream(session)).status).toBe(200));
  });

  test("a refused initialize leaves no session behind", async () => {
    served = await startEndpoint();
    const response = await post(served.url, { ...initializeMessage, params: {} });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32602 } }]);
    const noAccept = await post(served.url, initializeMessage, { accept: "application/json" });
    expect([noAccept.status, served.endpoint.sessionCount()]).toEqual([406, 0]);
  });
});

describe("AGT-6 idle sessions end", () => {
  const limits = { idleTtlMs: 1_000, max: 10 };

  test("not one millisecond before the idle time, and exactly at it", async () => {
    const clock = new ManualClock();
    const ended: string[] = [];
    const onSessionDelete = async (id: string) => void ended.push(id);
    served = await startEndpoint({ sessions: limits, clock, onSessionDelete });
    const session = await openSession(served.url);
    await clock.advance(999);
    expect([served.endpoint.sessionCount(), await statusOf(session)]).toEqual([1, 200]);
    await clock.advance(999);
    expect(served.endpoint.sessionCount()).toBe(1);
    await clock.advance(1);
    expect([served.endpoint.sessionCount(), await statusOf(session, 2)]).toEqual([0, 404]);
    expect(ended).toEqual([]);
  });

  test("a running call keeps its session, and the idle time starts when it ends", async () => {
    const clock = new ManualClock();
    served = await startEndpoint({ sessions: limits, clock });
    const session = await openSession(served.url);
    const call = await post(served.url, callMessage("wait"), session);
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    await clock.advance(5_000);
    served.calls[0]?.finish();
    expect(JSON.stringify(await readMessages(call))).toContain("finished");
    await clock.advance(999);
    expect(served.endpoint.sessionCount()).toBe(1);
    await clock.advance(1);
    await vi.waitFor(async () => expect(await statusOf(session, 2)).toBe(404));
  });

  test("an open GET stream keeps its session until it is dropped", async () => {
    const clock = new ManualClock();
    served = await startEndpoint({ sessions: limits, clock });
    const session = await openSession(served.url);
    const controller = new AbortController();
    await openStream(session, controller.signal);
    await clock.advance(5_000);
    expect(served.endpoint.sessionCount()).toBe(1);
    controller.abort();
    await vi.waitFor(async () => {
      await clock.advance(1_000);
      expect(served.endpoint.sessionCount()).toBe(0);
    });
  });
});

describe("AGT-6 a session with two streams", () => {
  test.each([
    ["the resumed one", 1, 0],
    ["the standalone one", 0, 1],
  ])("is kept by the other when %s ends", async (_which, first, second) => {
    const clock = new ManualClock();
    served = await startEndpoint({ sessions: { idleTtlMs: 1_000, max: 10 }, clock });
    const session = await openSession(served.url);
    const [, eventId = ""] =
      /^id: (.+)$/m.exec(await (await post(served.url, callMessage("whoami"), session)).text()) ?? [];
    // Not over a socket, whose end is noticed some time later.
    const open = async (headers: Record<string, string>) => {
      const request = new Request(served.url, { headers: { accept: "text/event-stream", ...session, ...headers } });
      return await served.endpoint.app.fetch(request);
    };
    const streams = [await open({}), await open({ "last-event-id": eventId })];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    await streams[first]?.body?.cancel();
    await clock.advance(5_000);
    expect(served.endpoint.sessionCount()).toBe(1);
    await streams[second]?.body?.cancel();
    await clock.advance(1_000);
    expect(served.endpoint.sessionCount()).toBe(0);
  });
});

describe("AGT-6 the session cap", () => {
  const limits = { idleTtlMs: 60_000, max: 2 };

  test("at the cap all live; one past it the longest idle makes room", async () => {
    served = await startEndpoint({ sessions: limits });
    const first = await openSession(served.url);
    const second = await openSession(served.url);
    expect([await statusOf(second), await statusOf(first)]).toEqual([200, 200]);
    const third = await openSession(served.url);
    expect(served.endpoint.sessionCount()).toBe(2);
    expect([await statusOf(first, 2), await statusOf(second, 2), await statusOf(third, 2)]).toEqual([200, 404, 200]);
  });

  test("a session with a running call never makes room: when all have one, a new session gets 503 with Retry-After", async () => {
    served = await startEndpoint({ sessions: limits });
    for (const index of [0, 1]) {
      await post(served.url, callMessage("wait"), await openSession(served.url));
      await vi.waitFor(() => expect(served.calls).toHaveLength(index + 1));
    }
    const refused = await post(served.url, initializeMessage);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({ error: { code: -32000 } });
    served.calls[0]?.finish();
    await vi.waitFor(async () => expect((await post(served.url, initializeMessage)).status).toBe(200));
  });

  test("sessions opened at the same time stay within the cap, and a refused initialize takes no place", async () => {
    served = await startEndpoint({ sessions: limits });
    await Promise.all(Array.from({ length: 10 }, () => post(served.url, initializeMessage, { accept: "text/html" })));
    await Promise.all(Array.from({ length: 20 }, () => post(served.url, initializeMessage)));
    expect(served.endpoint.sessionCount()).toBe(2);
  });

  test("a session that listens makes room only when no other idle one is there", async () => {
    served = await startEndpoint({ sessions: limits });
    const listening = await openSession(served.url);
    const stream = await openStream(listening);
    const idle = await openSession(served.url);
    await openSession(served.url);
    expect([await statusOf(listening), await statusOf(idle)]).toEqual([200, 404]);
    await stream.body?.cancel();
  });
});

describe("AGT-6 OPR-10 while no sessions are opened", () => {
  let isSingle = false;
  const start = async (single: boolean) => {
    isSingle = single;
    served = await startEndpoint({ opensSessions: async () => isSingle });
  };
  const call = (headers: Record<string, string> = {}) =>
    post(served.url, callMessage("steps", {}, 1, { progressToken: 1 }), headers);

  test("initialize gives no id, calls need none, GET and DELETE get 405", async () => {
    await start(false);
    const response = await post(served.url, initializeMessage);
    expect([response.status, response.headers.get("mcp-session-id")]).toEqual([200, null]);
    expect(await readMessages(response)).toHaveLength(1);
    expect(await readMessages(await call())).toHaveLength(4);
    expect((await openStream({})).status).toBe(405);
    expect((await fetch(served.url, { method: "DELETE" })).status).toBe(405);
    expect(served.endpoint.sessionCount()).toBe(0);
  });

  test("sessions that are open go on, and hear what their clients cancel", async () => {
    await start(true);
    const session = await openSession(served.url);
    isSingle = false;
    const stream = await openStream(session);
    await post(served.url, callMessage("wait", {}, "c"), session);
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "c" } };
    expect((await post(served.url, cancel, session)).status).toBe(202);
    await vi.waitFor(() => expect(served.calls[0]?.context.signal.aborted).toBe(true));
    expect([served.endpoint.sessionCount(), stream.status]).toEqual([1, 200]);
    expect((await fetch(served.url, { method: "DELETE", headers: session })).status).toBe(200);
  });

  test("a session that is not known here is served call by call, and is 404 once sessions are opened", async () => {
    await start(false);
    const elsewhere = { "mcp-session-id": "f".repeat(32) };
    expect(await readMessages(await call(elsewhere))).toHaveLength(4);
    expect([(await openStream(elsewhere)).status, served.endpoint.sessionCount()]).toEqual([405, 0]);
    isSingle = true;
    expect((await call(elsewhere)).status).toBe(404);
  });

  test("whoever began without a session is served without one, also once sessions are opened", async () => {
    await start(true);
    expect(await readMessages(await call())).toHaveLength(4);
    expect((await openStream({})).status).toBe(405);
    expect(await statusOf(await openSession(served.url))).toBe(200);
  });

  test("close ends what runs without a session", async () => {
    await start(false);
    const running = post(served.url, callMessage("wait"));
    await vi.waitFor(() => expect(served.calls).toHaveLength(1));
    await served.endpoint.close();
    await (await running).text();
    expect(served.calls[0]?.context.signal.aborted).toBe(true);
  });
});

describe("AGT-6 OPR-10 pods that learn late how many they are", () => {
  test("a client that begins anew after 404 gets every call answered, whichever pods get its requests", async () => {
    const random = seeded(20_261_122);
    // Only the first pod can take itself for the only one: those that come with a scaling up know of it.
    let firstIsSingle = true;
    const first = await startEndpoint({ opensSessions: async () => firstIsSingle });
    const second = await startEndpoint({ opensSessions: async () => false });
    served = first;
    const anyPod = () => (random() < 0.5 ? first : second).url;
    const initialize = async (): Promise<Record<string, string>> => {
      const response = await post(anyPod(), initializeMessage);
      await response.text();
      const id = response.headers.get("mcp-session-id");
      return id === null ? {} : { "mcp-session-id": id };
    };
    let anew = 0;
    const clients = await Promise.all(Array.from({ length: 5 }, initialize));
    for (let round = 0; round < 200; round += 1) {
      if (random() < 0.1) firstIsSingle = !firstIsSingle;
      const at = Math.floor(random() * clients.length);
      const ask = () => post(anyPod(), callMessage("steps", {}, round, { progressToken: round }), clients[at]);
      let response = await ask();
      if (response.status === 404 || random() < 0.1) {
        await response.text();
        anew += 1;
        clients[at] = await initialize();
        response = await ask();
      }
      expect([round, response.status, (await readMessages(response)).length]).toEqual([round, 200, 4]);
    }
    expect(anew).toBeGreaterThan(0);
    await second.stop();
  });
});
