import { describe, expect, it } from "vitest";
import type { Question } from "../../lib/mcp/asking.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createQuestions, questionBounds } from "./questions.ts";

const never = new AbortController().signal;
const form = (params: Record<string, unknown> = {}): Question => ({
  method: "elicitation/create",
  params: { message: "m", requestedSchema: { type: "object", properties: {} }, ...params },
});
const sampling: Question = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
const open = (bounds = questionBounds) => {
  const clock = new ManualClock();
  return { clock, questions: createQuestions("s", clock, bounds) };
};
const firstId = (questions: ReturnType<typeof createQuestions>) => questions.list()[0]?.id ?? "";

describe("DSC-9 a question that waits for a person", () => {
  it("is dismissed when its time is over, and not a moment before", async () => {
    const { clock, questions } = open();
    const asked = questions.ask(form(), never);
    await clock.advance(questionBounds.answerTimeoutMs - 1);
    expect(questions.list()).toHaveLength(1);
    await clock.advance(1);
    await expect(asked).resolves.toEqual({ action: "cancel" });
    expect(questions.list()).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  it("is one of sixteen; the next is refused", async () => {
    const { questions } = open();
    const asked = Array.from({ length: 16 }, () => questions.ask(form(), never));
    expect(questions.list()).toHaveLength(16);
    await expect(questions.ask(form(), never)).rejects.toThrow("at most 16");
    for (const { id } of questions.list()) questions.answer(id, { action: "decline" });
    await expect(Promise.all(asked)).resolves.toHaveLength(16);
  });

  it("has so many characters at most", async () => {
    const { questions } = open({ ...questionBounds, maxChars: 100 });
    const fixed = JSON.stringify(form({ message: "" }).params).length;
    void questions.ask(form({ message: "x".repeat(100 - fixed) }), never);
    expect(questions.list()).toHaveLength(1);
    await expect(questions.ask(form({ message: "x".repeat(101 - fixed) }), never)).rejects.toThrow("at most 100");
  });

  it("goes with what it was asked for", async () => {
    const { clock, questions } = open();
    const gone = new AbortController();
    const asked = questions.ask(form(), gone.signal);
    gone.abort(new Error("gone"));
    await expect(asked).rejects.toThrow("gone");
    expect(questions.list()).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  it("keeps its own id and times, whatever the server calls them", () => {
    const { questions } = open();
    void questions.ask(form({ id: "1", kind: "x", serverName: "bank", createdAt: 0 }), never);
    const [shown] = questions.list();
    expect(shown).toMatchObject({ kind: "elicitation", serverName: "s" });
    expect(shown?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(shown?.createdAt).toBeGreaterThan(0);
  });

  it("is declined without content", async () => {
    const { questions } = open();
    const asked = questions.ask(form(), never);
    questions.answer(firstId(questions), { action: "decline", content: { a: 1 } });
    await expect(asked).resolves.toEqual({ action: "decline" });
  });

  it("that names a URL is accepted without content", async () => {
    const { questions } = open();
    const asked = questions.ask(form({ mode: "url", url: "https://example.com" }), never);
    expect(questions.list()[0]).toMatchObject({ mode: "url", url: "https://example.com" });
    questions.answer(firstId(questions), { action: "accept" });
    await expect(asked).resolves.toEqual({ action: "accept" });
  });

  it.each([
    ["hello", { role: "assistant", model: "by hand", content: { type: "text", text: "hello" } }],
    [
      { content: { type: "text", text: "hi" }, model: "me", stopReason: "endTurn" },
      { role: "assistant", model: "me", content: { type: "text", text: "hi" }, stopReason: "endTurn" },
    ],
  ])("for a model is answered with %j", async (content, result) => {
    const { questions } = open();
    const asked = questions.ask(sampling, never);
    questions.answer(firstId(questions), { action: "accept", content });
    await expect(asked).resolves.toEqual(result);
  });

  it.each([
    [undefined],
    [{}],
    [{ content: { type: "text" } }],
    [{ content: "a", model: 1 }],
    [{ content: "a", role: "x" }],
  ])("for a model is not answered with %j, and waits on", (content) => {
    const { questions } = open();
    void questions.ask(sampling, never);
    expect(() => questions.answer(firstId(questions), { action: "accept", content })).toThrow("the model's answer");
    expect(questions.list()).toHaveLength(1);
  });
});
