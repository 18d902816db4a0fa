// What the model is shown when a conversation nears its context window or has passed it, and that what is stored stays whole.
import { describe, expect, test } from "vitest";
import { ModelError, type ModelMessage, type TurnRequest, type TurnResult } from "../model/types.ts";
import { createSessions } from "../session/sessions.ts";
import { listMessages } from "../session/transcript.ts";
import { stopAfterEach } from "../testing/cleanup.ts";
import { connect2025 } from "../testing/client.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { testImage } from "../testing/images.ts";
import { callTool, createScriptedModels, waitForAbort, type ScriptedModels } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";
import { createMemoryStore, talk, type MemoryStore, type TalkOptions } from "../testing/talk.ts";

const started = stopAfterEach();

type Answer = Partial<TurnResult> | Promise<Partial<TurnResult>>;

const isSummary = ({ system }: TurnRequest) => system !== "agent";
const overflow = () => {
  throw new ModelError("openai: the conversation is too long", { kind: "context_overflow", provider: "openai" });
};

/** Answers turns and summaries apart. Without `usage` the size is estimated. */
function createModels(answers: {
  turn?: (request: TurnRequest, index: number) => Answer;
  summary?: (request: TurnRequest) => Answer;
}): ScriptedModels & { summaries: TurnRequest[]; turns: TurnRequest[] } {
  const { turn = () => ({ text: "answer" }), summary = () => ({ text: "the summary" }) } = answers;
  const turns: TurnRequest[] = [];
  const summaries: TurnRequest[] = [];
  const scripted = createScriptedModels([
    async (request) => {
      (isSummary(request) ? summaries : turns).push(request);
      const answer = isSummary(request) ? summary(request) : turn(request, turns.length - 1);
      return { usage: {}, ...(await answer) };
    },
  ]);
  return Object.assign(scripted, { turns, summaries });
}

const words = (count: number) => "word ".repeat(count);
const shownTexts = (messages: readonly ModelMessage[] | undefined) =>
  (messages ?? []).flatMap((message) => {
    if (message.role === "tool") return message.results.map(({ text }) => text);
    if (message.role === "assistant") return [message.text];
    return message.content.map((part) => (part.type === "text" ? part.text : part.type));
  });
const transcriptOf = (request: TurnRequest | undefined) => shownTexts(request?.messages).join();
const wholePage = { messages: Infinity, bytes: Infinity };
const readStored = async (store: MemoryStore) => listMessages(await store.load("shared"));

/** Ten messages of 250 tokens in a window of 2,000, which is full at 1,000. */
async function fillWindow(models: ReturnType<typeof createModels>, changes: Partial<TalkOptions> = {}) {
  const store = createMemoryStore();
  const options = {
    store,
    models,
    capabilities: { contextWindow: 2_000 },
    compaction: { compactAt: 0.5 },
    ...changes,
  };
  const outcomes = [];
  for (let index = 0; index < 10; index += 1) outcomes.push(await talk(`${index} ${words(200)}`, options));
  return { store, outcomes, options };
}

