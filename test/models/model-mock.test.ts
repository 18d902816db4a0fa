import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { conversationLimit, createReplyPicker, firstUserText, type Script } from "./conversations.ts";
import { createJournal, type JournalEntry } from "./journal.ts";
import { startModelMock, type ModelMock, type ModelMockOptions } from "./model-mock.ts";
import { parseScriptFile, type ScriptedReply } from "./script.ts";

let mock: ModelMock | undefined;
afterEach(() => mock?.close());

async function start(script: Script, options: ModelMockOptions = {}): Promise<ModelMock> {
  mock = await startModelMock(script, options);
  return mock;
}

const body = (text: string, stream = false) => ({
  model: "m",
  max_tokens: 100,
  stream,
  messages: [{ role: "user", content: text }],
});

const post = (origin: string, path: string, value: unknown, signal?: AbortSignal) =>
  fetch(`${origin}${path}`, { method: "POST", body: JSON.stringify(value), ...(signal && { signal }) });

const ask = async (origin: string, text: string) => {
  const answer = await post(origin, "/v1/messages", body(text));
  return answer.ok ? (await answer.json()).content[0].text : answer.status;
};

const whole: ScriptedReply = {
  text: ["Hel", "lo"],
  reasoning: "hm",
  toolCalls: [{ name: "f", arguments: { a: 1 } }],
  usage: { input: 10, output: 5, cacheRead: 4, reasoning: 2 },
};

describe("a plain answer", () => {
  test.each([
    [
      "/v1/chat/completions",
      {
        choices: [
          {
            message: {
              content: "Hello",
              reasoning_content: "hm",
              tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
            },
            finish_reason: "tool_calls",
          },
        ],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      },
    ],
    [
      "/v1/responses",
      {
        status: "completed",
        output: [
          { type: "reasoning" },
          { type: "message", content: [{ type: "output_text", text: "Hello" }] },
          { type: "function_call", call_id: "call_1", arguments: '{"a":1}' },
        ],
        usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 } },
      },
    ],
    [
      "/v1/messages",
      {
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "Hello" },
          { type: "tool_use", id: "call_1", input: { a: 1 } },
        ],
        stop_reason: "tool_use",
        usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 5 },
      },
    ],
  ])("of %s is one JSON value", async (path, expected) => {
    const { origin } = await start([whole]);
    const answer = await post(origin, path, path === "/v1/responses" ? { model: "m", input: "hi" } : body("hi"));
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toMatchObject(expected);
  });
});

describe("conversations", () => {
  const conversations = [
    { match: "weather", replies: [{ text: "w1" }, { text: "w2" }] },
    { replies: [{ text: "a" }, { text: "b" }], repeat: true },
  ];

  test("each goes through its script by itself, and a used-up one is refused", async () => {
    const { origin } = await start({ conversations });
    expect(await ask(origin, "weather in Bern")).toBe("w1");
    expect(await ask(origin, "weather in Basel")).toBe("w1");
    expect(await ask(origin, "weather in Bern")).toBe("w2");
    expect(await ask(origin, "weather in Bern")).toBe(400);
    const others = [await ask(origin, "hi"), await ask(origin, "hi"), await ask(origin, "hi")];
    expect(others).toEqual(["a", "b", "a"]);
  });

  test("are told apart by the first user message of any API", () => {
    const parts = [{ type: "input_text", text: "one" }, { type: "image" }, { type: "text", text: "two" }];
    expect(
      firstUserText({
        input: [
          { role: "system", content: "s" },
          { role: "user", content: parts },
        ],
      }),
    ).toBe("one\ntwo");
    expect(firstUserText({ input: "plain" })).toBe("plain");
    expect(firstUserText(body("hi"))).toBe("hi");
    expect(firstUserText("no JSON")).toBe("");
  });

  test(`${conversationLimit} are remembered, one more makes the oldest begin again`, () => {
    const picker = createReplyPicker({ conversations: [{ replies: [{ text: "first" }, { text: "second" }] }] });
    const pick = (text: string) => picker.pick({ method: "POST", path: "/", headers: {}, body: body(text) }).text;
    for (let index = 0; index < conversationLimit; index += 1) pick(`c${index}`);
    expect(pick("c1")).toBe("second");
    pick("one more");
    expect(pick("c0")).toBe("first");
  });
});

