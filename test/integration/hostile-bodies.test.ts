// Hostile requests by the ten thousand against the agent as it is built, over keep-alive connections, and the same against its
// transport code in this process: no crash, no 5xx, no growth (SEC-6). And sessions that nobody ends: their memory comes back (AGT-6).
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig } from "../../agent-runtime/testing/run-config.ts";
import { serveMcp } from "../../lib/mcp/serve.ts";
import { staticTools } from "../../lib/mcp/table.ts";
import { createLogger } from "../../lib/process/log.ts";
import { renderHostile, type HostileRequest } from "./hostile/requests.ts";
import { createRandom, type Random } from "./seeded-random.ts";

const program = join(import.meta.dirname, "../../dist/agent-runtime.js");
const connections = 16;
const sessionTtlMs = 1_000;
const overProcess = 27_000;
const inProcess = 75_000;
const sessions = 10_000;
const [growthRounds, growthLimit] = [3, 1.1];
/** A heap of a small pod: with all of a machine's memory to take, V8 would put off collecting, and the size say little. */
const heapOptions = "--max-old-space-size=128 --max-semi-space-size=4";
/** Far above what it takes, for machines that do other things. */
const maxMs = 600_000;

/** Statuses of answers by how often they came, and the first requests that got a 5xx. */
interface Outcome {
  statuses: Map<number, number>;
  failures: string[];
}

const createOutcome = (): Outcome => ({ statuses: new Map(), failures: [] });

function note({ statuses, failures }: Outcome, request: HostileRequest, status: number): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  if (status >= 500 && failures.length < 5) {
    failures.push(
      `${status} for ${request.kind}: ${request.method} ${JSON.stringify(request.headers)} ${request.body?.toString().slice(0, 300)}`,
    );
  }
}

type Send = (request: HostileRequest) => Promise<{ status: number; sessionId?: string | undefined }>;

const initialize: HostileRequest = {
  kind: "session",
  method: "POST",
  headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
  body: Buffer.from(
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "h", version: "1" } },
    }),
  ),
};

/** Runs `task` `count` times, `connections` at a time. */
async function repeat(count: number, task: (at: number) => Promise<void>): Promise<void> {
  let done = 0;
  const work = async () => {
    while (done < count) {
      done += 1;
      await task(done);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
}

/** Sends `count` hostile requests, many of them in sessions that are opened meanwhile. */
async function attack(count: number, random: Random, send: Send): Promise<Outcome> {
  const outcome = createOutcome();
  const open: string[] = [];
  await repeat(count, async (at) => {
    // Some are ended by what is sent in them.
    const request = at % 100 === 1 ? initialize : renderHostile(random, open.slice(-4));
    const { status, sessionId } = await send(request);
    if (request === initialize && sessionId !== undefined) open.push(sessionId);
    note(outcome, request, status);
  });
  return outcome;
}

describe("SEC-6 hostile requests", () => {
  let agent: AgentProcess;
  let pool: Pool;

  beforeAll(async () => {
    const history = { ...renderTestConfig().history, idleTtlMs: sessionTtlMs, maxBytes: 1_000_000 };
    const config = renderTestConfig({ history, logLevel: "ERROR" });
    agent = await startAgentProcess(config, { NODE_OPTIONS: heapOptions }, program);
    await vi.waitFor(() => fetch(`${agent.adminUrl}/readyz`), { timeout: 20_000 });
    pool = new Pool(agent.url, { connections });
  });
  afterAll(async () => {
    await pool.destroy();
    await agent.stop();
  });

  const send: Send = async ({ method, headers, body }) => {
    const answer = await pool.request({ path: "/mcp", method, headers, body: body ?? null, headersTimeout: 60_000 });
    // Some ask for a stream that stays open.
    await answer.body.dump({ limit: 10_000_000, signal: AbortSignal.timeout(500) }).catch(() => undefined);
    const sessionId = answer.headers["mcp-session-id"];
    return { status: answer.statusCode, sessionId: typeof sessionId === "string" ? sessionId : undefined };
  };

  /** The smallest of some looks in a moment of rest, so that garbage that is about to go does not count. */
  async function readRestingBytes(): Promise<number> {
    await sleep(sessionTtlMs * 2);
    const looks: number[] = [];
    for (let look = 0; look < 5; look += 1) {
      // Something to do, so that the collector sees a reason to run.
      await repeat(400, async () => void (await send({ kind: "rest", method: "GET", headers: {}, body: undefined })));
      looks.push(Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${agent.pid}/status`, "utf8"))?.[1]) * 1_024);
    }
    return Math.min(...looks);
  }

  it("to the agent as it is built: none gets a 5xx, and its memory does not grow", { timeout: maxMs }, async () => {
    const random = createRandom(7);
    // Most of them first: with a heap that is kept small, what is loaded and compiled on the way counts.
    const warmUp = await attack((overProcess / 3) * 2, random, send);
    const before = await readRestingBytes();
    const outcome = await attack(overProcess / 3, random, send);
    const after = await readRestingBytes();
    expect([...warmUp.failures, ...outcome.failures]).toEqual([]);
    expect(after / before).toBeLessThan(1.1);
    expect([...outcome.statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404, 405, 415]));
  });

  it(
    "AGT-6 ten thousand abandoned sessions: none is refused, and their memory comes back",
    { timeout: maxMs },
    async () => {
      const outcome = createOutcome();
      const open = async () => note(outcome, initialize, (await send(initialize)).status);
      // As many as make the heap as large as it gets: only what is added after that is growth.
      await repeat(sessions / 2, open);
      // The heap may grow once more; what leaks makes it grow each time.
      const growth: number[] = [];
      for (let round = 0; round < growthRounds && Math.min(...growth) >= growthLimit; round += 1) {
        const before = await readRestingBytes();
        await repeat(sessions, open);
        growth.push((await readRestingBytes()) / before);
      }
      expect([...outcome.statuses]).toEqual([[200, sessions * (0.5 + growth.length)]]);
      expect(Math.min(...growth)).toBeLessThan(growthLimit);
    },
  );

  it("to the transport code in this process: none gets a 5xx or an error in the log", { timeout: maxMs }, async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const endpoint = serveMcp(
      {
        server: { name: "hostile", version: "1.0.0" },
        tools: staticTools([
          {
            name: "send_message",
            description: "Answers.",
            inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
            call: async ({ message }) => ({ content: [{ type: "text", text: String(message) }] }),
          },
        ]),
        prompts: [],
      },
      {
        log: createLogger({ logger: "hostile", level: "ERROR", destination }),
        callers: "anyone",
        bodyLimitBytes: 1_000_000,
        sessions: { idleTtlMs: 60_000, max: 100 },
      },
    );
    const random = createRandom(11);
    const outcome = await attack(inProcess, random, async ({ method, headers, body }) => {
      const init = { method, headers, ...(body !== undefined && { body: new Uint8Array(body) }) };
      const response = await endpoint.app.request("http://localhost/mcp", init);
      await response.body?.cancel();
      return { status: response.status, sessionId: response.headers.get("mcp-session-id") ?? undefined };
    });
    await endpoint.close();
    expect(outcome.failures).toEqual([]);
    expect(lines).toEqual([]);
    expect(Object.prototype).not.toHaveProperty("polluted");
  });
});
