// Hostile requests by the ten thousand against the registry as it is built, over kept connections and as raw bytes, and the same
// against its application in this process: no crash, no 5xx but the documented 501, no growth (SEC-6).
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createLogger } from "../../lib/process/log.ts";
import { MemorySource } from "../../registry/testing/memory-source.ts";
import { makeRegistry } from "../../registry/testing/registry.ts";
import { makeAgent, makeInstance } from "../../registry/testing/resources.ts";
import {
  renderHostileBytes,
  renderHostileToRegistry,
  type HostileRegistryRequest,
} from "./registry-hostile/requests.ts";
import { createRandom, type Random } from "./seeded-random.ts";
import { localAgent, startRegistryProcess, type RegistryProcess } from "./registry-process.ts";

const connections = 16;
const [inProcess, overConnections, asBytes] = [80_000, 21_000, 6_000];
/** A heap of a small pod: with all of a machine's memory to take, V8 would put off collecting, and the size say little. */
const heapOptions = "--max-old-space-size=96 --max-semi-space-size=4";
/** Far above what it takes, for machines that do other things. */
const maxMs = 600_000;
const agentCount = 120;

/** Runs `task` `count` times, `connections` at a time. */
async function repeat(count: number, task: () => Promise<void>): Promise<void> {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await task();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
}

const isFailure = (status: number): boolean => status >= 500 && status !== 501;

describe("SEC-6 hostile requests to the registry", { timeout: maxMs }, () => {
  let registry: RegistryProcess;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses = new Map<number, number>();
  const failures: string[] = [];
  const note = (status: number, request: string) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (isFailure(status) && failures.length < 5) failures.push(`${status} for ${request.slice(0, 300)}`);
  };

  beforeAll(async () => {
    const agents = Array.from({ length: agentCount }, (_, at) => localAgent(`agent-${at}`));
    registry = await startRegistryProcess(agents, { NODE_OPTIONS: heapOptions });
  });
  afterAll(async () => {
    agent.destroy();
    await registry.stop();
  });

  const attack = (count: number, random: Random) =>
    repeat(count, async () => {
      const hostile = renderHostileToRegistry(random);
      const status = await send(agent, registry.url, hostile);
      note(status, `${hostile.method} ${hostile.path} ${JSON.stringify(hostile.headers)}`);
    });

  const attackWithBytes = (count: number, random: Random) =>
    repeat(count, async () => {
      const bytes = renderHostileBytes(random);
      const socket = connect(Number(new URL(registry.url).port), "127.0.0.1");
      let answer = "";
      socket.setEncoding("latin1").on("data", (chunk: string) => (answer += chunk.slice(0, 100)));
      // Not by events.once(): a connection that is reset closes too, and once() would throw.
      const closed = new Promise<void>((resolve) => {
        socket.on("error", () => undefined).on("close", () => resolve());
      });
      // Whoever asks for more than it sends waits for the server's deadline; not here.
      socket.setTimeout(200, () => socket.destroy());
      socket.end(bytes);
      await closed;
      for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) note(Number(status), bytes.toString("latin1"));
    });

  /** The smallest of some looks, so that garbage that is about to go does not count. */
  async function readRestingBytes(random: Random): Promise<number> {
    const looks: number[] = [];
    for (let look = 0; look < 5; look += 1) {
      await attack(300, random);
      looks.push(Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${registry.pid}/status`, "utf8"))?.[1]) * 1_024);
    }
    return Math.min(...looks);
  }

  it("as it is built: none gets a 5xx, none ends it, and its memory does not grow", async () => {
    const random = createRandom(23);
    await attack((overConnections / 3) * 2, random);
    await attackWithBytes((asBytes / 3) * 2, random);
    const before = await readRestingBytes(random);
    await attack(overConnections / 3, random);
    await attackWithBytes(asBytes / 3, random);
    const after = await readRestingBytes(random);
    expect(failures).toEqual([]);
    expect(registry.isRunning()).toBe(true);
    expect(registry.lines.filter(({ level }) => level === "ERROR" || level === "FATAL")).toEqual([]);
    expect(after / before).toBeLessThan(1.1);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 304, 400, 403, 404, 405, 431, 501]));
    const answered = [...statuses].reduce((sum, [status, times]) => sum + (status === 0 ? 0 : times), 0);
    expect(answered).toBeGreaterThan(15_000);
    const catalogue = await (await fetch(`${registry.url}/.well-known/mcp/server.json`)).json();
    expect(catalogue.servers).toHaveLength(agentCount);
  });

  it("to the application in this process: none gets a 5xx or an error in the log", async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const source = new MemorySource({
      instances: [makeInstance()],
      agents: Array.from({ length: agentCount }, (_, at) => makeAgent(`agent-${at}`)),
    });
    const log = createLogger({ logger: "hostile", level: "ERROR", destination });
    const inside = makeRegistry(source, { log });
    inside.start();
    await vi.waitUntil(async () => (await inside.app.request("/readyz", { headers: { host: "localhost" } })).ok);
    const random = createRandom(29);
    const found: string[] = [];
    let judged = 0;
    await repeat(inProcess, async () => {
      const { method, path, headers, body } = renderHostileToRegistry(random);
      const init = { method, headers: sendable(headers), ...(body !== undefined && { body: new Uint8Array(body) }) };
      const response = await inside.app.request(new Request(`http://localhost${path}`, init));
      judged += 1;
      await response.body?.cancel();
      const type = response.headers.get("content-type") ?? "";
      const isMute = response.status >= 400 && !type.includes("application/json");
      if ((isFailure(response.status) || isMute) && found.length < 5) {
        found.push(`${response.status} ${type} for ${method} ${path.slice(0, 300)}`);
      }
    });
    await inside.stop();
    expect(found).toEqual([]);
    expect(lines).toEqual([]);
    expect(judged).toBe(inProcess);
    expect(Object.prototype).not.toHaveProperty("polluted");
  });
});

/** The status of the answer; 0 where the connection ended before it came. Not by undici, which some of the headers confuse. */
function send(agent: Agent, url: string, { method, path, headers, body }: HostileRegistryRequest): Promise<number> {
  const { hostname, port } = new URL(url);
  // Node's client refuses these letters; the rest goes out as it is.
  const sent = path.replaceAll(/[^\x21-\x7e]/gu, (letter) => encodeURIComponent(letter));
  const options = { agent, hostname, port, method, path: sent, headers, timeout: 20_000 };
  return new Promise((resolve) => {
    const outgoing = request(options, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      answer.on("close", () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer"))).on("error", () => resolve(0));
    outgoing.end(body);
  });
}

/** A Request takes only headers of Latin-1 without line ends. */
const sendable = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^\x20-\xff]/g, "?")]));
