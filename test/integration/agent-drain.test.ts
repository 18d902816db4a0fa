// SIGTERM with 200 calls in flight, from clients of both eras: those that fit into drainTimeout are answered, the others told
// why not, and whoever calls meanwhile gets an answer or is sent elsewhere. The conversations go on in the next process.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { startToolServer, textResult, type ToolServer } from "../../agent-runtime/testing/servers.ts";
import { modernCall, post, readMessages } from "../../lib/mcp/raw-client.fixture.ts";
import { defined } from "../../lib/process/defined.ts";
import { firstUserText } from "../models/conversations.ts";
import type { ServedRequest } from "../models/journal.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import type { ScriptedReply } from "../models/script.ts";
import { startBuiltAgent } from "./agents/built-agent.ts";
import { connect1, connect2, type Session } from "./daedalus/typescript-clients.ts";
import { createWire } from "./daedalus/wire.ts";

const callers = 200;
const drainTimeoutMs = 20_000;
/** The default of PALLAS_DRAIN_DELAY_MS. */
const drainDelayMs = 5_000;
const exitWithinMs = 25_000 + drainDelayMs;
/** After SIGTERM, the last of the calls that fit. */
const maxFitMs = 15_000;
const patientMs = 120_000;
const connects = [connect1, connect2("legacy"), connect2({ pin: "2026-07-28" })];

type Fate = "fits" | "hangs in the model" | "hangs in its tool";
const fateOf = (caller: number): Fate =>
  caller % 10 === 0 ? "hangs in the model" : caller % 10 === 5 ? "hangs in its tool" : "fits";
const all = Array.from({ length: callers }, (_, caller) => caller);
const fitting = all.filter((caller) => fateOf(caller) === "fits");
const cut = all.filter((caller) => fateOf(caller) !== "fits");

const resultSchema = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
  isError: z.boolean().default(false),
  _meta: z.object({ "ca.helu.pallas/session_id": z.string().optional() }).optional(),
});
type Result = z.output<typeof resultSchema>;

/** A call made while the agent drains. */
interface Probe {
  sentAtMs: number;
  status?: number;
  connection: string | null;
  retryAfter: string | null;
  messages: unknown[];
}

const messagesSchema = z.object({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) });
const messagesOf = ({ body }: ServedRequest) => messagesSchema.parse(body).messages;
const callerOf = (text: string) => Number(/caller (\d+)/.exec(text)?.[1]);

function answerAsModel(request: ServedRequest): ScriptedReply {
  const messages = messagesOf(request);
  const last = JSON.stringify(messages.at(-1));
  if (last.includes("quick")) return { text: "at once" };
  if (last.includes("again")) return { text: "whole" };
  const caller = callerOf(firstUserText(request.body));
  if (fateOf(caller) === "hangs in the model") return { silent: true };
  if (messages.at(-1)?.role === "tool") return { text: ["answer ", `${caller}`], frameDelayMs: 100 };
  return { toolCalls: [{ name: "argos__work", arguments: { caller } }] };
}

const terminated = Promise.withResolvers<void>();
const sessions: Session[] = [];
const results: Result[] = [];
const probes: Probe[] = [];
let model: ModelMock;
let argos: ToolServer;
let agent: AgentProcess;
let historiesDir: string;
let unreadyAfterMs: number;
let exit: { code: number | null; afterMs: number };

const send = async (caller: number, args: Record<string, string>): Promise<Result> => {
  const params = { name: "send_message", arguments: args };
  return resultSchema.parse(await sessions[caller]?.callTool(params, { timeout: patientMs }));
};

async function probe(sinceMs: () => number): Promise<void> {
  const probe: Probe = { sentAtMs: sinceMs(), connection: null, retryAfter: null, messages: [] };
  probes.push(probe);
  const { message, headers } = modernCall("send_message", { message: "quick" });
  const response = await post(`${agent.url}/mcp`, message, headers);
  probe.status = response.status;
  probe.connection = response.headers.get("connection");
  probe.retryAfter = response.headers.get("retry-after");
  probe.messages = await readMessages(response);
}

async function waitUntilUnready(sinceMs: () => number): Promise<number> {
  while ((await fetch(`${agent.adminUrl}/readyz`)).status === 200) await delay(20);
  return sinceMs();
}

/** Sends SIGTERM and calls on until the process is gone. */
async function terminate(): Promise<void> {
  const startedAt = performance.now();
  const sinceMs = () => performance.now() - startedAt;
  agent.kill("SIGTERM");
  const unready = waitUntilUnready(sinceMs);
  terminated.resolve();
  const gone = new AbortController();
  const exited = agent.exited.then((code) => {
    exit = { code, afterMs: sinceMs() };
    gone.abort();
  });
  while (!gone.signal.aborted) {
    // One that comes when nobody listens any more has no status.
    void probe(sinceMs).catch(() => undefined);
    await Promise.race([exited, delay(100)]);
  }
  unreadyAfterMs = await unready;
}

