import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { askHealth, healthBodyLimitBytes } from "./ask-health.ts";

const report = { status: "ok", timestamp: "2026-11-21T10:00:00Z", agent: "research", providers: {}, downstreams: {} };

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP port");
  return { server, url: `http://127.0.0.1:${address.port}/health` };
}

const ask = async (listener: RequestListener, signal = AbortSignal.timeout(5_000)) =>
  askHealth((await serve(listener)).url, "research", signal);

/** A report of exactly this many bytes. */
function reportOf(sizeBytes: number): string {
  const text = JSON.stringify({ ...report, padding: "" });
  return JSON.stringify({ ...report, padding: "x".repeat(sizeBytes - text.length) });
}

describe("HLT-6 asking an agent", () => {
  it("gives the report, and leaves no connection open", async () => {
    const { server, url } = await serve((_, response) => response.end(JSON.stringify(report)));
    expect(await askHealth(url, "research", AbortSignal.timeout(5_000))).toEqual(report);
    const connections = () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
    await expect.poll(connections).toBe(0);
  });

  it.each<[string, RequestListener, RegExp]>([
    ["another status", (_, response) => response.writeHead(503).end(), /expected 200 .* found 503/],
    ["a redirect", (_, response) => response.writeHead(302, { location: "/" }).end(), /found 302/],
    ["no JSON", (_, response) => response.end("<html>"), /expected JSON/],
    ["another shape", (_, response) => response.end('{"status":"fine"}'), /expected a health report/],
    [
      "another agent at the address",
      (_, response) => response.end(JSON.stringify({ ...report, agent: "archive" })),
      /expected agent "research" .* found "archive"/,
    ],
    ["a connection that breaks", (request) => request.socket.destroy(), /socket hang up|ECONNRESET/],
  ])("refuses %s", async (_, listener, message) => {
    await expect(ask(listener)).rejects.toThrow(message);
  });

  it("reads a body of 256 KiB, and none that is longer", async () => {
    const answer = (sizeBytes: number) => ask((_, response) => response.end(reportOf(sizeBytes)));
    await expect(answer(healthBodyLimitBytes)).resolves.toMatchObject({ agent: "research" });
    await expect(answer(healthBodyLimitBytes + 1)).rejects.toThrow(/at most 262144 bytes/);
  });

  it("ends with the signal's reason, before an answer and in the middle of one", async () => {
    const reason = new Error("too late");
    const stop = new AbortController();
    const silent = ask(() => stop.abort(reason), stop.signal);
    await expect(silent).rejects.toBe(reason);
    const stopLater = new AbortController();
    const half = ask((_, response) => {
      response.write("{", () => stopLater.abort(reason));
    }, stopLater.signal);
    await expect(half).rejects.toBe(reason);
  });
});
