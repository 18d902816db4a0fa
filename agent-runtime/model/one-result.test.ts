// Whatever a provider does, each turn ends once, in time, and shows no key: thousands of turns against random problems.
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import { sleep } from "../../lib/process/clock.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { firstUserText } from "../../test/models/conversations.ts";
import { startModelMock, type ModelMock, type ModelMockOptions } from "../../test/models/model-mock.ts";
import { vendorErrors, type ScriptedReply } from "../../test/models/script.ts";
import { createModels, type Models } from "./models.ts";
import { readableLog, testKey, testModel, testProvider, turnRequest, userMessage } from "./testing/fixtures.ts";
import { weatherTool } from "./testing/fixtures.ts";
import { ModelError } from "./types.ts";

const seed = 20_261_121;
const graceMs = 1_000;
const kinds = ["anthropic", "openai", "openai-compatible"] as const;

interface Call {
  kind: (typeof kinds)[number];
  fallback: boolean;
  replies: ScriptedReply[];
  deadlineInMs: number;
  /** When the caller goes away; after the deadline it never does. */
  abortInMs: number;
}

/** Turns that take up to `longestMs`, when nothing ends them before. */
function arbitraryCall(longestMs: number): fc.Arbitrary<Call> {
  const duration = fc.integer({ min: 0, max: longestMs });
  const frames = fc.integer({ min: 0, max: 6 });
  const plain = fc.constantFrom<ScriptedReply>(
    { text: ["one ", "two"], usage: { input: 3, output: 2 } },
    { reasoning: "hm", toolCalls: [{ name: weatherTool.name, arguments: { place: "Bern" } }] },
    { toolCalls: [{ name: "nobody", arguments: '{"broken' }] },
    {},
  );
  const breaks = fc.oneof(
    fc.record({ cutAfterFrames: frames }),
    fc.record({ endAfterFrames: frames }),
    fc.record({ stallAfterFrames: frames }),
    fc.record({ garbageAfterFrames: frames }),
    fc.record({
      errorFrame: fc.record({
        afterFrames: frames,
        event: fc.constantFrom("error", "message"),
        data: fc.constantFrom<unknown>(
          { type: "error", error: { type: "overloaded_error", message: `for ${testKey}` } },
          { type: "error", code: `ECONNRESET ${testKey}`, message: testKey },
          { error: testKey },
          { error: { message: testKey, code: 500, param: testKey } },
          null,
        ),
      }),
    }),
  );
  const retryAfter = fc.oneof(
    fc.constantFrom("soon", "999", "0"),
    duration.map((ms) => String(ms / 1_000)),
  );
  const headers = retryAfter.map((value) => ({ "retry-after": value }));
  const statuses = fc.constantFrom(200, 204, 307, 400, 401, 404, 408, 409, 413, 422, 429, 500, 502, 503, 529);
  // Providers that say back what they were sent.
  const bodies = fc.constantFrom<unknown>(
    "",
    `<html><title>Bad ${testKey}</title></html>`,
    `{ "error": "${testKey}`,
    [],
    null,
    { error: testKey },
    {
      error: { message: `${"x".repeat(290)} ${testKey}`, type: testKey, code: `ENOTFOUND ${testKey}`, param: testKey },
    },
    { error: { message: `top_k ${testKey} is not supported`, param: "top_k" } },
    { detail: [{ loc: ["body", testKey], msg: testKey }] },
  );
  const slow = fc.record({ delayMs: duration, frameDelayMs: duration }, { requiredKeys: [] });
  const reply: fc.Arbitrary<ScriptedReply> = fc.oneof(
    plain,
    fc.tuple(plain, slow).map(([answer, delays]) => ({ ...answer, ...delays })),
    fc.tuple(plain, slow, breaks).map(([answer, delays, problem]) => ({ ...answer, ...delays, ...problem })),
    fc.record({ error: fc.constantFrom(...vendorErrors), headers, delayMs: duration }, { requiredKeys: ["error"] }),
    fc.record({ status: statuses, body: bodies, headers, delayMs: duration }, { requiredKeys: ["status", "body"] }),
    fc.constant({ body: `no stream at all, ${testKey}` }),
    fc.constant({ silent: true }),
  );
  return fc.record({
    kind: fc.constantFrom(...kinds),
    fallback: fc.boolean(),
    replies: fc.array(reply, { minLength: 1, maxLength: 3 }),
    deadlineInMs: duration,
    abortInMs: fc.integer({ min: 0, max: 4 * longestMs }),
  });
}

/** Half a key is a secret too. */
const canary = new RegExp(testKey.slice(0, 10));

class CallerGone extends Error {}

interface World {
  clock: Clock;
  mock: ModelMock;
  logText: () => string;
  /** Runs a turn of this world to its end; gives what it ended with, or that it was late. */
  run(call: Call, index: number): Promise<string>;
}

let mock: ModelMock;
afterEach(() => mock.close());

