// What a provider refuses, and what the next call sees of it: nothing. The model is scripted to refuse as vendors do, by what
// it is sent, again and again.
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ModelError, type ModelErrorKind, type TurnRequest, type UserPart } from "../model/types.ts";
import type { SessionStore } from "../session/store.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { createTestFolder, createTestStore } from "../testing/histories.ts";
import { testImage } from "../testing/images.ts";
import { callTool, createScriptedModels } from "../testing/scripted-models.ts";
import { echoTool, talk, type TalkOptions } from "../testing/talk.ts";

const keep = keepUntilEnd();
const openStore = (folder: string) => keep(Promise.resolve(createTestStore(folder)));

async function createStore() {
  const { path } = await keep(createTestFolder());
  return openStore(path);
}

const refusal = (kind: ModelErrorKind, said = "could not process it") =>
  new ModelError(`vendor: the request was refused (400): ${said}`, { kind, provider: "vendor", status: 400 });

/** Refuses each request that has the word "bad" in it, calls a tool when asked to, and else answers what it was told. */
const refusing = (kind: ModelErrorKind = "invalid_request", calls: Record<string, string[]> = {}) =>
  createScriptedModels([
    ({ messages }) => {
      if (JSON.stringify(messages).includes("bad")) throw refusal(kind);
      const last = messages.at(-1);
      const text =
        last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join() : "";
      const tools = calls[text] ?? [];
      return tools.length > 0
        ? { toolCalls: tools.map((name) => callTool(name)) }
        : { text: shownOf(messages).join(" | ") };
    },
  ]);

const shownOf = (messages: TurnRequest["messages"]): string[] =>
  messages.flatMap((message) => {
    if (message.role === "assistant") return message.text === "" ? [] : [`agent: ${message.text}`];
    if (message.role === "tool") return message.results.map(({ text }) => `tool: ${text}`);
    return message.content.map((part) => (part.type === "text" ? part.text : "image"));
  });

const say = (store: SessionStore, message: string | UserPart[], models: TalkOptions["models"], dispatch = echoTool) =>
  talk(message, { store, models, dispatch });

describe("AGT-14 a message that a provider refuses", () => {
  test.each(["invalid_request", "context_overflow"] as const)(
    "is taken back (%s): the next call sees the history as before, also after a restart, and the reason is kept",
    async (kind) => {
      const store = await createStore();
      const models = refusing(kind);
      await say(store, "one", models);
      const before = await store.load("shared");
      expect((await say(store, "bad", models)).failure).toMatchObject({ kind });
      expect(await store.load("shared")).toEqual(before);
      expect((await say(store, "two", models)).text).toBe("one | agent: one | two");
      const [file = ""] = (await readdir(store.folder)).filter((name) => name.endsWith(".jsonl"));
      const withdrawal =
        '{"role":"withdrawn","messages":1,"reason":"vendor: the request was refused (400): could not process it"}';
      expect(await readFile(join(store.folder, file), "utf8")).toContain(`${withdrawal}\n`);
      await store.close();
      const next = await openStore(store.folder);
      expect((await say(next, "three", models)).text).toMatch(/^one \| agent: one \| two \| agent: .* \| three$/);
    },
  );

  test("and one that its provider could not take just now stays: the problem is not its own", async () => {
    const store = await createStore();
    const models = refusing("overloaded");
    await say(store, "bad", models);
    expect(JSON.stringify(await store.load("shared"))).toContain("bad");
  });

  test("with its image is taken back", async () => {
    const store = await createStore();
    const image = { type: "image" as const, ...testImage() };
    await say(store, [{ type: "text", text: "bad" }, image], refusing());
    expect(await store.load("shared")).toEqual([]);
  });
});

describe("AGT-14 a tool's result that a provider refuses", () => {
  const answering =
    (texts: Record<string, string>): typeof echoTool =>
    async (_context, _toolbox, { id, name }) => ({
      callId: id,
      name,
      text: texts[name] ?? "",
      images: [],
      isError: false,
    });

  test("gives way to a text that says so, and the run goes on with it", async () => {
    const store = await createStore();
    const models = refusing("invalid_request", { go: ["a", "b"] });
    const outcome = await say(store, "go", models, answering({ a: "bad", b: "good" }));
    expect(outcome.failure).toBeUndefined();
    expect(models.requests).toHaveLength(3);
    const last = models.requests.at(-1)?.messages.at(-1);
    const said = expect.stringMatching(/^The tool ran, but .* refused it.*could not process it/);
    expect(last).toMatchObject({
      role: "tool",
      results: [
        { callId: "call-a", isError: true, text: said },
        { callId: "call-b", isError: true, text: said },
      ],
    });
    expect((await say(store, "next", models)).failure).toBeUndefined();
  });

  test("gives way in each turn that it happens in", async () => {
    const store = await createStore();
    let turns = 0;
    const models = createScriptedModels([
      ({ messages }) => {
        if (JSON.stringify(messages).includes('"bad"')) throw refusal("invalid_request");
        turns += 1;
        return turns <= 2 ? { toolCalls: [callTool("a", {}, `call-${turns}`)] } : { text: "done" };
      },
    ]);
    const outcome = await say(store, "go", models, answering({ a: "bad" }));
    expect(outcome).toMatchObject({ text: "done" });
  });

  test("is taken back with its whole run when the request is refused all the same", async () => {
    const store = await createStore();
    const calm = refusing();
    await say(store, "one", calm);
    const models = createScriptedModels([
      { text: "I look.", toolCalls: [callTool("a")] },
      () => {
        throw refusal("invalid_request");
      },
    ]);
    const outcome = await say(store, "two", models);
    expect(outcome).toMatchObject({ text: "I look.", failure: { kind: "invalid_request" } });
    expect(models.requests).toHaveLength(3);
    expect((await say(store, "three", calm)).text).toBe("one | agent: one | three");
  });
});

