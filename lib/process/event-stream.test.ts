import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "./http-server.ts";
import { createLogger } from "./log.ts";

const maxBytes = 256 * 1024;
const lines: string[] = [];
const log = createLogger({ logger: "test", level: "DEBUG", destination: { write: (line) => void lines.push(line) } });
const encode = (text: string) => new TextEncoder().encode(text);

/** Fetches what a server answers whose events are these; it waits for the promises among them. */
async function fetchEvents(events: readonly (string | Promise<void> | Error)[]): Promise<Response> {
  const start = async (controller: ReadableStreamDefaultController) => {
    for (const event of events) {
      if (event instanceof Error) throw event;
      if (typeof event === "string") controller.enqueue(encode(event));
      else await event;
    }
    controller.close();
  };
  const handler = () =>
    new Response(new ReadableStream({ start }), {
      status: 202,
      headers: { "content-type": "text/event-stream", "x-own": "kept" },
    });
  const server = await listen(handler, { port: 0, hostname: "127.0.0.1", log });
  onTestFinished(async () => void (await server.close({ graceMs: 0 })));
  return fetch(server.url);
}

describe("events", () => {
  it("that are there at once are sent in one piece, byte for byte", async () => {
    const response = await fetchEvents(["id: 1\n\n", "data: déjà vu 🙂\n\n"]);
    const expected = "id: 1\n\ndata: déjà vu 🙂\n\n";
    expect([response.status, response.headers.get("x-own")]).toEqual([202, "kept"]);
    expect(response.headers.get("content-length")).toBe(String(encode(expected).length));
    expect(await response.text()).toBe(expected);
  });

  it("that come later follow on a stream, and the first do not wait for them", async () => {
    const gate = Promise.withResolvers<void>();
    const response = await fetchEvents(["data: 1\n\n", "data: 2\n\n", gate.promise, "data: 3\n\n"]);
    expect(response.headers.has("content-length")).toBe(false);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toMatchObject({ value: "data: 1\n\ndata: 2\n\n" });
    gate.resolve();
    expect(await reader?.read()).toMatchObject({ value: "data: 3\n\n" });
    expect(await reader?.read()).toMatchObject({ done: true });
  });

  it("without end are a stream whose head comes at once", async () => {
    const gate = Promise.withResolvers<void>();
    const response = await fetchEvents([gate.promise, "data: late\n\n"]);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    gate.resolve();
    expect(await response.text()).toBe("data: late\n\n");
  });

  it.each([
    [maxBytes, true],
    [maxBytes + 1, false],
  ])("of %i bytes are gathered: %s", async (bytes, isWhole) => {
    const response = await fetchEvents(["x".repeat(bytes), ": end"]);
    expect(response.headers.has("content-length")).toBe(isWhole);
    expect(await response.text()).toBe(`${"x".repeat(bytes)}: end`);
  });

  it("whose client goes away are ended", async () => {
    const ended = Promise.withResolvers<void>();
    const stream = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(encode("data: 1\n\n")),
        cancel: () => ended.resolve(),
      });
    const handler = () => new Response(stream(), { headers: { "content-type": "text/event-stream" } });
    const server = await listen(handler, { port: 0, hostname: "127.0.0.1", log });
    onTestFinished(async () => void (await server.close({ graceMs: 0 })));
    const client = new AbortController();
    const response = await fetch(server.url, { signal: client.signal });
    expect(await response.body?.getReader().read()).toMatchObject({ done: false });
    client.abort();
    await ended.promise;
  });

  it("that fail at once are cut off, and the log says why", async () => {
    const answer = fetchEvents(["data: 1\n\n", new Error("broke at once")]).then((response) => response.text());
    await expect(answer).rejects.toThrow(/fetch failed|terminated/);
    expect(lines.join("")).toContain("broke at once");
  });
});