async function createWorld(
  clock: Clock,
  calls: readonly Call[],
  options: ModelMockOptions,
  inProcess: boolean,
): Promise<World> {
  const { log, text: logText } = readableLog();
  const scripts = new Map(calls.map((call, index) => [`call ${index}`, [...call.replies]]));
  mock = await startModelMock(({ body }) => scripts.get(firstUserText(body))?.shift() ?? { text: "ok" }, options);
  const { fetch } = inProcess ? mock : globalThis;
  const providers = kinds.map((kind) =>
    testProvider({ name: kind, kind, baseUrl: kind === "anthropic" ? mock.origin : mock.openaiUrl }),
  );
  const createChain = (names: readonly string[]): Models => {
    const config = { models: names.map((name) => testModel(name, "m")), providers };
    return createModels({ config, readSecret: async () => testKey, log, clock, fetch });
  };
  const alone = new Map(kinds.map((kind) => [kind, createChain([kind])]));
  const chains = new Map(kinds.map((kind) => [kind, createChain([...new Set([kind, ...kinds])])]));
  return {
    clock,
    mock,
    logText,
    async run({ kind, fallback, deadlineInMs, abortInMs }, index) {
      const models = (fallback ? chains : alone).get(kind);
      const caller = new AbortController();
      const late = Promise.withResolvers<string>();
      const timers = [
        clock.schedule(abortInMs, () => caller.abort(new CallerGone())),
        // Timers come in order even where the process gets no time to run: only a turn that is really late loses.
        clock.schedule(Math.min(deadlineInMs, abortInMs) + graceMs, () => late.resolve("late")),
      ];
      const messages = [userMessage(`call ${index}`)];
      const limits = { deadlineMs: clock.now() + deadlineInMs, signal: caller.signal };
      const turn = models?.turn(turnRequest({ messages, tools: [weatherTool], ...limits }));
      const outcome = await Promise.race([turn?.then(() => "answer", describeError), late.promise]);
      for (const timer of timers) timer.cancel();
      return outcome ?? "no models";
    },
  };
}

/** Anything but a ModelError and the caller's own reason would be a problem of ours. */
function describeError(error: unknown): string {
  if (error instanceof CallerGone) return "abort";
  if (!(error instanceof ModelError)) throw error;
  for (let shown: unknown = error; shown instanceof Error; shown = shown.cause) {
    if (canary.test(`${shown.stack} ${JSON.stringify(shown)}`)) {
      throw new Error("an error shows the key", { cause: error });
    }
  }
  return error.kind;
}

/** Every exchange ended, by the mock or by us, and none began after its turn had. */
function expectNothingOpen(journal: ModelMock["journal"]) {
  const open = journal.filter((entry) => entry.endedAtMs === undefined && entry.closedByClientAtMs === undefined);
  expect(open).toEqual([]);
}

// The libraries are loaded when first used, in real time, which is no matter of the turns.
beforeAll(async () => void (await import("./ai-sdk.ts")));

describe("AGT-7 BRR-4 each turn ends once, none later than a second after its deadline, and no text shows a key", () => {
  test("9,000 turns on an injected clock", { timeout: 600_000 }, async () => {
    const clock = new ManualClock();
    const calls = fc.sample(arbitraryCall(200_000), { numRuns: 9_000, seed });
    const wait: NonNullable<ModelMockOptions["clock"]>["wait"] = (ms, signal) => sleep(clock, ms, signal);
    const world = await createWorld(clock, calls, { clock: { now: () => clock.now(), wait } }, true);
    const outcomes = new Map<string, number>();
    for (let first = 0; first < calls.length; first += 300) {
      const open = new Set<number>();
      const wave = calls.slice(first, first + 300).map(async (call, offset) => {
        open.add(offset);
        const outcome = await world.run(call, first + offset).finally(() => open.delete(offset));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        expect(outcome, `call ${first + offset}`).not.toBe("late");
      });
      const all = Promise.all(wave);
      for (let idle = 0; open.size > 0 && idle < 1_000;) {
        await setImmediate();
        await setImmediate();
        const [nextMs] = clock.pending;
        idle = nextMs === undefined ? idle + 1 : 0;
        // Steps of a quarter of the grace: a turn is looked at no later than that after its time.
        await clock.advance(nextMs === undefined ? 0 : Math.max(nextMs, graceMs / 4));
      }
      expect([...open], "turns that never end").toEqual([]);
      await all;
      expect(clock.pending).toEqual([]);
    }
    expect([...outcomes.values()].reduce((sum, count) => sum + count)).toBe(9_000);
    // All that can happen did.
    for (const outcome of ["answer", "abort", "auth", "not_found", "quota", "rate_limit", "overloaded", "network"]) {
      expect(outcomes.get(outcome), outcome).toBeGreaterThan(20);
    }
    expectNothingOpen(world.mock.journal);
    expect(world.logText()).not.toMatch(canary);
  });

  test("1,000 turns over sockets in real time", { timeout: 600_000 }, async () => {
    const calls = fc.sample(arbitraryCall(1_200), { numRuns: 1_000, seed });
    const world = await createWorld(systemClock, calls, {}, false);
    const queue = [...calls.entries()];
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        expect(await world.run(next[1], next[0]), `call ${next[0]}`).not.toBe("late");
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));
    await expect
      .poll(() => world.mock.journal.filter((entry) => entry.endedAtMs ?? entry.closedByClientAtMs).length, {
        timeout: 10_000,
      })
      .toBe(world.mock.journal.length);
  });
});
