// The loop through a whole agent with a scripted model: limits, garbage, failures, cancellation.
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { stopAfterEach } from "../testing/cleanup.ts";
import type { ModelMessage, TurnRequest } from "../model/types.ts";
import { ModelError } from "../model/types.ts";
import { StoreError } from "../session/store.ts";
import { ask } from "../testing/client.ts";
import { renderTestConfig, renderTestServer } from "../testing/run-config.ts";
import { callTool, createScriptedModels, waitForAbort, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent, startToolServer, textResult, type ToolServer } from "../testing/servers.ts";
import { createMemoryStore, echoTool, talk } from "../testing/talk.ts";
import type { LoopLimits } from "../../crds/run-config.ts";
import { maxConcurrentToolCalls } from "./run-loop.ts";

const started = stopAfterEach();

interface Scene {
  limits?: Partial<LoopLimits>;
  maxSteps?: number;
  parallelToolCalls?: boolean;
}

async function play(models: ScriptedModels, scene: Scene = {}): Promise<{ url: string; argos: ToolServer }> {
  const argos = await startToolServer({
    read: { inputSchema: { type: "object", required: ["id"] }, handle: ({ id }) => textResult(`read ${String(id)}`) },
  });
  started.push(argos);
  const base = renderTestConfig();
  const { maxSteps = 60, parallelToolCalls = true } = scene;
  const agent = await startAgent(
    {
      servers: [renderTestServer("argos", argos.url)],
      limits: { ...base.limits, ...scene.limits },
      request: { ...base.request, maxSteps, parallelToolCalls },
    },
    { models },
  );
  started.push(agent);
  return { url: agent.mcpUrl, argos };
}

const read = (...ids: string[]) => ids.map((id) => callTool("argos__read", { id }, id));
const resultsOf = (request: TurnRequest | undefined) => {
  const last: ModelMessage | undefined = request?.messages.at(-1);
  return last?.role === "tool" ? last.results : [];
};

describe("AGT-1 the answer", () => {
  test("joins the texts of all steps by blank lines and leaves empty ones out", async () => {
    const script = [{ text: "First.", toolCalls: read("1") }, { toolCalls: read("2") }, { text: "Last." }];
    const { url } = await play(createScriptedModels(script));
    expect(await ask(url, { message: "go" })).toMatchObject({ text: "First.\n\nLast.", isError: false });
  });

  test("results of parallel calls reach the model in the order of its calls", async () => {
    const models = createScriptedModels([{ toolCalls: read("b", "a", "c") }, { text: "ok" }]);
    const { url } = await play(models);
    await ask(url, { message: "go" });
    expect(resultsOf(models.requests[1]).map(({ text }) => text)).toEqual(["read b", "read a", "read c"]);
  });

  test("parallelToolCalls false makes one call after the other", async () => {
    const models = createScriptedModels([{ toolCalls: read("b", "a") }, { text: "ok" }]);
    const { url, argos } = await play(models, { parallelToolCalls: false });
    const { lines } = await ask(url, { message: "go" });
    expect(argos.seen.map(({ args }) => args["id"])).toEqual(["b", "a"]);
    expect(lines.slice(2, 6)).toEqual([1, 2].flatMap(() => ["argos/read: started", "argos/read: completed"]));
  });
});

describe("AGT-13 an answer that is cut", () => {
  const written = "The first three of ten items are a, b, c and the fou";
  test.each([
    ["the model's limit", { stopReason: "length", usage: { input: 9, output: 16 } }, "length", "limit after 16 tokens"],
    ["a limit that was not counted", { stopReason: "length", usage: {} }, "length", "reached its limit."],
    ["a content filter", { stopReason: "content-filter" }, "content_filter", "content filter"],
  ] as const)("by %s says so after its text, and the history keeps the text alone", async (_what, turn, stop, said) => {
    const store = createMemoryStore();
    const models = createScriptedModels([{ text: written, ...turn }]);
    const outcome = await talk("go", { store, models });
    expect(outcome.stopReason).toBe(stop);
    expect(outcome.text.startsWith(`${written}\n\n[The answer is cut: `)).toBe(true);
    expect(outcome.text).toContain(said);
    const kept = await store.load("shared");
    expect(kept.at(-1)).toMatchObject({ role: "assistant", text: written });
  });

  test.each([
    ["end", "end"],
    ["other", "other"],
    ["tool-calls", "other"],
  ] as const)("is not one that ends with %s", async (stopReason, stop) => {
    const models = createScriptedModels([{ text: written, stopReason }]);
    expect(await talk("go", { store: createMemoryStore(), models })).toMatchObject({ text: written, stopReason: stop });
  });
});