describe("AGT-4 a conversation that nears the context window", () => {
  test("is condensed for the model but for the last turns, and stored whole", async () => {
    const models = createModels({});
    const { store, outcomes } = await fillWindow(models);
    expect(outcomes.every(({ failure }) => failure === undefined)).toBe(true);
    expect(models.summaries.length).toBeGreaterThan(0);
    const [introduced, ...rest] = shownTexts(models.turns.at(-1)?.messages);
    expect(introduced).toMatch(/^Summary of the conversation so far.*\n\nthe summary$/);
    expect(rest.slice(-3).map((text) => text.slice(0, 6))).toEqual(["8 word", "answer", "9 word"]);
    expect((await readStored(store)).map(({ role }) => role)).toEqual(
      Array.from({ length: 10 }, () => ["user", "assistant"]).flat(),
    );
    const sessions = createSessions({ scope: "shared", maxQueued: 1, store });
    expect(shownTexts((await sessions.readPage({ caller: "anyone" }, wholePage)).messages).join()).not.toContain(
      "Summary",
    );
  });

  test("each summary takes over the one before it, and is asked for without tools and with few tokens", async () => {
    let count = 0;
    const models = createModels({ summary: () => ({ text: `summary ${(count += 1)}` }) });
    await fillWindow(models);
    expect(models.summaries.length).toBeGreaterThan(1);
    expect(transcriptOf(models.summaries[1])).toContain("Summary of what came before:\nsummary 1");
    expect(models.summaries[1]).toMatchObject({ tools: [], settings: { maxTokens: 250 } });
    expect(shownTexts(models.turns.at(-1)?.messages)[0]).toContain(`summary ${models.summaries.length}`);
  });

  test("a summary longer than was asked for is cut", async () => {
    const models = createModels({ summary: () => ({ text: `begin ${"x".repeat(1_000_000)} end` }) });
    const { store } = await fillWindow(models);
    const [text = ""] = shownTexts(models.turns.at(-1)?.messages);
    expect(text).toMatch(/\n\nbegin x+ \[…\] x+ end$/);
    expect(text.length).toBeLessThan(250 * 8 + 100);
    expect(store.text().length).toBeLessThan(100_000);
  });

  test("keepTurns turns stay whole where they fit", async () => {
    const models = createModels({});
    await fillWindow(models, { compaction: { compactAt: 0.5, keepTurns: 1 } });
    const condensed = models.turns.find((request) => transcriptOf(request).includes("Summary"));
    expect(condensed?.messages).toHaveLength(1);
  });

  test.each([
    ["at the limit", 1_000 - 3, 0],
    ["one token past it", 1_000 - 2, 1],
  ])("the provider's own count decides: %s", async (_where, input, summaries) => {
    // "next" is one token by estimate, and the answer took two.
    const models = createModels({ turn: () => ({ text: words(1_000), usage: { input, output: 2 } }) });
    const options = { store: createMemoryStore(), models, capabilities: { contextWindow: 2_000 } };
    const compaction = { compactAt: 0.5, keepTurns: 1 };
    await talk("first", { ...options, compaction });
    await talk("next", { ...options, compaction });
    expect(models.summaries).toHaveLength(summaries);
  });

  test("images that are condensed become a note", async () => {
    const models = createModels({});
    const image = { type: "image" as const, ...testImage() };
    const { store, options } = await fillWindow(models, { capabilities: { contextWindow: 10_000 } });
    await talk([image], options);
    await talk("and now", { ...options, compaction: { compactAt: 0.3, keepTurns: 1 } });
    expect(transcriptOf(models.summaries[0])).toContain("User: [file of type image/png]");
    expect(transcriptOf(models.summaries[0])).not.toContain(image.data);
    expect(JSON.stringify(await readStored(store))).toContain(image.data);
  });

  test("in one very long turn the last three exchanges with tools stay, and the question", async () => {
    const models = createModels({
      turn: (_request, index) =>
        index < 8 ? { toolCalls: [callTool("read", {}, `call-${index}`)] } : { text: "done" },
    });
    const store = createMemoryStore();
    const outcome = await talk("the question", {
      store,
      models,
      capabilities: { contextWindow: 2_000 },
      compaction: { compactAt: 0.5 },
      dispatch: async (_context, _toolbox, { id, name }) => ({
        callId: id,
        name,
        text: `${id} ${words(160)}`,
        images: [],
        isError: false,
      }),
    });
    expect(outcome).toMatchObject({ text: "done", stopReason: "end" });
    const condensed = models.turns.find((request) => transcriptOf(request).includes("Summary"))?.messages;
    expect(condensed?.map(({ role }) => role)).toEqual([
      "user",
      ...Array.from({ length: 3 }, () => ["assistant", "tool"]).flat(),
    ]);
    expect(shownTexts(condensed)[1]).toBe("the question");
    expect(await readStored(store)).toHaveLength(1 + 8 * 2 + 1);
  });
});

describe("AGT-4 a summary that cannot be had", () => {
  test.each<[string, () => Answer]>([
    ["the model fails", () => Promise.reject(new ModelError("down", { kind: "overloaded", provider: "openai" }))],
    ["the model writes nothing", () => ({ text: " \n" })],
    ["the model asks for tools instead", () => ({ toolCalls: [callTool("drop")] })],
  ])("%s: the call goes on with the whole history, and asks no second time", async (_what, summary) => {
    const models = createModels({ summary });
    const { store, outcomes } = await fillWindow(models);
    expect(outcomes.every(({ failure }) => failure === undefined)).toBe(true);
    expect(models.turns.at(-1)?.messages).toHaveLength(19);
    expect(models.summaries.length).toBeLessThanOrEqual(10);
    expect(store.text()).not.toContain('"summary"');
  });

  test("AGT-8 a cancelled call ends while it is written", async () => {
    const cancelled = new AbortController();
    const models = createModels({
      summary: (request) => {
        setImmediate(() => cancelled.abort(new Error("no longer")));
        return waitForAbort(request);
      },
    });
    const options = { store: createMemoryStore(), models, capabilities: { contextWindow: 2_000 } };
    const compaction = { compactAt: 0.5, keepTurns: 1 };
    await talk(words(1_000), options);
    const outcome = await talk("next", { ...options, compaction, signal: cancelled.signal });
    expect(outcome.failure).toMatchObject({ message: "no longer" });
    expect([models.turns.length, models.summaries.length]).toEqual([1, 1]);
  });

  test("CFG-8 its tokens count", async () => {
    const models = createModels({
      turn: ({ messages }) =>
        models.summaries.length === 1 && messages.at(-1)?.role === "user"
          ? { toolCalls: [callTool("read")], usage: { input: 1 } }
          : { text: "answer" },
      summary: () => ({ text: "the summary", usage: { input: 5_000 } }),
    });
    const stopsAt = async (totalTokens: number) => {
      models.summaries.splice(0);
      const { outcomes } = await fillWindow(models, { limits: { totalTokens } });
      return new Set(outcomes.map(({ stopReason }) => stopReason));
    };
    expect(await stopsAt(5_000)).toEqual(new Set(["end", "total_tokens"]));
    expect(await stopsAt(5_001)).toEqual(new Set(["end"]));
  });
});

