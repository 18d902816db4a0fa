import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { streamWhenLate } from "./late-stream.ts";

const options = { patienceMs: 20, keepAliveMs: 10 };

const after = async (delayMs: number, response: () => Response) => {
  await sleep(delayMs);
  return response();
};

describe("an answer of the 2026 era", () => {
  it("that comes at once keeps its form and status", async () => {
    const response = await streamWhenLate(
      after(0, () => Response.json({ a: 1 }, { status: 400 })),
      { patienceMs: 10_000, keepAliveMs: 10 },
    );
    expect([response.status, await response.json()]).toEqual([400, { a: 1 }]);
  });

  it("that is late comes on a stream with keep-alive comments before it", async () => {
    const answer = Promise.withResolvers<Response>();
    const response = await streamWhenLate(answer.promise, options);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      if (text.split("keep-alive").length > 2) answer.resolve(Response.json({ a: 1 }));
    }
    expect(text).toMatch(/^(: keep-alive\n\n){2,}event: message\ndata: \{"a":1\}\n\n$/);
  });

  it("that is late and a stream itself goes on as it is", async () => {
    const stream = () => new Response("data: x\n\n", { headers: { "Content-Type": "text/event-stream" } });
    const response = await streamWhenLate(after(50, stream), options);
    expect(await response.text()).toMatch(/^(: keep-alive\n\n)+data: x\n\n$/);
  });

  it("that fails early is thrown, and late breaks the stream", async () => {
    const fail = async (delayMs: number): Promise<Response> => {
      await sleep(delayMs);
      throw new Error("gone");
    };
    await expect(streamWhenLate(fail(0), { patienceMs: 10_000, keepAliveMs: 10 })).rejects.toThrow("gone");
    const response = await streamWhenLate(fail(50), options);
    await expect(response.text()).rejects.toThrow("gone");
  });

  it("that nobody waits for any more is dropped with its stream", async () => {
    let cancelled = false;
    const stream = () =>
      new Response(new ReadableStream({ cancel: () => void (cancelled = true) }), {
        headers: { "Content-Type": "text/event-stream" },
      });
    const response = await streamWhenLate(after(40, stream), options);
    const reader = response.body?.getReader();
    await reader?.read();
    void reader?.read();
    await sleep(80);
    await reader?.cancel();
    expect(cancelled).toBe(true);
  });
});