describe("CFG-8 tool calls of one turn", () => {
  test.each([
    [maxConcurrentToolCalls, maxConcurrentToolCalls],
    [maxConcurrentToolCalls + 1, maxConcurrentToolCalls],
  ])("%i of them run %i at a time, and all are answered", async (count, concurrency) => {
    let running = 0;
    let most = 0;
    const toolCalls = Array.from({ length: count }, (_, index) => callTool("tool", {}, `${index}`));
    const models = createScriptedModels([{ toolCalls }, { text: "ok" }]);
    const outcome = await talk("go", {
      store: createMemoryStore(),
      models,
      async dispatch(...call) {
        running += 1;
        most = Math.max(most, running);
        await setImmediate();
        running -= 1;
        return echoTool(...call);
      },
    });
    expect(outcome).toMatchObject({ text: "ok", stopReason: "end" });
    expect(most).toBe(concurrency);
    expect(resultsOf(models.requests[1]).map(({ callId }) => callId)).toEqual(toolCalls.map(({ id }) => id));
  });

  test("none begins once one could not be recorded, and the run ends when those begun have", async () => {
    const store = createMemoryStore();
    let begun = 0;
    let ended = 0;
    const toolCalls = Array.from({ length: 100 }, (_, index) => callTool("tool", {}, `${index}`));
    const outcome = await talk("go", {
      store: {
        ...store,
        append: async (key, entry) => {
          if (entry.role === "tool") throw new StoreError("full");
          await store.append(key, entry);
        },
      },
      models: createScriptedModels([{ toolCalls }]),
      async dispatch(...call) {
        begun += 1;
        await setImmediate();
        ended += 1;
        return echoTool(...call);
      },
    });
    expect(outcome.failure).toMatchObject({ message: "full" });
    expect([begun, ended]).toEqual([maxConcurrentToolCalls, maxConcurrentToolCalls]);
  });
});

describe("CFG-8 limits of one call", () => {
  const twoCalls = () => createScriptedModels([{ text: "Looking.", toolCalls: read("1", "2") }, { text: "Done." }]);
  const cases = [
    {
      field: "request.maxSteps",
      at: { maxSteps: 2 },
      past: { maxSteps: 1 },
      bound: "1 model turns",
      stop: "max_steps",
    },
    {
      field: "limits.toolCalls",
      at: { limits: { toolCalls: 2 } },
      past: { limits: { toolCalls: 1 } },
      bound: "1 tool calls",
      stop: "tool_calls",
    },
    // A scripted turn has five tokens.
    {
      field: "limits.totalTokens",
      at: { limits: { totalTokens: 5 } },
      past: { limits: { totalTokens: 4 } },
      bound: "4 tokens",
      stop: "total_tokens",
    },
  ];
  test.each(cases)("$field: at the limit it answers", async ({ at }) => {
    const { url } = await play(twoCalls(), at);
    expect(await ask(url, { message: "go" })).toMatchObject({ text: "Looking.\n\nDone.", isError: false });
  });

  test.each(cases)("$field: past it the model is told so, calls no tool, and answers", async ({ past, ...bound }) => {
    const models = twoCalls();
    const { url, argos } = await play(models, past);
    const answer = await ask(url, { message: "go" });
    expect(answer).toMatchObject({ isError: false, stopReason: bound.stop });
    expect(answer.text).toContain(`Looking.\n\nDone.\n\n[The call reached its limit of ${bound.bound}: `);
    expect(answer.text).toContain(`raise ${bound.field} of the agent`);
    expect(argos.seen).toEqual([]);
    expect(models.requests).toHaveLength(2);
    expect(resultsOf(models.requests[1])).toMatchObject(
      ["1", "2"].map((callId) => ({ callId, isError: true, text: expect.stringContaining(`limit of ${bound.bound}`) })),
    );
    expect(models.requests[1]?.tools).toEqual(models.requests[0]?.tools);
  });

  test.each(cases)(
    "$field: a model that still asks for tools is an error with limit, field and text",
    async (scene) => {
      const models = createScriptedModels([
        { text: "Looking.", toolCalls: read("1", "2") },
        { text: "More.", toolCalls: read("3") },
      ]);
      const { url, argos } = await play(models, scene.past);
      const answer = await ask(url, { message: "go" });
      expect(answer.isError).toBe(true);
      expect(answer.text).toContain(`limit of ${scene.bound}, after 1 model turns, 0 tool calls and 5 tokens`);
      expect(answer.text).toContain(`: raise ${scene.field} of the agent`);
      expect(answer.text).toContain("Looking.\n\nMore.");
      expect([argos.seen, models.requests.length]).toEqual([[], 2]);
    },
  );

  test("a model that still asks for tools is told once more, so that its history says what happened", async () => {
    const store = createMemoryStore();
    const models = createScriptedModels([{ text: "Looking.", toolCalls: read("1") }, { toolCalls: read("2") }]);
    await talk("go", { store, models, limits: { toolCalls: 0 } });
    const told = (await store.load("shared")).flatMap((entry) => (entry.role === "tool" ? entry.results : []));
    expect(told).toMatchObject(["1", "2"].map((callId) => ({ callId, text: expect.stringContaining("Not called") })));
  });

  test("limits.totalTokens: an answer that passes it is an answer", async () => {
    const { url } = await play(createScriptedModels([{ text: "Done." }]), { limits: { totalTokens: 4 } });
    expect(await ask(url, { message: "go" })).toMatchObject({ text: "Done.", isError: false, stopReason: "end" });
  });

  test.each([
    [1_001, "end", 2],
    [1_000, "wall_clock", 0],
  ])("limits.wallClock: with %i ms of 10 s left the answer ends with %s", async (leftMs, stopReason, calls) => {
    const spy = vi.spyOn(performance, "now");
    onTestFinished(() => spy.mockRestore());
    const models = createScriptedModels([
      ({ deadlineMs = 0 }) => {
        spy.mockImplementation(() => deadlineMs - leftMs);
        return { text: "Looking.", toolCalls: read("1", "2") };
      },
      { text: "Done." },
    ]);
    const { url, argos } = await play(models, { limits: { wallClockMs: 10_000 } });
    expect(await ask(url, { message: "go" })).toMatchObject({ isError: false, stopReason });
    expect(argos.seen).toHaveLength(calls);
  });

  test.each([
    ["does not answer", waitForAbort],
    ["does not answer, nor hear that it is over", () => new Promise<never>(() => undefined)],
  ])("limits.wallClock ends a model that %s", async (_what, turn) => {
    const models = createScriptedModels([turn]);
    const { url } = await play(models, { limits: { wallClockMs: 2_300 } });
    const answer = await ask(url, { message: "go" });
    expect(answer).toMatchObject({ isError: true });
    expect(answer.text).toContain(
      "2.3 s of wall clock time, after 1 model turns, 0 tool calls and 0 tokens: raise limits.wallClock",
    );
  });
});