beforeAll(async () => {
  historiesDir = await mkdtemp(join(tmpdir(), "pallas-drain-"));
  model = await startModelMock(answerAsModel);
  argos = await startToolServer({
    work: async ({ caller }, { signal }) => {
      if (fateOf(Number(caller)) === "fits") {
        await terminated.promise;
        await delay((maxFitMs * Number(caller)) / callers);
      } else {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      }
      return textResult("worked");
    },
  });
  // Room for all of them, and for those that are made while it drains.
  const limits = { ...renderTestConfig().limits, concurrentCalls: callers * 2 };
  const config = { drainTimeoutMs, limits, servers: [renderTestServer("argos", argos.url)] };
  agent = await startBuiltAgent(model, config, { PALLAS_HISTORIES_DIR: historiesDir });
  const url = new URL(`${agent.url}/mcp`);
  for (const caller of all) {
    const session = await connects[caller % connects.length]?.(url, createWire());
    if (session !== undefined) sessions.push(session);
  }
  const calls = all.map(async (caller) => (results[caller] = await send(caller, { message: `caller ${caller}` })));
  const outcome = Promise.allSettled(calls);
  const areAllInFlight = () => {
    const inModel = new Set(model.requests.map(({ body }) => callerOf(firstUserText(body))));
    const found = `${inModel.size} calls at the model, ${argos.seen.length} at the tool server`;
    if (inModel.size < callers || argos.seen.length < callers * 0.9) throw new Error(`not all in flight: ${found}`);
  };
  await vi.waitFor(areAllInFlight, { timeout: 60_000, interval: 100 });
  await terminate();
  await outcome;
  agent = await startBuiltAgent(model, config, {
    PALLAS_HISTORIES_DIR: historiesDir,
    PALLAS_PORT: new URL(agent.url).port,
  });
}, 180_000);

afterAll(async () => {
  await Promise.allSettled(sessions.map((session) => session.close()));
  await agent.stop();
  await argos.stop();
  await model.close();
  await rm(historiesDir, { recursive: true, force: true });
});

describe("AGT-12 SIGTERM with 200 calls in flight and a drainTimeout of 20 s", () => {
  test("turns it unready within a second", () => {
    expect(unreadyAfterMs).toBeLessThanOrEqual(1_000);
  });

  test("serves new calls for five seconds and ends their connections", () => {
    const served = probes.filter(({ sentAtMs }) => sentAtMs < drainDelayMs - 500);
    expect(served.length).toBeGreaterThan(10);
    for (const { status, connection, messages } of served) {
      expect({ status, connection }).toEqual({ status: 200, connection: "close" });
      expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: "at once" }] } });
    }
  });

  test("then refuses them with 503 and Retry-After until it ends", () => {
    const first = probes.findIndex(({ status }) => status === 503);
    const lastCallAtMs = drainDelayMs + drainTimeoutMs;
    expect(probes[first]?.sentAtMs).toBeGreaterThan(drainDelayMs - 500);
    expect(probes[first]?.sentAtMs).toBeLessThan(drainDelayMs + 2_000);
    const served = probes.slice(0, first);
    expect(served.map(({ status }) => status)).toEqual(served.map(() => 200));
    for (const { messages } of served) {
      expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: "at once" }] } });
    }
    const refused = probes.slice(first).filter(({ sentAtMs }) => sentAtMs < lastCallAtMs);
    for (const { status, retryAfter, messages } of refused) {
      expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: "5" });
      expect(messages).toMatchObject([{ error: { message: expect.stringContaining("shutting down") } }]);
    }
  });

  test("loses none of the calls that fit", () => {
    for (const caller of fitting) {
      expect(results[caller]).toMatchObject({ isError: false, content: [{ text: `answer ${caller}` }] });
    }
  });

  test("tells those that do not fit what became of them", () => {
    const text = "The agent was shut down before this call had ended: send it again.";
    for (const caller of cut) expect(results[caller]).toMatchObject({ isError: true, content: [{ text }] });
  });

  test("ends in time, with exit code 0", () => {
    expect(exit.code).toBe(0);
    expect(exit.afterMs).toBeLessThanOrEqual(exitWithinMs);
  });

  test.each([
    // What the user says twice is one message to the model.
    { fate: "hangs in the model", roles: ["system", "user"], told: "again" },
    { fate: "hangs in its tool", roles: ["system", "user", "assistant", "tool", "user"], told: "interrupted" },
  ] as const)(
    "AGT-5 a call that $fate leaves a whole history, which goes on in the next process",
    async ({ fate, roles, told }) => {
      const requestsBefore = model.requests.length;
      const ofFate = cut.filter((caller) => fateOf(caller) === fate);
      const answers = await Promise.all(
        ofFate.map((caller) => {
          const sessionId = results[caller]?._meta?.["ca.helu.pallas/session_id"];
          return send(caller, { message: "again", ...defined({ session_id: sessionId }) });
        }),
      );
      for (const answer of answers) expect(answer).toMatchObject({ isError: false, content: [{ text: "whole" }] });
      const asked = model.requests.slice(requestsBefore).map(messagesOf);
      expect(asked.map((messages) => callerOf(JSON.stringify(messages))).toSorted((a, b) => a - b)).toEqual(ofFate);
      for (const messages of asked) {
        expect(messages.map(({ role }) => role)).toEqual(roles);
        expect(JSON.stringify(messages)).toContain(told);
      }
    },
  );
});
