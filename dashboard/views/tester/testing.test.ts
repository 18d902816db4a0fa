import { describe, expect, it } from "vitest";
import type { Rest, RestRequest } from "../../connect/rest.ts";
import { Problem } from "../../connect/problem.ts";
import { parseDraft } from "../../parts/schema-form/json-text.ts";
import { createAnnouncer } from "../../shell/announcer.ts";
import { createFakeTime } from "../../testing/fake-time.ts";
import { signal } from "@preact/signals";
import type { FeedSocketOptions } from "./feed-socket.ts";
import type { PastCall, TesterMemory } from "./memory.ts";
import { draftKey, Testing } from "./testing.ts";

const request = { kind: "tools", name: "pay", args: parseDraft('{"n":18.40}') } as const;
const form = { kind: "tools", name: "pay", value: request.args } as const;
const ts = "2026-11-24T12:00:00.000Z";
const settle = () => new Promise((resolve) => void setTimeout(resolve, 0));

function open() {
  const time = createFakeTime();
  const announcer = createAnnouncer(time);
  const memory: TesterMemory = {
    subject: "ann",
    past: signal<readonly PastCall[]>([]),
    shown: signal<PastCall | undefined>(undefined),
    drafts: new Map(),
  };
  const asked: { path: string; body: unknown }[] = [];
  const state = { questions: [] as object[], fails: false };
  const rest: Rest = async <T>({ path, body, schema }: RestRequest<T>) => {
    if (state.fails) throw new Problem("refused", "no");
    asked.push({ path, body });
    return schema.parse(path.endsWith("/elicitations") ? { entries: state.questions } : { ok: true });
  };
  const answers: { signal: AbortSignal | null | undefined; body: unknown; resolve(response: Response): void }[] = [];
  const fetch = (_: string | URL, init: RequestInit = {}) =>
    new Promise<Response>((resolve, reject) => {
      init.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      answers.push({ signal: init.signal, body: init.body, resolve });
    });
  let socket: FeedSocketOptions | undefined;
  const testing = new Testing({
    ...{ server: "bank", origin: "http://gateway", fetch, rest, time, announcer, memory },
    openSocket: (options) => {
      socket = options;
      return () => (socket = undefined);
    },
  });
  const close = testing.open("token");
  const hear = (message: object) => socket?.onMessage(JSON.stringify(message));
  const says = (method: string, params: object = {}) =>
    hear({ type: "notification", serverName: "bank", method, params, ts });
  const connect = (isOpen: boolean) => socket?.onOpen(isOpen);
  return {
    testing,
    memory,
    time,
    announcer,
    asked,
    answers,
    state,
    hear,
    says,
    connect,
    close,
    isListening: () => socket !== undefined,
  };
}

const question = (id: string, expiresAt: number) => ({
  id,
  serverName: "bank",
  kind: "elicitation",
  createdAt: 0,
  expiresAt,
});

describe("a server that is tried", () => {
  it("is asked with the digits that were written, and what came back is shown, kept and told", async () => {
    const { testing, memory, announcer, answers, time } = open();
    const ran = testing.run(request, form);
    expect(testing.running.value).toEqual(request);
    expect(answers[0]?.body).toBe('{"tool":"pay","args":{"n":18.40}}');
    time.advance(212);
    answers[0]?.resolve(Response.json({ content: [{ type: "text", text: "ok" }] }));
    await ran;
    expect(testing.running.value).toBeUndefined();
    expect(memory.past.value).toMatchObject([{ key: 1, server: "bank", durationMs: 212, outcome: { kind: "result" } }]);
    expect(memory.shown.value).toBe(memory.past.value[0]);
    expect(announcer.polite.value).toBe("pay answered in 0.2 s.");
  });

  it("is asked one thing at a time", async () => {
    const { testing, answers } = open();
    const ran = testing.run(request, form);
    await testing.run(request, form);
    expect(answers).toHaveLength(1);
    answers[0]?.resolve(Response.json({}));
    await ran;
  });

  it("says what was outstanding and what came last where somebody stops waiting", async () => {
    const { testing, memory, hear } = open();
    const ran = testing.run(request, form);
    hear({ type: "progress", serverName: "bank", payload: { progress: 1, total: 3 }, ts });
    testing.stop();
    await ran;
    expect(memory.shown.value).toMatchObject({ outcome: { kind: "cancelled" }, lastHeard: "progress 1 of 3" });
  });

  it("fills in a form again from an earlier call", async () => {
    const { testing, memory, answers } = open();
    const ran = testing.run(request, form);
    answers[0]?.resolve(Response.json({}));
    await ran;
    const [call] = memory.past.value;
    memory.shown.value = undefined;
    if (call !== undefined) testing.refill(call);
    expect(memory.drafts.get(draftKey("bank", "tools", "pay"))).toBe(form.value);
    expect([memory.shown.value, testing.refills.value]).toEqual([call, 1]);
  });
});

