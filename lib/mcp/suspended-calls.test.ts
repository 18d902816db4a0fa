import { describe, expect, test } from "vitest";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";
import type { Question } from "./asking.ts";
import { createSuspendedCalls, type Attachment, type CallParts, type Outcome } from "./suspended-calls.ts";
import type { ToolResult } from "./table.ts";

const can = { form: true, url: false, sampling: false };
const question = (message: string): Question => ({ method: "elicitation/create", params: { message } });
const result = (value: unknown): ToolResult => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const limits = { max: 2, ttlMs: 1_000 };

function on(fields: Partial<Attachment> = {}) {
  const sent: object[] = [];
  const notifyProgress = async (params: object) => void sent.push(params);
  const request = {
    caller: { subject: "anna" },
    signal: new AbortController().signal,
    progressToken: "p1",
    notifyProgress,
  };
  return { ...request, ...fields, sent };
}

function start() {
  const clock = new ManualClock();
  const calls = createSuspendedCalls(limits, clock);
  const parts: CallParts[] = [];
  const begin = (messages: string[], request = on()) =>
    calls.begin(
      can,
      async (own) => {
        parts.push(own);
        const { asking, signal } = own;
        return result(await Promise.all(messages.map((message) => asking.ask(question(message), signal))));
      },
      request,
    );
  return { clock, calls, begin, parts };
}

function asked(outcome: Outcome) {
  if ("result" in outcome) throw new Error("expected questions, found a result");
  return outcome;
}

describe("AGT-6 a call that asks its caller in the 2026 era", () => {
  test("ends its request with all questions, and goes on with the request that brings the answers", async () => {
    const { calls, begin } = start();
    const { questions, state } = asked(await begin(["a", "b"]));
    expect(Object.values(questions)).toEqual([question("a"), question("b")]);
    const answers = Object.fromEntries(Object.keys(questions).map((key) => [key, { action: "accept", key }]));
    const outcome = await calls.resume(state, answers, on());
    expect(outcome).toEqual({ result: result(Object.values(answers)) });
  });

  test("asks again for what was not answered, and takes no answer that is none", async () => {
    const { calls, begin } = start();
    const first = asked(await begin(["a", "b"]));
    const [a = "", b = ""] = Object.keys(first.questions);
    const second = asked(await calls.resume(first.state, { [a]: { action: "decline" }, [b]: "yes", other: {} }, on()));
    expect(second.questions).toEqual({ [b]: question("b") });
    expect(await calls.resume(second.state, { [b]: { action: "cancel" } }, on())).toHaveProperty("result");
  });

  test("that ends without asking is answered at once", async () => {
    const { begin } = start();
    expect(await begin([])).toEqual({ result: result([]) });
  });

  test("is not gone on with by another caller, and still is by its own", async () => {
    const { calls, begin } = start();
    const { state } = asked(await begin(["a"]));
    await expect(calls.resume(state, {}, on({ caller: { subject: "bert" } }))).rejects.toThrow(
      "names no call that waits",
    );
    expect(await calls.resume(state, {}, on())).toHaveProperty("questions");
  });

  test("is gone on with once by each state, and by no other", async () => {
    const { calls, begin } = start();
    const { state, questions } = asked(await begin(["a"]));
    const answers = { [Object.keys(questions)[0] ?? ""]: { action: "cancel" } };
    await expect(calls.resume(`${state}0`, answers, on())).rejects.toThrow("names no call that waits");
    await calls.resume(state, answers, on());
    await expect(calls.resume(state, answers, on())).rejects.toThrow("names no call that waits");
  });

  test("is ended when its caller does not come back in time, and not a moment before", async () => {
    const { clock, calls, begin, parts } = start();
    const { state } = asked(await begin(["a"]));
    await clock.advance(limits.ttlMs - 1);
    expect(parts[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(parts[0]?.signal.reason).toMatchObject({ message: "the caller did not come back with an answer" });
    await expect(calls.resume(state, {}, on())).rejects.toThrow("names no call that waits");
  });

  test("is ended when its caller drops the request, but not when the request had its answer", async () => {
    const { begin, parts } = start();
    const answered = new AbortController();
    await begin(["a"], on({ signal: answered.signal }));
    answered.abort();
    expect(parts[0]?.signal.aborted).toBe(false);
    const { calls } = start();
    const dropped = new AbortController();
    const seen = calls.begin(
      can,
      ({ signal }) =>
        new Promise<ToolResult>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
      on({ signal: dropped.signal }),
    );
    dropped.abort();
    await expect(seen).rejects.toThrow("the caller is gone");
  });

  test("may ask while others wait up to the limit, and not beyond it", async () => {
    const { begin } = start();
    await begin(["a"]);
    await begin(["b"]);
    await expect(begin(["c"])).rejects.toThrow("too many calls are waiting");
  });

  test("sends its progress on the request that is there, by that one's token, and nowhere in between", async () => {
    const { calls, begin, parts } = start();
    const first = on();
    const { state, questions } = asked(await begin(["a"], first));
    await parts[0]?.notifyProgress({ progressToken: "p1", progress: 1 });
    const second = on({ progressToken: 7 });
    const resumed = calls.resume(state, {}, second);
    await parts[0]?.notifyProgress({ progressToken: "p1", progress: 2 });
    await resumed;
    expect(first.sent).toEqual([]);
    expect(second.sent).toEqual([{ progressToken: 7, progress: 2 }]);
    expect(questions).not.toEqual({});
  });

  test("sends the progress that it makes before anything else", async () => {
    const { calls } = start();
    const request = on();
    const outcome = calls.begin(
      can,
      async ({ notifyProgress }) => {
        await notifyProgress({ progressToken: "p1", progress: 1 });
        return result("done");
      },
      request,
    );
    expect(await outcome).toEqual({ result: result("done") });
    expect(request.sent).toEqual([{ progressToken: "p1", progress: 1 }]);
  });

  test("is ended with the endpoint", async () => {
    const { calls, begin, parts } = start();
    await begin(["a"]);
    calls.close();
    await settle();
    expect(parts[0]?.signal.aborted).toBe(true);
  });
});
