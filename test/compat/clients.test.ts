// What users of the SDKs live through with a built agent: its tools and the facts of its answers, a conversation that they go
// on with by its id, a call that they cancel, one that takes longer than a minute, and a restart of the agent meanwhile.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { AgentProcess } from "../../agent-runtime/testing/process.ts";
import { renderTestConfig, renderTestServer } from "../../agent-runtime/testing/run-config.ts";
import { startToolServer, textResult, type ToolServer } from "../../agent-runtime/testing/servers.ts";
import { textDeltasMetaKey } from "../../crds/text-delta.ts";
import { defined } from "../../lib/process/defined.ts";
import { findPrograms } from "../cluster/programs.ts";
import { startBuiltAgent } from "../integration/agents/built-agent.ts";
import {
  openCommand,
  openOtherPython,
  openPython,
  typeScriptCallers,
  type Caller,
  type CallerAnswer,
  type OpenCaller,
} from "../integration/agents/callers.ts";
import type { ServedRequest } from "../models/journal.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import type { ScriptedReply } from "../models/script.ts";
import { findPython, openEnvironment } from "../python/environment.ts";
import { needsPresent } from "../tools/needs.ts";
import { triedClients } from "./tried-clients.ts";
import { readUserTexts } from "./user-texts.ts";

/** Clients commonly give up after 60 s of silence. */
const longCallMs = 65_000;
const [python, go] = await Promise.all([findPython(), findPrograms("go-sdk")]);
const pythonCallers: Readonly<Record<string, OpenCaller>> =
  python === undefined
    ? {}
    : {
        "Python SDK 1.x, 2025 era": async (url) => openOtherPython(await openEnvironment(python, 1), "1")(url),
        "Python SDK 2.x, 2025 era": async (url) => openPython(await openEnvironment(python, 2), "legacy")(url),
        "Python SDK 2.x, 2026 era": async (url) => openPython(await openEnvironment(python, 2), "auto")(url),
        "FastMCP client, 2026 era": async (url) =>
          openOtherPython(await openEnvironment(python, "fastmcp"), "fastmcp")(url),
      };
needsPresent("missing" in go ? go.missing : undefined);
const goCallers: Readonly<Record<string, OpenCaller>> =
  "missing" in go ? {} : { "Go SDK, 2026 era": openCommand(join(go.dir, "caller"), (url) => [url]) };
const openers = { ...pythonCallers, ...goCallers, ...typeScriptCallers };
const names = Object.keys(openers);

test("each client that is called here has a row in the table of clients", () => {
  expect(triedClients.flatMap(({ callers = [] }) => callers)).toEqual(expect.arrayContaining(names));
});

const callers = new Map<string, Caller>();
const patient = new Map<string, { caller: Caller; answer: Promise<CallerAnswer> }>();
/** When the call of `wait` that was made for a client ended; epoch milliseconds. */
const toolEndedAtMs = new Map<string, number>();
let model: ModelMock;
let argos: ToolServer;
let agent: AgentProcess;
let historiesDir: string;

const present = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error("expected a value, found none");
  return value;
};

/** What the user said last in a request to the model. */
const lastTextOf = ({ body }: ServedRequest) => readUserTexts(body).at(-1);

function answerAsModel({ body }: ServedRequest): ScriptedReply {
  const texts = readUserTexts(body);
  const last = texts.at(-1) ?? "";
  if (last.startsWith("long")) return { delayMs: longCallMs, text: "late" };
  if (last === "write slowly") return { text: ["one ", "two ", "three"], frameDelayMs: 300 };
  if (last.startsWith("hang in the model")) return { silent: true };
  if (last.startsWith("wait for")) return { toolCalls: [{ name: "argos__wait", arguments: { client: last } }] };
  return { text: texts.join(", ") };
}

beforeAll(async () => {
  historiesDir = await mkdtemp(join(tmpdir(), "pallas-clients-"));
  model = await startModelMock(answerAsModel);
  argos = await startToolServer({
    wait: async ({ client }, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      toolEndedAtMs.set(String(client), Date.now());
      return textResult("nobody waits for this any more");
    },
  });
  agent = await startAgent();
  const url = `${agent.url}/mcp`;
  await Promise.all(
    Object.entries(openers).map(async ([name, open]) => {
      callers.set(name, await open(url));
      const caller = await open(url);
      patient.set(name, { caller, answer: caller.send({ message: `long ${name}` }) });
    }),
  );
}, 600_000);

const startAgent = (env: Record<string, string> = {}) => {
  const limits = { ...renderTestConfig().limits, wallClockMs: 300_000 };
  const config = { limits, servers: [renderTestServer("argos", argos.url)] };
  const always = { PALLAS_HISTORIES_DIR: historiesDir, PALLAS_DRAIN_DELAY_MS: "0" };
  return startBuiltAgent(model, config, { ...always, ...env });
};

afterAll(async () => {
  const all = [...callers.values(), ...[...patient.values()].map(({ caller }) => caller)];
  await Promise.allSettled(all.map((caller) => caller.stop()));
  await agent.stop();
  await argos.stop();
  await model.close();
  await rm(historiesDir, { recursive: true, force: true });
});

/** Makes a call, cancels it when `begun` passes, and gives the time of that. */
async function cancelWhen(name: string, message: string, begun: () => void): Promise<number> {
  const cancel = new AbortController();
  const call = present(callers.get(name)).send({ message }, cancel.signal);
  const ended = expect(call).rejects.toThrow(/cancel|abort|pressed stop/i);
  await vi.waitFor(begun, { timeout: 20_000, interval: 10 });
  const cancelledAtMs = Date.now();
  cancel.abort(new Error("the user pressed stop"));
  await ended;
  return cancelledAtMs;
}

