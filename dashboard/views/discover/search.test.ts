// The search as one types: when it is asked, and that an older answer never takes the place of a newer one.
import { describe, expect, it } from "vitest";
import { Problem } from "../../connect/problem.ts";
import { createFakeTime } from "../../testing/fake-time.ts";
import type { Intent } from "./found.ts";
import { afterKeyMs, createSearch } from "./search.ts";

const intentOf = (question: string): Intent => ({
  question,
  best: undefined,
  others: [],
  topScore: 0,
  hint: "",
  isDegraded: false,
  raw: {},
});

function open() {
  const time = createFakeTime();
  const asked: { questions: readonly string[]; signal: AbortSignal; resolve(): void; reject(error: Error): void }[] =
    [];
  const told: string[] = [];
  const search = createSearch({
    time,
    ask(questions, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly Intent[]>();
      asked.push({ questions, signal, resolve: () => resolve(questions.map(intentOf)), reject });
      return promise;
    },
    onAsk: (text) => told.push(text),
  });
  const found = () => search.state.peek().intents?.map(({ question }) => question);
  return { time, asked, told, search, found };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a search", () => {
  it("is asked a moment after the last key, once", () => {
    const { time, asked, search } = open();
    search.type("r");
    time.advance(afterKeyMs - 1);
    search.type("roll");
    time.advance(afterKeyMs - 1);
    expect(asked).toHaveLength(0);
    time.advance(1);
    expect(asked.map(({ questions }) => questions)).toEqual([["roll"]]);
  });

  it("is asked at once on Enter, and not again by the key before", () => {
    const { time, asked, search } = open();
    search.type("roll dice");
    search.now("roll dice");
    time.advance(afterKeyMs);
    expect(asked).toHaveLength(1);
  });

  it("is not asked again for white space", () => {
    const { time, asked, search } = open();
    search.now("roll");
    search.type("roll ");
    time.advance(afterKeyMs);
    expect(asked).toHaveLength(1);
  });

  it("asks a line each", () => {
    const { asked, search } = open();
    search.now("roll dice\nlist files");
    expect(asked[0]?.questions).toEqual(["roll dice", "list files"]);
  });
});

describe("an answer", () => {
  it("of an older question is dropped, and its request ended", async () => {
    const { asked, search, found } = open();
    search.now("old");
    search.now("new");
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[1]?.resolve();
    await settled();
    asked[0]?.resolve();
    await settled();
    expect(found()).toEqual(["new"]);
  });

  it("stays while the next question is asked, and says how long it took", async () => {
    const { time, asked, search, found } = open();
    search.now("first");
    time.advance(12);
    asked[0]?.resolve();
    await settled();
    expect([search.state.peek().tookMs, search.state.peek().isAsking]).toEqual([12, false]);
    search.now("second");
    expect([found(), search.state.peek().isAsking]).toEqual([["first"], true]);
  });

  it("that failed is a problem, which the next question takes away", async () => {
    const { asked, search, found } = open();
    search.now("x");
    asked[0]?.reject(new Problem("refused", "the query is empty"));
    await settled();
    expect([search.state.peek().problem?.message, found()]).toEqual(["the query is empty", undefined]);
    search.now("y");
    expect(search.state.peek().problem).toBeUndefined();
  });

  it("is taken away with the question", async () => {
    const { asked, search, found, told } = open();
    search.now("x");
    asked[0]?.resolve();
    await settled();
    search.now("  ");
    expect([found(), search.state.peek().asked, asked.length, told]).toEqual([undefined, "", 1, ["x", "  "]]);
  });

  it("after the view went changes nothing", async () => {
    const { time, asked, search, found } = open();
    search.type("x");
    search.stop();
    time.advance(afterKeyMs);
    expect(asked).toHaveLength(0);
    search.now("y");
    search.stop();
    asked[0]?.resolve();
    await settled();
    expect(found()).toBeUndefined();
  });
});
