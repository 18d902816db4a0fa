import { setImmediate as turnOfLoop } from "node:timers/promises";
import { Hono } from "hono";
import { afterEach, describe, expect, test, vi } from "vitest";
import { withDeadline } from "./http-deadline.ts";
import { listen, type RunningServer, type ServerEnv } from "./http-server.ts";
import { createLogger } from "./log.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const log = createLogger({ logger: "test", level: "SILENT" });
const running: RunningServer[] = [];
afterEach(() => Promise.all(running.splice(0).map((server) => server.close({ graceMs: 0 }))));

/** A server whose routes answer when `gate` opens; its default is 1 s. */
async function serve(options: { deadlineMs?: number } = { deadlineMs: 1_000 }) {
  const clock = new ManualClock();
  const gate = Promise.withResolvers<void>();
  const signals: (AbortSignal | undefined)[] = [];
  const cancelled: unknown[] = [];
  const app = new Hono<{ Bindings: ServerEnv }>();
  const answer = async () => {
    await gate.promise;
    return new Response("answered");
  };
  const stream = () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
      cancel: (reason) => void cancelled.push(reason ?? "cancelled"),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  app.use(async (c, next) => {
    signals.push(c.env.deadline?.signal);
    await next();
  });
  app.use("/patient", withDeadline(5_000));
  app.use("/stream", withDeadline("none"));
  app.get("/plain", answer);
  app.get("/patient", answer);
  app.get("/stream", stream);
  app.get("/forgotten", stream);
  const server = await listen(app.fetch, { port: 0, hostname: "127.0.0.1", log, clock, ...options });
  running.push(server);
  /** The request, once the server has it. */
  const ask = async (path: string) => {
    const before = signals.length;
    const asked = fetch(`${server.url}${path}`);
    asked.catch(() => undefined);
    await vi.waitFor(() => expect(signals.length).toBe(before + 1));
    return { asked, signal: signals.at(-1) };
  };
  return { clock, gate, ask, cancelled };
}

describe("SEC-6 a request's deadline", () => {
  test("answers 504 at its last millisecond, not before, and tells the handler", async () => {
    const { clock, ask } = await serve();
    const { asked, signal } = await ask("/plain");
    await clock.advance(999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    const response = await asked;
    expect(response.status).toBe(504);
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.json()).toEqual({ error: "deadline_exceeded", message: "no answer within 1000 ms" });
    expect(signal?.aborted).toBe(true);
  });

  test("is over with the answer, and leaves no timer", async () => {
    const { clock, gate, ask } = await serve();
    const { asked, signal } = await ask("/plain");
    await clock.advance(999);
    gate.resolve();
    expect(await (await asked).text()).toBe("answered");
    await vi.waitFor(() => expect(clock.pending).toEqual([]));
    expect(signal?.aborted).toBe(false);
  });

  test("is longer where the route says so", async () => {
    const { clock, ask } = await serve();
    const { asked } = await ask("/patient");
    const outcome: { status?: number } = {};
    void asked.then(({ status }) => (outcome.status = status));
    await clock.advance(4_999);
    await turnOfLoop();
    expect(outcome).toEqual({});
    await clock.advance(1);
    expect((await asked).status).toBe(504);
  });

  test("is none for a route that streams", async () => {
    const { clock, ask, cancelled } = await serve();
    const response = await (await ask("/stream")).asked;
    const reader = response.body?.getReader();
    await reader?.read();
    await clock.advance(3_600_000);
    expect(clock.pending).toEqual([]);
    expect(cancelled).toEqual([]);
    await reader?.cancel();
  });

  test("cuts off an answer that has begun, so that nobody takes it for the whole", async () => {
    const { clock, ask, cancelled } = await serve();
    const response = await (await ask("/forgotten")).asked;
    const reader = response.body?.getReader();
    await reader?.read();
    await clock.advance(1_000);
    await expect(reader?.read()).rejects.toThrow("terminated");
    await vi.waitFor(() => expect(cancelled).toHaveLength(1));
  });

  test("is not there where the server has none, whatever its routes say", async () => {
    const { clock, gate, ask } = await serve({});
    const { asked, signal } = await ask("/patient");
    expect([signal, clock.pending]).toEqual([undefined, []]);
    gate.resolve();
    expect((await asked).status).toBe(200);
  });
});
