import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { systemClock } from "../process/clock.ts";
import { ManualClock } from "../process/testing/manual-clock.ts";
import { listen } from "../process/http-server.ts";
import { createLogger } from "../process/log.ts";
import { createLink } from "./link.ts";
import { serveMcp } from "./serve.ts";
import { staticTools, type ToolEntry } from "./table.ts";

const log = createLogger({ logger: "test", level: "SILENT" });

/** A server with tools of these names, whose requests are counted. `only2025` makes it refuse the 2026 era. */
async function startTools(names: readonly string[], { port = 0, only2025 = false } = {}) {
  const tools = names.map((name): ToolEntry => {
    const call = async () => ({ content: [{ type: "text" as const, text: "x" }] });
    return { name, description: `The tool ${name}.`, inputSchema: { type: "object" }, call };
  });
  const sessions = { idleTtlMs: 600_000, max: 100 };
  const endpoint = serveMcp(
    { server: { name: "tools", version: "1.0.0" }, tools: staticTools(tools), prompts: [] },
    { log, bodyLimitBytes: 1_000_000, callers: "anyone", sessions },
  );
  let requests = 0;
  const answer = (request: Request) => {
    requests += 1;
    const isRefused = only2025 && request.headers.get("mcp-protocol-version")?.startsWith("2026") === true;
    return isRefused ? new Response("Unsupported protocol version", { status: 400 }) : endpoint.app.fetch(request);
  };
  const server = await listen(answer, { port, hostname: "127.0.0.1", log });
  const stop = async () => {
    await endpoint.close();
    await server.close({ graceMs: 0 });
  };
  return { url: `${server.url}/mcp`, port: server.port, requests: () => requests, stop };
}

const options = { signal: new AbortController().signal, idleTimeoutMs: 5_000 };

async function startLink() {
  const server = await startTools(["read"]);
  const clock = new ManualClock();
  const headers = async () => ({});
  const link = createLink({ name: "argos", url: server.url, headers, clientVersion: "1.0.0", log, clock });
  return { server, clock, link };
}

describe("a link to a server that is down", () => {
  test("is tried again after 0.5 s, 1 s, 2 s … and at most 10 s, and says so meanwhile", async () => {
    const { server, clock, link } = await startLink();
    await server.stop();
    for (const waitMs of [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]) {
      await expect(link.call("read", {}, options)).rejects.toThrow("cannot be reached");
      await clock.advance(waitMs - 1);
      await expect(link.call("read", {}, options)).rejects.toThrow("argos was not reachable a moment ago");
      await clock.advance(1);
    }
    await link.close();
  });

  test("a wall clock that is set back changes no back-off", async () => {
    const { server, clock, link } = await startLink();
    await server.stop();
    await expect(link.call("read", {}, options)).rejects.toThrow("cannot be reached");
    clock.setWall(-3_600_000);
    await expect(link.call("read", {}, options)).rejects.toThrow("it is tried again in 1 s");
    await clock.advance(500);
    await expect(link.call("read", {}, options)).rejects.toThrow("cannot be reached");
    await link.close();
  });
});

describe("a link's tool list", () => {
  test("of a server that never answers is waited for but once", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const url = `http://127.0.0.1:${port}/mcp`;
    const headers = async () => ({});
    const link = createLink({ name: "argos", url, headers, clientVersion: "1.0.0", log, clock: systemClock });
    expect(await link.tools()).toBeUndefined();
    const startedAt = performance.now();
    expect(await link.tools()).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    await link.close();
    silent.closeAllConnections();
    silent.close();
  }, 20_000);

  test.each([0, -3_600_000, 3_600_000])("is kept for a minute by a wall clock that is set by %i ms", async (byMs) => {
    const { server, clock, link } = await startLink();
    expect(await link.tools()).toHaveLength(1);
    clock.setWall(byMs);
    const before = server.requests();
    await clock.advance(59_999);
    await link.tools();
    expect(server.requests()).toBe(before);
    await clock.advance(1);
    expect(await link.tools()).toHaveLength(1);
    expect(server.requests()).toBeGreaterThan(before);
    await link.close();
    await server.stop();
  });

  test("of a server that came back in another generation of the protocol comes without a call", async () => {
    const { server, clock, link } = await startLink();
    expect(await link.tools()).toHaveLength(1);
    await server.stop();
    const successor = await startTools(["read", "write"], { only2025: true, port: server.port });
    await clock.advance(60_000);
    expect(await link.tools()).toHaveLength(1);
    expect(link.problem()).toMatchObject({ kind: "protocol" });
    expect(await link.tools()).toHaveLength(2);
    expect(link.problem()).toBeUndefined();
    await link.close();
    await successor.stop();
  });

  test("a closed link connects no more", async () => {
    const { server, link } = await startLink();
    await link.close();
    await expect(link.call("read", {}, options)).rejects.toThrow("the connection to argos is closed");
    await server.stop();
  });
});
