import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { fetchLimited, fetchText } from "./fetch-limited.ts";

const maxBytes = 1_000;

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP port");
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  return { url: `http://127.0.0.1:${address.port}/health`, connections };
}

const request = (signal = AbortSignal.timeout(20_000)) => ({ signal, accept: "text/plain", maxBytes });
const ask = async (listener: RequestListener, signal?: AbortSignal) =>
  fetchText((await serve(listener)).url, request(signal));

describe("asking a process that is not trusted", () => {
  it("gives the body, and leaves no connection open", async () => {
    const { url, connections } = await serve((incoming, response) =>
      response.end(`accepts ${incoming.headers.accept}`),
    );
    expect(await fetchText(url, request())).toBe("accepts text/plain");
    await expect.poll(connections).toBe(0);
  });

  it("sends a body with its length, and waits for the answer", async () => {
    const { url } = await serve((incoming, response) => {
      const { "content-length": length, "transfer-encoding": encoding = "whole" } = incoming.headers;
      response.write(`${incoming.method} ${length} ${encoding} `);
      incoming.pipe(response);
    });
    const sent = { ...request(), method: "POST" as const, body: "é".repeat(3) };
    expect(await fetchText(url, sent)).toBe("POST 6 whole ééé");
  });

  it("gives an answer of any status to who wants it", async () => {
    const { url } = await serve((_, response) => response.writeHead(503).end("later"));
    expect(await fetchLimited(url, request())).toEqual({ status: 503, text: "later" });
  });

  it.each<[string, RequestListener, RegExp]>([
    ["another status", (_, response) => response.writeHead(503).end(), /expected 200 .* found 503/],
    ["a redirect", (_, response) => response.writeHead(302, { location: "/" }).end(), /found 302/],
    ["a connection that breaks", (incoming) => incoming.socket.destroy(), /socket hang up|ECONNRESET/],
    ["what is no HTTP", (incoming) => incoming.socket.end("nonsense\r\n\r\n"), /Parse Error/],
    [
      "headers without end",
      (incoming) => incoming.socket.write(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}`),
      /Header overflow/,
    ],
  ])("refuses %s", async (_, listener, message) => {
    await expect(ask(listener)).rejects.toThrow(message);
  });

  it("reads a body of the limit, and none that is a byte longer", async () => {
    const answer = (sizeBytes: number) => ask((_, response) => response.end("x".repeat(sizeBytes)));
    await expect(answer(maxBytes)).resolves.toHaveLength(maxBytes);
    await expect(answer(maxBytes + 1)).rejects.toThrow(/expected at most 1000 bytes from .* found more/);
  });

  it("ends a body that has no end at the limit, and its connection", async () => {
    const { url, connections } = await serve((_, response) => {
      const write = (): void => void (response.write("x".repeat(500)) && setImmediate(write));
      response.on("drain", write).on("error", () => undefined);
      write();
    });
    await expect(fetchLimited(url, request())).rejects.toThrow(/at most 1000 bytes/);
    await expect.poll(connections).toBe(0);
  });

  it("counts the bytes that came: nothing is unpacked", async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("as it is"),
    );
    expect(await fetchText(url, request())).toBe("as it is");
  });

  it("ends with the signal's reason, before an answer and in the middle of one", async () => {
    const reason = new Error("too late");
    const stop = new AbortController();
    await expect(ask(() => stop.abort(reason), stop.signal)).rejects.toBe(reason);
    const stopLater = new AbortController();
    const half = ask((_, response) => {
      response.write("{", () => stopLater.abort(reason));
    }, stopLater.signal);
    await expect(half).rejects.toBe(reason);
  });

  it.each(["http://169.254.169.254/health", "http://[fe80::1]/health", "http://168.63.129.16/metrics"])(
    "SEC-5 asks no link-local or metadata address: %s",
    async (url) => {
      await expect(fetchText(url, request())).rejects.toThrow("link-local or metadata address");
    },
  );
});
