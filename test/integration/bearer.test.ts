// Whose token reaches whom in the built agent, with 200 callers at once: servers that get the caller's token, one that gets
// none, one with a token of its own, sub-agents with and without it, and a model with and without it. Wires fail meanwhile.
// Every caller's token, message and tool argument is a canary that is then looked for where it must not be.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { renderTestConfig, renderTestServer, renderTestSubAgent } from "../../agent-runtime/testing/run-config.ts";
import { startAgentProcess, type AgentProcess } from "../../agent-runtime/testing/process.ts";
import { startToolServer, textResult } from "../../agent-runtime/testing/servers.ts";
import { connect2026, sendMessage, type Answer } from "../../agent-runtime/testing/client.ts";
import type { RunConfig } from "../../crds/run-config.ts";
import type { ServedRequest } from "../models/journal.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { startRelay, type Relay } from "./bearer/relay.ts";

const callers = 200;
const program = join(import.meta.dirname, "..", "..", "dist", "agent-runtime.js");
const renderToken = (caller: number) => `canary-token-${caller}-x`;
const renderPrompt = (caller: number) => `canary-prompt-${caller}-x`;
const renderArgument = (caller: number) => `canary-argument-${caller}-x`;
const callerOf = (text: string) => Number(/canary-(?:prompt|argument)-(\d+)-x/.exec(text)?.[1]);
const ownToken = "Bearer canary-own-of-keyed";
const modelKey = "canary-model-key";

const running: { stop(): Promise<void> }[] = [];
const relays: Record<string, Relay> = {};
let model: ModelMock;
let front: AgentProcess;
let optedIn: AgentProcess;
const agents: AgentProcess[] = [];
const answers: Answer[] = [];

function keep<Value extends { stop(): Promise<void> }>(value: Value): Value {
  running.push(value);
  return value;
}

/** A server with one tool that reports an error to every seventh caller, and repeats what it was sent. */
async function startDownstream(name: string, options: { only2025: boolean; faultEvery: number }): Promise<string> {
  const server = keep(
    await startToolServer(
      {
        note: ({ argument }, { bearer }) =>
          callerOf(String(argument)) % 7 === 0
            ? { ...textResult(`no ${String(argument)} for ${bearer}`), isError: true }
            : textResult(`noted by ${name}`),
      },
      { only2025: options.only2025 },
    ),
  );
  const relay = keep(await startRelay(server.url, options));
  relays[name] = relay;
  return relay.url;
}

async function startBuilt(changes: Partial<RunConfig>): Promise<AgentProcess> {
  const env = { PALLAS_LOG_LEVEL: "TRACE", OPENAI_LOG: "debug" };
  const limits = { ...renderTestConfig().limits, wallClockMs: 600_000 };
  const config = renderTestConfig({ logLevel: "TRACE", limits, ...changes });
  const agent = keep(await startAgentProcess(config, env, program));
  agents.push(agent);
  await vi.waitFor(async () => expect((await fetch(`${agent.adminUrl}/livez`)).status).toBe(200), { timeout: 30_000 });
  return agent;
}

/** First turn: every tool at once. Then: the end. */
function answerAsModel({ body }: ServedRequest) {
  const text = JSON.stringify(body);
  if (text.includes('"role":"tool"')) return { text: `done ${callerOf(text)}` };
  const argument = renderArgument(callerOf(text));
  const call = (name: string, args: unknown, index: number) => ({ id: `call_${index}`, name, arguments: args });
  const servers = ["alpha", "beta", "plain", "keyed"].map((name, index) => call(`${name}__note`, { argument }, index));
  const message = `***CALL_TOOL behind__note ${JSON.stringify({ argument })}`;
  const workers = ["trusted", "stranger"].map((name, index) => call(`${name}__${name}`, { message }, index + 4));
  return { toolCalls: [...servers, ...workers] };
}

const renderModel = (forwardInboundAuth: boolean): Pick<RunConfig, "models" | "providers"> => {
  const [base] = renderTestConfig().models;
  if (base === undefined) throw new Error("the test configuration has no model");
  const headers = forwardInboundAuth ? [] : [{ name: "Authorization", value: `Bearer ${modelKey}` }];
  const provider = { name: "mock", kind: "openai-compatible" as const, baseUrl: model.openaiUrl };
  return {
    models: [{ ...base, ref: "mock.m", provider: "mock", name: "m" }],
    providers: [{ ...provider, headers, requireListedModel: false, forwardInboundAuth }],
  };
};

