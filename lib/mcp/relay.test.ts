import { describe, expect, test } from "vitest";
import type { Ask, Question } from "./asking.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";
import { answerTimeoutMs, maxQuestionBytes, maxQuestions, relayQuestions } from "./relay.ts";

const all = { form: true, url: true, sampling: true };
const { signal } = new AbortController();
const form = (message: string): Question => ({ method: "elicitation/create", params: { message } });
const answered: Ask = async () => ({ action: "accept" });
const relay = (ask: Ask = answered, clock = new ManualClock()) => relayQuestions("argos", { can: all, ask }, clock);

describe("MGM-7 a question on its way to the caller", () => {
  test("may be as large as the limit with its label, and one byte more is refused", async () => {
    const room = maxQuestionBytes - Buffer.byteLength(JSON.stringify({ message: "argos asks: " }));
    await expect(relay()(form("x".repeat(room)), signal)).resolves.toEqual({ action: "accept" });
    await expect(relay()(form("x".repeat(room + 1)), signal)).rejects.toThrow(`has ${maxQuestionBytes + 1} bytes`);
  });

  test("may have an answer as large, and one byte more is refused", async () => {
    const answerOf = (bytes: number) => ({ action: "accept", content: "x".repeat(bytes) });
    const rest = Buffer.byteLength(JSON.stringify(answerOf(0)));
    await expect(relay(async () => answerOf(maxQuestionBytes - rest))(form("a"), signal)).resolves.toBeDefined();
    const larger = relay(async () => answerOf(maxQuestionBytes - rest + 1))(form("a"), signal);
    await expect(larger).rejects.toThrow(`the answer has ${maxQuestionBytes + 1} bytes`);
  });

  test("may be followed by others up to the limit of a call", async () => {
    const ask = relay();
    for (let asked = 0; asked < maxQuestions; asked += 1) await ask(form("a"), signal);
    await expect(ask(form("a"), signal)).rejects.toThrow(`may ask its caller ${maxQuestions} times`);
  });

  test("is withdrawn when it has no answer in time: a form counts as dismissed, sampling as failed", async () => {
    const signals: AbortSignal[] = [];
    const silent: Ask = (_question, asked) => {
      signals.push(asked);
      return new Promise(() => undefined);
    };
    const clock = new ManualClock();
    const filled = relay(silent, clock)(form("a"), signal);
    const sampled = relay(silent, clock)({ method: "sampling/createMessage", params: {} }, signal);
    sampled.catch(() => undefined);
    await settle();
    await clock.advance(answerTimeoutMs - 1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    await clock.advance(1);
    expect(await filled).toEqual({ action: "cancel" });
    await expect(sampled).rejects.toThrow("did not answer within 300 s");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test("that the caller cannot answer never reaches it", async () => {
    const asked: Question[] = [];
    const ask: Ask = async (question) => (asked.push(question), {});
    const none = relayQuestions("argos", { can: { form: false, url: true, sampling: false }, ask }, new ManualClock());
    await expect(none(form("a"), signal)).rejects.toThrow("which this client never gives");
    await expect(none({ method: "sampling/createMessage", params: {} }, signal)).rejects.toThrow("never gives");
    await none({ method: "elicitation/create", params: { mode: "url", message: "a", url: "https://a" } }, signal);
    expect(asked).toHaveLength(1);
  });
});