describe("the journal", () => {
  test("has method, path, headers, body, and who ended the exchange", async () => {
    const { origin, journal } = await start([{ text: "a" }, { silent: true }, { text: "b", stallAfterFrames: 1 }]);
    await (await post(origin, "/v1/messages?beta=true", body("hi"))).text();
    const waiting = new AbortController();
    const hanging = post(origin, "/v1/messages", body("hi"), waiting.signal).catch(() => "gone");
    await expect.poll(() => journal.length).toBe(2);
    waiting.abort();
    expect(await hanging).toBe("gone");
    const reading = new AbortController();
    await post(origin, "/v1/messages", body("hi", true), reading.signal);
    reading.abort();
    await expect
      .poll(() => journal.map((entry) => entry.closedByClientAtMs !== undefined))
      .toEqual([false, true, true]);
    expect(journal[0]).toMatchObject({
      method: "POST",
      path: "/v1/messages?beta=true",
      kind: "call",
      body: body("hi"),
    });
    expect(journal[0]?.endedAtMs).toBeGreaterThanOrEqual(journal[0]?.arrivedAtMs ?? Infinity);
  });

  test("keeps the newest entries up to its limit", () => {
    const journal = createJournal(2);
    const entry = (path: string): JournalEntry => ({
      method: "GET",
      path,
      headers: {},
      body: undefined,
      kind: "list",
      arrivedAtMs: 1,
    });
    for (const path of ["a", "b", "c"]) journal.add(entry(path));
    expect(journal.entries.map(({ path }) => path)).toEqual(["b", "c"]);
  });

  test("a body that is no JSON is kept as it came", async () => {
    const { origin, journal } = await start([{ text: "a" }]);
    await fetch(`${origin}/v1/messages`, { method: "POST", body: "{" });
    expect(journal[0]?.body).toBe("{");
  });
});

describe("a fetch inside the process", () => {
  test("answers as the server does", async () => {
    const { fetch: inside, origin, journal } = await start(() => ({ text: ["a", "b"] }));
    const init = { method: "POST", body: JSON.stringify(body("hi", true)) };
    const texts = [inside, fetch].map(async (call) => (await call(`${origin}/v1/messages`, init)).text());
    const [first, second] = await Promise.all(texts);
    expect(first).toBe(second);
    expect(journal).toHaveLength(2);
  });

  test("a cut is an error of the connection, and an abort the caller's reason", async () => {
    const { fetch: inside, origin, journal } = await start([{ text: "a", cutAfterFrames: 1 }, { silent: true }]);
    const init = { method: "POST", body: JSON.stringify(body("hi", true)) };
    await expect((await inside(`${origin}/v1/messages`, init)).text()).rejects.toThrow("terminated");
    const caller = new AbortController();
    const hanging = inside(`${origin}/v1/messages`, { ...init, signal: caller.signal });
    caller.abort(new Error("enough"));
    await expect(hanging).rejects.toThrow("enough");
    await expect.poll(() => journal[1]?.closedByClientAtMs).toBeDefined();
  });
});

describe("as a process", () => {
  test("it serves a script file until it is told to stop, and shows its journal", { timeout: 30_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "pallas-models-"));
    const file = join(folder, "script.json");
    await writeFile(file, JSON.stringify({ models: { m1: {} }, conversations: [{ replies: [{ text: "hello" }] }] }));
    const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), "--script", file]);
    try {
      const [line] = await once(child.stdout, "data");
      const [origin = ""] = /http:\S+/.exec(String(line)) ?? [];
      expect(await ask(origin, "hi")).toBe("hello");
      const lists = await fetch(`${origin}/v1/models`);
      expect(await lists.json()).toMatchObject({ object: "list", data: [{ id: "m1" }] });
      const journal = await fetch(`${origin}/__journal`);
      expect(await journal.json()).toMatchObject([{ path: "/v1/messages" }, { path: "/v1/models" }]);
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([0, null]);
    } finally {
      child.kill("SIGKILL");
      await rm(folder, { recursive: true });
    }
  });

  test("a script that is not valid is refused with the faulty field", () => {
    const misspelt = JSON.stringify({ conversations: [{ replies: [{ txt: "a" }] }] });
    expect(() => parseScriptFile(misspelt)).toThrow(/txt[\s\S]*conversations\[0\]/);
  });
});