describe("what came by", () => {
  it("waits while somebody reads, and comes in its order after that", () => {
    const { testing, says } = open();
    says("notifications/a");
    testing.pause(true);
    says("notifications/b");
    says("notifications/c");
    expect([testing.lines.value.map(({ text }) => text), testing.held.value]).toEqual([["a"], 2]);
    testing.pause(false);
    expect([testing.lines.value.map(({ text }) => text), testing.held.value]).toEqual([["c", "b", "a"], 0]);
    testing.clear();
    expect(testing.lines.value).toEqual([]);
  });

  it("that waits has an end too: the oldest go", () => {
    const { testing, says } = open();
    testing.pause(true);
    for (let n = 0; n <= 500; n += 1) says(`notifications/${n}`);
    expect(testing.held.value).toBe(500);
    testing.pause(false);
    expect(testing.lines.value.at(-1)?.text).toBe("1");
  });

  it("says when the feed is interrupted, and stops listening with the view", () => {
    const { testing, connect, close, isListening } = open();
    connect(false);
    expect(testing.isFeedLost.value).toBe(true);
    connect(true);
    expect(testing.isFeedLost.value).toBe(false);
    close();
    expect(isListening()).toBe(false);
  });

  it("counts changes of resources that are followed, and has lists read again that changed", async () => {
    const { testing, says, asked } = open();
    says("notifications/resources/updated", { uri: "u:1" });
    await testing.follow("u:1", true);
    expect(asked.at(-1)).toEqual({ path: "/api/servers/bank/resource/subscribe", body: { uri: "u:1" } });
    says("notifications/resources/updated", { uri: "u:1" });
    says("notifications/resources/updated", { uri: "u:2" });
    expect([...testing.updates.value]).toEqual([["u:1", 1]]);
    await testing.follow("u:1", false);
    expect([...testing.updates.value]).toEqual([]);
    says("notifications/tools/list_changed");
    expect(testing.offerChanges.value).toBe(1);
  });
});

describe("a question of the server", () => {
  it("is read when the feed tells of it, said, answered, and gone when its time is over", async () => {
    const { testing, state, says, time, asked, announcer } = open();
    state.questions = [question("q1", time.now() + 60_000), question("q2", time.now() + 90_000)];
    says("elicitation/create");
    await settle();
    expect(testing.questions.value.map(({ id }) => id)).toEqual(["q1", "q2"]);
    expect(announcer.polite.value).toBe("bank asks something.");
    const [first] = testing.questions.value;
    if (first !== undefined) await testing.answer(first, "accept", parseDraft('{"account":"4711"}'));
    expect(asked.at(-1)).toEqual({
      path: "/api/servers/bank/elicitations/q1/respond",
      body: { action: "accept", content: { account: "4711" } },
    });
    expect(testing.questions.value.map(({ id }) => id)).toEqual(["q2"]);
    state.questions = [];
    time.advance(60_400);
    await settle();
    expect(testing.questions.value).toHaveLength(1);
    time.advance(200);
    await settle();
    expect(testing.questions.value).toEqual([]);
  });

  it("stays where it cannot be answered, and where it cannot be read again", async () => {
    const { testing, state, says, time } = open();
    state.questions = [question("q1", time.now() + 60_000)];
    says("elicitation/create");
    await settle();
    state.fails = true;
    const [first] = testing.questions.value;
    const answered = first === undefined ? Promise.resolve() : testing.answer(first, "decline");
    await expect(answered).rejects.toThrow("no");
    says("elicitation/create");
    await settle();
    expect(testing.questions.value).toHaveLength(1);
  });
});