describe.each(names)("the %s", (name) => {
  test("is of its era", () => {
    expect(present(callers.get(name)).protocol).toMatch(name.includes("2025") ? /^2025-/ : /^2026-/);
  });

  test("AGT-13 lists send_message with a schema of its result, and hands on the facts of an answer", async () => {
    const caller = present(callers.get(name));
    const tool = caller.tools.find((each) => each.name === "send_message");
    expect(tool?.outputSchema).toMatchObject({ type: "object", required: expect.arrayContaining(["text", "usage"]) });
    const { structured, lines } = await caller.send({ message: `facts for ${name}` });
    expect(structured).toMatchObject({
      text: expect.stringContaining(`facts for ${name}`),
      model: "m",
      stop_reason: "end",
      steps: 1,
      usage: { input: expect.any(Number), output: expect.any(Number) },
    });
    expect(lines).toEqual(["tech_research step 1 (llm)"]);
  });

  test("gets the text as it is written", async () => {
    const meta = { [textDeltasMetaKey]: true };
    const { text, deltas } = await present(callers.get(name)).send({ message: "write slowly" }, undefined, meta);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe(text);
  });

  test("AGT-13 goes on with a conversation by the id that the answer tells, and reads it by the history prompt", async () => {
    const caller = present(callers.get(name));
    const first = await caller.send({ message: `one of ${name}`, session_id: "new" });
    const sessionId = /session_id "([0-9a-f]{32})"/.exec(first.moreTexts.join())?.[1];
    expect(first.structured).toMatchObject({ session_id: sessionId });
    const second = await caller.send({ message: "two", session_id: present(sessionId) });
    expect(second).toMatchObject({ text: `one of ${name}, two`, isError: false });
    const history = await caller.readHistory("tech_research_history", { session_id: present(sessionId) });
    expect(history).toMatchObject(
      [`one of ${name}`, `one of ${name}`, "two", `one of ${name}, two`].map((text, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: { type: "text", text },
      })),
    );
  });
});

describe.each(names)("AGT-8 a call cancelled on the %s", (name) => {
  test("ends the model's call within a second", async () => {
    const message = `hang in the model for ${name}`;
    const findRequest = () => model.requests.find((request) => lastTextOf(request) === message);
    const cancelledAtMs = await cancelWhen(name, message, () => expect(findRequest()).toBeDefined());
    await vi.waitFor(() => expect(findRequest()?.closedByClientAtMs).toBeDefined(), { timeout: 5_000, interval: 10 });
    expect((findRequest()?.closedByClientAtMs ?? 0) - cancelledAtMs).toBeLessThanOrEqual(1_000);
  });

  test("ends the tool server's call within a second, and the conversation goes on", async () => {
    const message = `wait for ${name}`;
    const isWaiting = () => expect(argos.seen.map(({ args }) => args["client"])).toContain(message);
    const cancelledAtMs = await cancelWhen(name, message, isWaiting);
    await vi.waitFor(() => expect(toolEndedAtMs.has(message)).toBe(true), { timeout: 5_000, interval: 10 });
    expect((toolEndedAtMs.get(message) ?? 0) - cancelledAtMs).toBeLessThanOrEqual(1_000);
    expect(await present(callers.get(name)).send({ message: "hello" })).toMatchObject({ isError: false });
  });
});

describe.each(names)("PRG-5 on the %s", (name) => {
  test("a call of 65 s stays alive where 60 s of silence would end it", { timeout: 120_000 }, async () => {
    const { text, isError, lines } = await present(patient.get(name)).answer;
    expect({ text, isError }).toEqual({ text: "late", isError: false });
    const heartbeats = lines.filter((line) => line === "tech_research step 1 (llm)").length - 1;
    expect(heartbeats).toBeGreaterThanOrEqual(3);
  });
});

describe("AGT-5 when the agent has been restarted", () => {
  const sessionIds = new Map<string, string>();

  beforeAll(async () => {
    await Promise.all(
      [...patient].map(async ([name, { caller, answer }]) => {
        const { sessionId } = await answer;
        await caller.send({
          message: `I am on ${name}`,
          ...defined({ session_id: sessionId }),
        });
        if (sessionId !== undefined) sessionIds.set(name, sessionId);
      }),
    );
    agent.kill("SIGTERM");
    if ((await agent.exited) !== 0) throw new Error("expected the agent to stop in good order");
    const { port } = new URL(agent.url);
    await agent.stop();
    agent = await startAgent({ PALLAS_PORT: port });
  }, 120_000);

  test.each(names)("a conversation on the %s goes on in the same connection", async (name) => {
    const sessionId = sessionIds.get(name);
    const args = { message: "who am I?", ...defined({ session_id: sessionId }) };
    const answer = await present(patient.get(name)).caller.send(args);
    expect(answer).toMatchObject({ isError: false, text: `long ${name}, I am on ${name}, who am I?` });
    expect(sessionId === undefined).toBe(name.includes("2025"));
  });

  test.each(names)("the %s can begin a new one", async (name) => {
    const caller = await present(openers[name])(`${agent.url}/mcp`);
    expect(await caller.send({ message: "hello" })).toMatchObject({ isError: false, text: "hello" });
    await caller.stop();
  });
});
