// 10,000 calls of a built agent while its model and its servers fail by chance in every way they can: each call ends once and in
// time, and nothing of them stays in the process. The numbers of a run are drawn from one seed.
import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Agent, fetch as pooledFetch } from "undici";
import type { AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { startToolServer, textResult } from "../../agent-runtime/testing/servers.ts";
import { bothTypes, callMessage, modernCall, openSession } from "../../lib/mcp/raw-client.fixture.ts";
import { readCollectedHeap } from "../bench/inspected-heap.ts";
import type { CallContext } from "../../lib/mcp/table.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { startBuiltAgent } from "./agents/built-agent.ts";
import { pickReply } from "./agents/faulty-model.ts";
import { startFaultyWire, type FaultyWire } from "./agents/faulty-wire.ts";
import { createChance } from "./agents/chance.ts";

const calls = 10_000;
const concurrency = 64;
const wallClockMs = 2_000;
/** What no call may take longer. */
const deadlineMs = wallClockMs + 1_000;
const warmUpCalls = 1_000;
const stallPauseMs = 50;
const seed = 20_261_121;

interface Outcome {
  status: number;
  startedAtMs: number;
  endedAtMs: number;
  /** Messages with an id, which only the answer has. */
  answers: Record<string, unknown>[];
  endsWithAnswer: boolean;
  isError: boolean;
  text: string;
}

const chance = createChance(seed);
const running: { stop(): Promise<void> }[] = [];
const outcomes: Outcome[] = [];
const stalls: { startedAtMs: number; endedAtMs: number }[] = [];
const broken: { index: number; error: unknown }[] = [];
let model: ModelMock;
let wires: FaultyWire[];
let agent: AgentProcess;
let openFilesAtRest: number;
let warmHeapMb: number;

/** Open files of the agent, sockets among them; Linux tells. */
const countOpenFiles = async () => (await readdir(`/proc/${agent.pid}/fd`)).length;

/** What the agent holds when everything unreachable is gone. */
async function readHeapMb(): Promise<number> {
  const debuggerUrl = /ws:\S+/.exec(agent.output())?.[0] ?? "";
  return (await readCollectedHeap(debuggerUrl)) / 1_000_000;
}

/** Notes until it is stopped how long the agent takes for a trivial request. */
function watchStalls(): () => void {
  const stopping = new AbortController();
  const watch = async () => {
    while (!stopping.signal.aborted) {
      // A stall that begins in the pause counts from the pause's end.
      const startedAtMs = performance.now() + stallPauseMs;
      await delay(stallPauseMs);
      await (await fetch(`${agent.adminUrl}/livez`)).text();
      stalls.push({ startedAtMs, endedAtMs: performance.now() });
    }
  };
  void watch();
  return () => stopping.abort();
}

/** What a busy machine adds to a call as its caller sees it, which waits for the processor at each of its steps. */
function excuseMs({ startedAtMs, endedAtMs }: Outcome): number {
  const meanwhile = stalls.filter((stall) => stall.endedAtMs >= startedAtMs && stall.startedAtMs <= endedAtMs);
  return 10 * Math.max(0, ...meanwhile.map((stall) => stall.endedAtMs - stall.startedAtMs));
}

const tookMs = ({ startedAtMs, endedAtMs }: Outcome) => endedAtMs - startedAtMs;

function renderCall(index: number, sessions: readonly { "mcp-session-id": string }[]) {
  const meta = index % 2 === 0 ? { progressToken: `p${index}` } : {};
  const args = { message: `call ${index}` };
  if (index % 3 > 0) return modernCall("send_message", args, meta);
  const session = sessions[index % sessions.length];
  return { message: callMessage("send_message", args, index, meta), headers: { ...session } };
}

/** Of an event stream, or of an answer that needed none. */
function readMessages(contentType: string, text: string): Record<string, unknown>[] {
  if (contentType.startsWith("application/json")) return [JSON.parse(text)];
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}

async function makeCall(index: number, sessions: readonly { "mcp-session-id": string }[], pool: Agent): Promise<void> {
  const { message, headers } = renderCall(index, sessions);
  const startedAtMs = performance.now();
  const response = await pooledFetch(`${agent.url}/mcp`, {
    method: "POST",
    headers: { ...bothTypes, ...headers },
    body: JSON.stringify(message),
    dispatcher: pool,
  });
  const text = await response.text();
  const endedAtMs = performance.now();
  const messages = readMessages(response.headers.get("content-type") ?? "", text);
  const answers = messages.filter((each) => "id" in each);
  const result = JSON.stringify(answers[0]?.["result"] ?? "");
  outcomes[index] = {
    status: response.status,
    startedAtMs,
    endedAtMs,
    answers,
    endsWithAnswer: messages.at(-1) === answers[0],
    isError: result.includes('"isError":true'),
    text: result,
  };
}

/** Calls from `from` up to `to`, so many at a time. */
async function makeCalls(from: number, to: number, atATime: number): Promise<void> {
  const pool = new Agent({ connections: atATime });
  const sessions = await Promise.all(Array.from({ length: 16 }, () => openSession(`${agent.url}/mcp`)));
  let next = from;
  const work = async () => {
    for (let index = next++; index < to; index = next++) {
      await makeCall(index, sessions, pool).catch((error: unknown) => broken.push({ index, error }));
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  await pool.destroy();
}

async function startWires(): Promise<FaultyWire[]> {
  const tools = await Promise.all([true, false].map((only2025) => startTools(only2025)));
  return Promise.all(tools.map(async ({ url }) => keep(await startFaultyWire(url, chance))));
}

function keep<Value extends { stop(): Promise<void> }>(value: Value): Value {
  running.push(value);
  return value;
}

/** `note` answers at once, `crawl` tells of its progress and is sometimes longer than any call may be. */
async function startTools(only2025: boolean) {
  const note = () => textResult("noted");
  const crawl = async (_args: unknown, { sendProgress, signal }: CallContext) => {
    const pages = chance.next() < 0.02 ? 40 : 3;
    for (let page = 1; page <= pages && !signal.aborted; page += 1) {
      await sendProgress?.({ progress: page, message: `page ${page}` });
      await delay(pages === 3 ? 5 : 100);
    }
    return chance.next() < 0.1 ? { ...textResult("no such page"), isError: true } : textResult("crawled");
  };
  return keep(await startToolServer({ note, crawl }, { only2025 }));
}

beforeAll(async () => {
  const tools = ["old", "new", "dead"].flatMap((server) => [`${server}__note`, `${server}__crawl`]);
  model = await startModelMock(() => pickReply(chance, tools));
  wires = await startWires();
  const gone = await startToolServer({});
  await gone.stop();
  const names = ["old", "new"];
  agent = await startBuiltAgent(
    model,
    {
      scope: "request",
      limits: { ...renderTestConfig().limits, wallClockMs },
      servers: [
        ...wires.map(({ url }, index) => renderTestServer(names[index] ?? "", url)),
        renderTestServer("dead", gone.url),
      ],
    },
    { PALLAS_DRAIN_DELAY_MS: "0", NODE_OPTIONS: "--inspect=127.0.0.1:0" },
  );
  openFilesAtRest = await countOpenFiles();
  const stopWatching = watchStalls();
  // A process that starts is busy with itself.
  await makeCalls(0, warmUpCalls, concurrency / 4);
  warmHeapMb = await readHeapMb();
  await makeCalls(warmUpCalls, warmUpCalls + calls, concurrency);
  stopWatching();
}, 600_000);

afterAll(async () => {
  await agent.stop();
  for (const { stop } of running.toReversed()) await stop();
  await model.close();
});

describe(`AGT-7 ${calls} calls under faults of model and servers`, () => {
  test("each ends with one result, after all its progress", async () => {
    expect(broken).toEqual([]);
    expect(outcomes).toHaveLength(warmUpCalls + calls);
    const faulty = outcomes.filter(
      ({ status, answers, endsWithAnswer, text }) =>
        status !== 200 || answers.length !== 1 || !endsWithAnswer || !text.includes('"type":"text"'),
    );
    expect(faulty).toEqual([]);
    const findAnswered = () => agent.lines.filter(({ message }) => message === "call answered");
    await vi.waitFor(() => expect(findAnswered()).toHaveLength(outcomes.length), { timeout: 10_000 });
  });

  test("none is later than its deadline and a second", () => {
    const late = outcomes.slice(warmUpCalls).filter((outcome) => tookMs(outcome) > deadlineMs + excuseMs(outcome));
    expect(late).toEqual([]);
  });

  test("every kind of fault was met, and most calls were answered all the same", () => {
    for (const { done } of wires) expect(Math.min(...Object.values(done))).toBeGreaterThan(0);
    const failed = outcomes.filter(({ isError }) => isError).length;
    expect(failed).toBeGreaterThan(calls * 0.02);
    expect(failed).toBeLessThan(calls * 0.5);
  });

  test("HLT-1 health still answers, and names the server that is gone", async () => {
    const response = await fetch(`${agent.adminUrl}/health`, { signal: AbortSignal.timeout(3_500) });
    expect(await response.json()).toMatchObject({ status: "degraded", message: expect.stringContaining("dead") });
  });

  test("sockets and memory come back", { timeout: 60_000 }, async () => {
    const keptLinks = 10;
    const isAtRest = async () => expect(await countOpenFiles()).toBeLessThanOrEqual(openFilesAtRest + keptLinks);
    await vi.waitFor(isAtRest, { timeout: 50_000, interval: 500 });
    const keptBytesPerCall = ((await readHeapMb()) - warmHeapMb) * (1_000_000 / calls);
    expect(keptBytesPerCall).toBeLessThan(1_000);
  });

  test("AGT-12 it stops with code 0", async () => {
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
  });
});
