// The keyless models, which remember nothing.
import { describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { builtInTurn, slowAnswerMs } from "./built-in.ts";
import { testModel, turnRequest, userMessage } from "./testing/fixtures.ts";
import type { ModelMessage, TurnResult } from "./types.ts";

const clock = new ManualClock();
const pass = (...messages: ModelMessage[]) =>
  builtInTurn("passthrough", turnRequest({ messages }), testModel("passthrough", "passthrough"), clock);
const play = (...messages: ModelMessage[]) =>
  builtInTurn("playback", turnRequest({ messages }), testModel("playback", "playback"), clock);

const said = ({ text, toolCalls }: TurnResult): ModelMessage => ({ role: "assistant", text, toolCalls });
const returned = (turn: TurnResult, ...texts: string[]): ModelMessage => ({
  role: "tool",
  results: turn.toolCalls.map(({ id, name }, index) => ({
    callId: id,
    name,
    text: texts[index] ?? "",
    images: [],
    isError: false,
  })),
});

describe("CFG-2 passthrough", () => {
  test("echoes the joined text of the last user message; images add nothing", async () => {
    const image = { type: "image" as const, data: "aGVsbG8=", mimeType: "image/png" };
    const parts: ModelMessage = {
      role: "user",
      content: [{ type: "text", text: "a" }, image, { type: "text", text: "b" }],
    };
    expect(await pass(userMessage("old"), parts)).toMatchObject({
      text: "a\nb",
      stopReason: "end",
      model: "passthrough",
    });
  });

  test("one character is one token", async () => {
    expect((await pass(userMessage("hello"))).usage).toEqual({ input: 5, output: 5 });
  });

  test("***CALL_TOOL makes one call, and its result's text is the answer", async () => {
    const ask = userMessage('***CALL_TOOL argos__search {"q": "x"}');
    const turn = await pass(ask);
    expect(turn).toMatchObject({
      text: "",
      stopReason: "tool-calls",
      toolCalls: [{ id: "correlationId0", name: "argos__search", arguments: { q: "x" } }],
    });
    expect(await pass(ask, said(turn), returned(turn, "found"))).toMatchObject({ text: "found", stopReason: "end" });
  });

  test("several lines make parallel calls, their texts are joined", async () => {
    const ask = userMessage('***CALL_TOOL a {"n":1}\n***CALL_TOOL b\n***CALL_TOOL c {\n "n": 3\n}');
    const turn = await pass(ask);
    expect(turn.toolCalls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["a", { n: 1 }],
      ["b", {}],
      ["c", { n: 3 }],
    ]);
    expect((await pass(ask, said(turn), returned(turn, "1", "2", "3"))).text).toBe("1 2 3");
  });

  test("ids go on counting within one conversation", async () => {
    const ask = userMessage("***CALL_TOOL a {}");
    const first = await pass(ask);
    const second = await pass(ask, said(first), returned(first, "x"), ask);
    expect(second.toolCalls[0]?.id).toBe("correlationId1");
  });

  test("text after the JSON of a call is not part of it; broken JSON is marked", async () => {
    expect((await pass(userMessage('***CALL_TOOL a {"n":1}\nthanks'))).toolCalls[0]?.arguments).toEqual({ n: 1 });
    expect((await pass(userMessage("***CALL_TOOL a {oops"))).toolCalls[0]).toMatchObject({
      malformed: expect.any(String),
    });
    expect((await pass(userMessage("say ***CALL_TOOL a {}"))).toolCalls).toEqual([]);
  });

  test("***FIXED_RESPONSE sticks for the history, the latest one wins, and calls still work", async () => {
    const fix = userMessage("***FIXED_RESPONSE forty two");
    expect((await pass(fix)).text).toBe("forty two");
    expect((await pass(fix, userMessage("hi"))).text).toBe("forty two");
    expect((await pass(fix, userMessage("***FIXED_RESPONSE other"), userMessage("hi"))).text).toBe("other");
    expect((await pass(fix, userMessage("***CALL_TOOL a {}"))).toolCalls).toHaveLength(1);
    expect((await pass(userMessage("hi"))).text).toBe("hi");
  });
});

describe("CFG-2 playback", () => {
  test("loads first, then plays the recorded answers, then says it is exhausted", async () => {
    const recording: ModelMessage[] = [
      userMessage("q1"),
      { role: "assistant", text: "a1", toolCalls: [] },
      userMessage("q2"),
      { role: "assistant", text: "a2", toolCalls: [] },
      userMessage("go"),
    ];
    const messages = [...recording];
    const texts: string[] = [];
    for (let call = 0; call < 5; call += 1) {
      const turn = await play(...messages);
      texts.push(turn.text);
      messages.push(said(turn), userMessage("next"));
    }
    expect(texts).toEqual([
      "HISTORY LOADED (5) messages",
      "a1",
      "a2",
      "MESSAGES EXHAUSTED (list size [5]) (1 overage)",
      "MESSAGES EXHAUSTED (list size [5]) (2 overage)",
    ]);
  });

  test("a recording can be given as one message", async () => {
    const ask = userMessage("---USER\nq\n---ASSISTANT\nthe answer\n");
    const loaded = await play(ask);
    expect(loaded.text).toBe("HISTORY LOADED (2) messages");
    expect((await play(ask, said(loaded), userMessage("next"))).text).toBe("the answer");
  });
});

describe("CFG-2 slow", () => {
  const slow = (signal: AbortSignal) =>
    builtInTurn("slow", turnRequest({ messages: [userMessage("hi")], signal }), testModel("slow", "slow"), clock);

  test("echoes after three seconds and not before", async () => {
    const settled = vi.fn();
    const turn = slow(new AbortController().signal);
    void turn.then(settled);
    await clock.advance(slowAnswerMs - 1);
    expect(settled).not.toHaveBeenCalled();
    await clock.advance(1);
    await expect(turn).resolves.toMatchObject({ text: "hi" });
  });

  test("AGT-8 ends at once when aborted", async () => {
    const controller = new AbortController();
    const turn = slow(controller.signal);
    controller.abort(new Error("enough"));
    await expect(turn).rejects.toThrow("enough");
    expect(clock.pending).toEqual([]);
  });
});