describe("AGT-14 a refused run that a crash cuts off", () => {
  test("anywhere in its file: the next call sees a valid conversation, and what was whole before the run", async () => {
    const store = await createStore();
    await say(store, "one", refusing());
    const [file = ""] = (await readdir(store.folder)).filter((name) => name.endsWith(".jsonl"));
    const wholeBytes = (await readFile(join(store.folder, file))).length;
    const models = createScriptedModels([
      { toolCalls: [callTool("a"), callTool("b")] },
      () => {
        throw refusal("invalid_request");
      },
    ]);
    await say(store, "two", models);
    await store.close();
    const bytes = await readFile(join(store.folder, file));
    const seen = new Set<number>();
    for (let end = wholeBytes; end <= bytes.length; end += 7) {
      const { path } = await keep(createTestFolder());
      await writeFile(join(path, file), bytes.subarray(0, end));
      const torn = createTestStore(path);
      const recalling = createScriptedModels([{ text: "fine" }]);
      expect(await say(torn, "three", recalling)).toMatchObject({ text: "fine" });
      const [request] = recalling.requests;
      checkPaired(request?.messages ?? []);
      const shown = shownOf(request?.messages ?? []);
      expect([shown.slice(0, 2), shown.at(-1)]).toEqual([["one", "agent: one"], "three"]);
      seen.add(shown.length);
      await torn.close();
    }
    // Both ends: all of it, and nothing of it.
    expect(seen.size).toBeGreaterThan(2);
    expect(seen).toContain(3);
  }, 60_000);
});

/** Every call has its result right after it. */
function checkPaired(messages: TurnRequest["messages"]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant" || message.toolCalls.length === 0) continue;
    const next = messages[index + 1];
    const answered = next?.role === "tool" ? next.results.map(({ callId }) => callId) : [];
    expect(answered).toEqual(message.toolCalls.map(({ id }) => id));
  }
}

describe("AGT-14 a call that is repeated after it failed", () => {
  const failing = (kind: ModelErrorKind, after: Parameters<typeof createScriptedModels>[0] = []) =>
    createScriptedModels([
      ...after,
      () => {
        throw refusal(kind);
      },
    ]);
  const image = { type: "image" as const, ...testImage() };

  test("has its message in the history once, its image too", async () => {
    const store = await createStore();
    const content: UserPart[] = [{ type: "text", text: "look" }, image];
    for (let count = 0; count < 3; count += 1) await say(store, content, failing("overloaded"));
    const models = refusing();
    expect((await say(store, content, models)).text).toBe("look | image");
    expect((await say(store, content, models)).text).toBe("look | image | agent: look | image | look | image");
  });

  test("goes on from the tools that were called, which are not called again", async () => {
    const store = await createStore();
    const ran: string[] = [];
    const counting: typeof echoTool = async (...call) => {
      ran.push(call[2].name);
      return echoTool(...call);
    };
    await say(store, "go", failing("overloaded", [{ toolCalls: [callTool("a")] }]), counting);
    expect((await say(store, "go", refusing(), counting)).text).toBe("go | tool: a done");
    expect(ran).toEqual(["a"]);
  });

  test("with another message, or another image, is another message", async () => {
    const store = await createStore();
    await say(store, "look", failing("overloaded"));
    await say(store, "look again", failing("overloaded"));
    await say(store, [{ type: "text", text: "look again" }, image], failing("overloaded"));
    expect((await say(store, "look", refusing())).text).toBe("look | look again | look again | image | look");
  });
});

describe("AGT-14 texts with half a character", () => {
  test("are whole before they are kept or sent, wherever they come from", async () => {
    const store = await createStore();
    const models = createScriptedModels([
      { toolCalls: [callTool("a", { "key \ud83d": ["deep \udc00"] })], opaque: { said: "\ud83d" } },
      { text: "answer \ud83d" },
    ]);
    const dispatch: typeof echoTool = async (_context, _toolbox, { id, name }) => {
      return { callId: id, name, text: "cut \ud83d", images: [], isError: false };
    };
    await say(store, "message \ud83d", models, dispatch);
    await say(store, "next", models);
    const sent = JSON.stringify(models.requests.map(({ messages }) => messages));
    expect(sent).toContain("message \ufffd");
    expect(sent).toContain("cut \ufffd");
    // JSON.stringify writes half a character as an escape.
    expect(`${sent}${JSON.stringify(await store.load("shared"))}`).not.toMatch(/\\ud[89a-f]/);
  });

  test("that an earlier version kept are whole once they are shown", async () => {
    const store = await createStore();
    await store.append("shared", { role: "user", content: [{ type: "text", text: "old \ud83d" }] });
    const models = refusing();
    expect((await say(store, "next", models)).text).toBe("old \ufffd | next");
  });
});
