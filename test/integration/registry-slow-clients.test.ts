// A thousand clients that hold connections open and hardly send: everyone else is served in full and in time, and the slow ones
// are shown out at their deadlines (SEC-6). Our own half-open sockets always; slowhttptest (Debian's package) too.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Pool } from "undici";
import { needs } from "../tools/needs.ts";
import { localAgent, startRegistryProcess, type RegistryProcess } from "./registry-process.ts";

const path = "/.well-known/mcp/server.json";
const slowClients = 1_000;
/** By which headers must have come, and what a busy machine may add. */
const [headersTimeoutMs, slackMs] = [10_000, 5_000];
const maxP99Ms = 500;

const heads = [
  // Headers that never end.
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `,
  // Not even a request line.
  "G",
  // Nothing at all.
  "",
] as const;

interface SlowClient {
  socket: Socket;
  openedMs: number;
  /** Undefined while it is open. */
  closedMs: number | undefined;
}

async function openSlowClients(port: number): Promise<SlowClient[]> {
  return Promise.all(
    Array.from({ length: slowClients }, async (_, at) => {
      const socket = connect(port, "127.0.0.1");
      const client: SlowClient = { socket, openedMs: performance.now(), closedMs: undefined };
      // Being cut off is what is meant to happen to it.
      socket.on("error", () => undefined).on("close", () => (client.closedMs = performance.now()));
      socket.resume();
      await Promise.race([once(socket, "connect"), once(socket, "close")]);
      socket.write(heads[at % heads.length] ?? "");
      return client;
    }),
  );
}

/** Asks until `isOver`; some on connections that are kept, some each on a new one. */
async function measure(
  url: string,
  isOver: () => boolean,
): Promise<{ failures: string[]; p99Ms: number; count: number }> {
  const failures: string[] = [];
  const times: number[] = [];
  const kept = new Pool(url, { connections: 2 });
  const fresh = new Pool(url, { connections: 2, pipelining: 0 });
  const ask = async (pool: Pool) => {
    while (!isOver()) {
      const startedMs = performance.now();
      try {
        const { statusCode, body } = await pool.request({ path, method: "GET", headersTimeout: 10_000 });
        await body.dump();
        if (statusCode !== 200) failures.push(`status ${statusCode}`);
      } catch (error) {
        failures.push(String(error));
      }
      times.push(performance.now() - startedMs);
      await sleep(10);
    }
  };
  await Promise.all([ask(kept), ask(kept), ask(fresh), ask(fresh)]);
  await Promise.all([kept.destroy(), fresh.destroy()]);
  const sorted = times.toSorted((a, b) => a - b);
  return { failures, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0, count: times.length };
}

describe("SEC-6 a thousand slow clients", { timeout: 180_000 }, () => {
  let registry: RegistryProcess;
  beforeAll(async () => {
    const agents = Array.from({ length: 200 }, (_, at) => localAgent(`agent-${at}`));
    registry = await startRegistryProcess(agents);
  });
  afterAll(() => registry.stop());

  it("take nothing from the others, and are shown out at their deadlines", async () => {
    const clients = await openSlowClients(Number(new URL(registry.url).port));
    expect(clients.filter(({ closedMs }) => closedMs === undefined).length).toBeGreaterThan(slowClients * 0.9);
    // A byte now and then, as if there were more to come.
    const trickle = setInterval(() => clients.forEach(({ socket }, at) => at % 3 === 0 && socket.write("x")), 1_000);
    const endMs = performance.now() + headersTimeoutMs + slackMs;
    const isOver = () => clients.every(({ closedMs }) => closedMs !== undefined) || performance.now() > endMs;
    const { failures, p99Ms, count } = await measure(registry.url, isOver);
    clearInterval(trickle);
    for (const { socket } of clients) socket.destroy();
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(100);
    expect(p99Ms).toBeLessThanOrEqual(maxP99Ms);
    for (const [kind, head] of heads.entries()) {
      const times = clients
        .filter((_, at) => at % heads.length === kind)
        .map(({ openedMs, closedMs = Infinity }) => closedMs - openedMs);
      expect(Math.max(...times), head).toBeLessThan(headersTimeoutMs + slackMs);
    }
    expect(registry.isRunning()).toBe(true);
  });

  it("that announce a body and do not send it get their answer, and are let go", async () => {
    const socket = connect(Number(new URL(registry.url).port), "127.0.0.1");
    let answer = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (answer += chunk));
    socket.write("POST /v0.1/publish HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 501 /);
  });

  it.each([
    ["slow headers", ["-H", "-i", "5"]],
    ["slow bodies", ["-B", "-i", "5", "-s", "8192"]],
    ["slow reading", ["-X", "-r", "500", "-w", "10", "-y", "20", "-n", "5", "-z", "32", "-k", "3"]],
  ])("of slowhttptest, %s", needs("slowhttptest"), async (_, mode) => {
    const options = ["-c", String(slowClients), "-r", "500", "-l", "12", "-p", "3", "-u", `${registry.url}${path}`];
    const attacker = spawn("slowhttptest", [...mode, ...options], { stdio: "ignore" });
    let ended = false;
    const exited = once(attacker, "exit").then(() => (ended = true));
    const { failures, p99Ms, count } = await measure(registry.url, () => ended);
    await exited;
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(50);
    expect(p99Ms).toBeLessThanOrEqual(maxP99Ms);
    expect(registry.isRunning()).toBe(true);
  });
});