const neverAborts = new AbortController().signal;

/** One message, over a connection of the caller's own. */
async function callAs(agent: AgentProcess, caller: number): Promise<void> {
  const connection = await connect2026(`${agent.url}/mcp`, renderToken(caller));
  answers[caller] = await sendMessage(connection, { message: `Please: ${renderPrompt(caller)}` }, neverAborts, 120_000);
  await connection.close();
}

/** A busy machine may leave a server without an answer for longer than an agent waits for its tools; such callers ask again. */
const findUnserved = () =>
  Array.from({ length: callers }, (_, caller) => caller).filter((caller) =>
    Object.keys(relays).some((name) => !callsOf(name).some(({ args }) => args["argument"] === renderArgument(caller))),
  );

beforeAll(async () => {
  model = await startModelMock(answerAsModel, { models: { m: {} } });
  running.push({ stop: model.close });
  const forwarded = { forwardInboundAuth: true };
  const [alpha, beta, plain, keyed, behindTrusted, behindStranger] = await Promise.all([
    startDownstream("alpha", { only2025: true, faultEvery: 5 }),
    startDownstream("beta", { only2025: false, faultEvery: 7 }),
    startDownstream("plain", { only2025: true, faultEvery: 0 }),
    startDownstream("keyed", { only2025: false, faultEvery: 11 }),
    startDownstream("behindTrusted", { only2025: false, faultEvery: 0 }),
    startDownstream("behindStranger", { only2025: false, faultEvery: 0 }),
  ]);
  const trusted = await startBuilt({ servers: [renderTestServer("behind", behindTrusted, forwarded)] });
  const stranger = await startBuilt({ servers: [renderTestServer("behind", behindStranger, forwarded)] });
  const headers = [{ name: "authorization", value: ownToken }];
  const wiring = {
    servers: [
      renderTestServer("alpha", alpha, forwarded),
      renderTestServer("beta", beta, forwarded),
      renderTestServer("plain", plain),
      renderTestServer("keyed", keyed, { ...forwarded, headers }),
    ],
    agents: [
      renderTestSubAgent("trusted", `${trusted.url}/mcp`, forwarded),
      renderTestSubAgent("stranger", `${stranger.url}/mcp`),
    ],
  };
  front = await startBuilt({ ...wiring, ...renderModel(false) });
  optedIn = await startBuilt({ ...wiring, ...renderModel(true) });

  const asked = new AbortController();
  const probing = (async () => {
    while (!asked.signal.aborted) {
      await Promise.all([front, optedIn].map((agent) => fetch(`${agent.adminUrl}/health`)));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  // Every fourth caller asks the agent whose model gets the token.
  const callAll = (some: readonly number[]) =>
    Promise.all(some.map((caller) => callAs(caller % 4 === 0 ? optedIn : front, caller)));
  await callAll(findUnserved());
  for (let retries = 0; retries < 60 && findUnserved().length > 0; retries += 1) {
    await callAll(findUnserved().slice(0, 10));
  }
  asked.abort();
  await probing;
}, 600_000);

afterAll(async () => {
  for (const { stop } of running.toReversed()) await stop();
});

const requestsOf = (name: string) => relays[name]?.requests ?? [];
const callsOf = (name: string) => requestsOf(name).filter(({ method }) => method === "tools/call");
const knownTokens = new Set(Array.from({ length: callers }, (_, caller) => `Bearer ${renderToken(caller)}`));

describe("BRR-1 BRR-2 the built agent with 200 callers at once", () => {
  test("answers each with its own answer, whatever failed on the way", () => {
    expect(answers.map(({ text, isError }) => [text, isError])).toEqual(
      answers.map((_, caller) => [`done ${caller}`, false]),
    );
  });

  test("brings each caller's call to each server", () => expect(findUnserved()).toEqual([]));

  test.each(["alpha", "beta", "behindTrusted"])("%s gets exactly its caller's token with each call", (name) => {
    for (const { args, authorization } of callsOf(name)) {
      expect(authorization).toBe(`Bearer ${renderToken(callerOf(String(args["argument"])))}`);
    }
    expect(new Set(callsOf(name).map(({ authorization }) => authorization))).toEqual(knownTokens);
  });

  test.each(["alpha", "beta", "behindTrusted"])("%s sees a caller's token in everything but probes", (name) => {
    const probes = requestsOf(name).filter(({ isProbe }) => isProbe);
    expect(probes.every(({ authorization }) => authorization === undefined)).toBe(true);
    const bare = requestsOf(name).filter(({ isProbe, authorization }) => !isProbe && authorization === undefined);
    expect(bare.every(({ method }) => method === "DELETE")).toBe(true);
    expect(bare.length).toBeLessThanOrEqual(probes.length);
    const rest = requestsOf(name).flatMap(({ authorization }) => authorization ?? []);
    expect(rest.filter((authorization) => !knownTokens.has(authorization))).toEqual([]);
  });

  test.each(["alpha", "beta", "keyed", "plain"])("%s has no session that two tokens used", (name) => {
    const owners = new Map<string, Set<string | undefined>>();
    for (const { session, authorization } of requestsOf(name)) {
      if (session !== undefined) owners.set(session, (owners.get(session) ?? new Set()).add(authorization));
    }
    expect([...owners.values()].filter((tokens) => tokens.size > 1)).toEqual([]);
  });

  test("a server without forwarding and one behind a sub-agent without it see none, a configured header wins", () => {
    for (const name of ["plain", "behindStranger"]) {
      expect(new Set(requestsOf(name).map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
      expect(callsOf(name).length).toBeGreaterThanOrEqual(callers);
    }
    expect(new Set(requestsOf("keyed").map(({ authorization }) => authorization))).toEqual(new Set([ownToken]));
  });
});

describe("BRR-3 the model", () => {
  test("gets its caller's token where that is asked for, its own key else, and no token in a text", () => {
    for (const { headers, body } of model.requests) {
      const text = JSON.stringify(body);
      const caller = callerOf(text);
      const expected = caller % 4 === 0 ? renderToken(caller) : modelKey;
      expect(headers["authorization"]).toBe(`Bearer ${expected}`);
      expect(text).not.toContain("canary-token");
      expect(text).not.toContain("canary-own");
    }
    expect(model.requests.length).toBeGreaterThanOrEqual(2 * callers);
    expect(JSON.stringify(model.listRequests)).not.toContain("canary-token");
  });
});

const canary = /canary-(?:token|prompt|argument|own|model)[^"\\\s]*/g;
const findCanaries = (text: string) => [...new Set(text.match(canary))];

describe("BRR-4 LOG-3 what callers sent", () => {
  test("is in no log at TRACE, on no standard stream, in no metric and in no health report", async () => {
    for (const agent of agents) {
      const pages = ["/metrics", "/health", "/readyz"].map((path) => fetch(`${agent.adminUrl}${path}`));
      const texts = await Promise.all(pages.map(async (page) => (await page).text()));
      expect(findCanaries([agent.output(), ...texts].join("\n"))).toEqual([]);
      expect(agent.lines.length).toBeGreaterThan(10);
    }
  });

  test("is in no answer but the caller's own, and in no history but the caller's own, tokens in none", async () => {
    for (const [caller, { text, lines }] of answers.entries()) {
      const found = findCanaries([text, ...lines].join("\n"));
      expect(found.filter((word) => callerOf(word) !== caller)).toEqual([]);
    }
    let histories = 0;
    for (const { historiesDir } of agents) {
      for (const file of await readdir(historiesDir, { recursive: true, withFileTypes: true })) {
        if (!file.isFile()) continue;
        const found = findCanaries(await readFile(join(file.parentPath, file.name), "utf8"));
        expect(found.filter((word) => /token|own|model/.test(word))).toEqual([]);
        expect(new Set(found.map(callerOf)).size).toBeLessThanOrEqual(1);
        histories += found.length > 0 ? 1 : 0;
      }
    }
    expect(histories).toBeGreaterThanOrEqual(callers);
  });

  test("each forwarded token is marked by server and request, each failure logged with its stack", () => {
    const lines = [front, optedIn]
      .flatMap((agent) => agent.lines)
      .filter(({ logger }) => logger === "pallas.forward.trace");
    const applied = lines.filter(({ message }) => message === "forward.applied");
    for (const server of ["alpha", "beta", "trusted"]) {
      expect(applied.filter((line) => line["server"] === server).length).toBeGreaterThanOrEqual(callers);
    }
    expect(applied.every(({ requestId }) => typeof requestId === "string")).toBe(true);
    expect(applied.some(({ server }) => server === "plain" || server === "keyed" || server === "stranger")).toBe(false);
    const failures = lines.filter(({ message }) => message === "a tool call failed");
    expect(failures.length).toBeGreaterThan(10);
    expect(failures).toEqual(
      failures.map(() => expect.objectContaining({ err: expect.objectContaining({ stack: expect.any(String) }) })),
    );
  });
});