describe("AGT-4 a conversation that the model refuses as too long", () => {
  /** The declared window is far too large; this one is real. */
  const realWindowBytes = 6_000;
  const refuseLong = (request: TurnRequest, answer: Answer) =>
    transcriptOf(request).length > realWindowBytes ? overflow() : answer;

  test("is condensed and the turn tried once more", async () => {
    const models = createModels({
      turn: (request) => refuseLong(request, { text: "answer" }),
      summary: (request) => refuseLong(request, { text: "the summary" }),
    });
    const { outcomes } = await fillWindow(models, { capabilities: {} });
    expect(outcomes.map(({ failure }) => failure)).toEqual(Array(10).fill(undefined));
    expect(models.summaries.length).toBeGreaterThan(0);
    expect(models.turns.length).toBe(10 + models.summaries.length);
  });

  test("ends with the model's sentence when that does not help", async () => {
    const models = createModels({ turn: (_request, index) => (index < 9 ? { text: "answer" } : overflow()) });
    const { outcomes, store } = await fillWindow(models, { capabilities: {} });
    expect(outcomes.at(-1)?.failure).toMatchObject({
      kind: "context_overflow",
      message: expect.stringContaining("too long"),
    });
    expect(models.turns).toHaveLength(9 + 2);
    // The message that was too long is taken back.
    expect(await readStored(store)).toHaveLength(18);
  });

  test("ends with the model's sentence when there is nothing to condense", async () => {
    const models = createModels({ turn: overflow });
    const outcome = await talk(words(1_000), { store: createMemoryStore(), models });
    expect(outcome.failure).toMatchObject({ kind: "context_overflow" });
    expect(models.summaries).toEqual([]);
    expect(models.turns).toHaveLength(1);
  });

  test("has a transcript that the same model can read", async () => {
    const models = createModels({
      turn: (request) => refuseLong(request, { text: "answer" }),
      summary: (request) => refuseLong(request, { text: "the summary" }),
    });
    const options = { store: createMemoryStore(), models };
    await talk("begin", options);
    await talk("x".repeat(5_980), options);
    const { failure } = await talk("and now", { ...options, compaction: { keepTurns: 1 } });
    expect(failure).toBeUndefined();
    expect(transcriptOf(models.summaries[0])).toContain(" […] ");
  });
});

describe("AGT-4 an agent whose model has a small window", () => {
  const messages = ["a", "b", "c"].map((letter) => letter.repeat(600));

  async function converse(capabilitiesDeclared: boolean) {
    const base = renderTestConfig();
    const models = base.models.map((model) => ({
      ...model,
      capabilities: { ...model.capabilities, contextWindow: 800 },
      capabilitiesDeclared,
    }));
    const agent = await startAgent({ models, history: { ...base.history, compactAt: 0.5, keepTurns: 1 } });
    started.push(agent);
    const client = await connect2025(agent.mcpUrl);
    for (const message of messages) await client.callTool({ name: "send_message", arguments: { message } });
    const { messages: told } = await client.getPrompt({ name: "tech_research_history" });
    await client.close();
    const metrics = await (await fetch(`${agent.adminUrl}/metrics`)).text();
    const turns = /^pallas_llm_turns_total\{.*\} (\d+)$/m.exec(metrics)?.[1];
    return { told: told.map(({ role, content }) => [role, content.type === "text" ? content.text : ""]), turns };
  }

  test("condenses by its own settings and counts the summaries' turns; its history prompt gives the whole", async () => {
    const { told, turns } = await converse(true);
    expect(turns).toBe("5");
    expect(told.filter(([role]) => role === "user").map(([, text]) => text)).toEqual(messages);
    expect(told).toHaveLength(6);
  });

  test("condenses nothing for a built-in model of which nothing is declared", async () => {
    const { told, turns } = await converse(false);
    expect(turns).toBe("3");
    expect(told.map(([, text]) => text)).toEqual(messages.flatMap((message) => [message, message]));
  });
});