describe("AGT-7 a model's garbage and failures", () => {
  test.each([
    ["an unknown tool", callTool("nope", {}), 'no tool named "nope"'],
    ["arguments that are no object", callTool("argos__read", [1]), "expected a JSON object"],
    ["arguments that miss a field", callTool("argos__read", {}), '"id" is required'],
    ["malformed JSON", { ...callTool("argos__read"), malformed: "Unexpected token" }, "Unexpected token"],
  ])("%s goes back to it as an error result and reaches no server", async (_what, call, said) => {
    const models = createScriptedModels([{ toolCalls: [call] }, { text: "Sorry." }]);
    const { url, argos } = await play(models);
    expect(await ask(url, { message: "go" })).toMatchObject({ text: "Sorry.", isError: false });
    expect(resultsOf(models.requests[1])).toMatchObject([{ isError: true, text: expect.stringContaining(said) }]);
    expect(argos.seen).toEqual([]);
  });

  test("calls without an id or with the same one are told apart", async () => {
    const toolCalls = [
      callTool("argos__read", { id: 1 }, ""),
      callTool("argos__read", { id: 2 }, "x"),
      callTool("argos__read", { id: 3 }, "x"),
    ];
    const models = createScriptedModels([{ toolCalls }, { text: "ok" }]);
    const { url } = await play(models);
    await ask(url, { message: "go" });
    const results = resultsOf(models.requests[1]);
    expect(results.map(({ text }) => text)).toEqual(["read 1", "read 2", "read 3"]);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(3);
  });

  test("a model that is down is an error with its sentence", async () => {
    const down = () =>
      Promise.reject(
        new ModelError("openai is overloaded; try again later", { kind: "overloaded", provider: "openai" }),
      );
    const { url } = await play(createScriptedModels([down]));
    expect(await ask(url, { message: "go" })).toMatchObject({
      text: "openai is overloaded; try again later",
      isError: true,
    });
  });

  test("an unexpected problem names the request and hides its text", async () => {
    const { url } = await play(createScriptedModels([() => Promise.reject(new Error("secret innards"))]));
    const answer = await ask(url, { message: "go" });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/failed unexpectedly; its log has the details under request \S+/);
    expect(answer.text).not.toContain("innards");
  });

  test("an answer withheld by the provider is an error that says so", async () => {
    const { url } = await play(createScriptedModels([{ stopReason: "content-filter" }]));
    const answer = await ask(url, { message: "go" });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("content-filter") });
  });
});
