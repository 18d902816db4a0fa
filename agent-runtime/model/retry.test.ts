// The limits of trying again.
import { describe, expect, test, vi } from "vitest";
import { defined } from "../../lib/process/defined.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { maxWaitMs, maxTries, withRetries } from "./retry.ts";
import { ModelError, type ModelErrorKind } from "./types.ts";

const problem = (kind: ModelErrorKind, retryAfterMs?: number) =>
  new ModelError("x", { kind, provider: "p", ...defined({ retryAfterMs }) });

/** Runs with every wait passed over; gives the waits. */
async function run(problems: ModelError[], options: { random?: number; deadlineInMs?: number } = {}) {
  const clock = new ManualClock();
  const waits: number[] = [];
  let tries = 0;
  const result = withRetries(
    async () => {
      const next = problems[tries++];
      if (next !== undefined) throw next;
      return "ok";
    },
    {
      clock,
      random: () => options.random ?? 0.5,
      signal: new AbortController().signal,
      deadlineMs: options.deadlineInMs === undefined ? undefined : clock.now() + options.deadlineInMs,
      onRetry: (_error, waitMs) => {
        waits.push(waitMs);
        void clock.advance(waitMs);
      },
    },
  );
  return { outcome: await result.catch((error: unknown) => error), waits, tries };
}

describe("AGT-7 retries", () => {
  test(`${maxTries} tries at most`, async () => {
    expect((await run([problem("overloaded"), problem("network")])).outcome).toBe("ok");
    const { outcome, tries } = await run(Array.from({ length: maxTries }, () => problem("overloaded")));
    expect(outcome).toBeInstanceOf(ModelError);
    expect(tries).toBe(maxTries);
  });

  test.each([
    "auth",
    "not_found",
    "quota",
    "context_overflow",
    "unsupported_param",
    "invalid_request",
    "invalid_response",
  ] as const)("%s is final", async (kind) => {
    expect((await run([problem(kind)])).tries).toBe(1);
  });

  test("waits double and spread by a quarter", async () => {
    const problems = [problem("network"), problem("network")];
    expect((await run(problems)).waits).toEqual([1_000, 2_000]);
    expect((await run(problems, { random: 0 })).waits).toEqual([750, 1_500]);
    expect((await run(problems, { random: 1 })).waits).toEqual([1_250, 2_500]);
  });

  test("the longest Retry-After is waited for, one millisecond more is not", async () => {
    expect((await run([problem("rate_limit", maxWaitMs)])).outcome).toBe("ok");
    expect((await run([problem("rate_limit", maxWaitMs + 1)])).tries).toBe(1);
  });

  test("a wait that ends at the deadline does not begin, one that ends before it does", async () => {
    expect((await run([problem("rate_limit", 500)], { deadlineInMs: 501 })).outcome).toBe("ok");
    expect((await run([problem("rate_limit", 500)], { deadlineInMs: 500 })).tries).toBe(1);
  });

  test("what is no ModelError is not tried again", async () => {
    const attempt = vi.fn(async () => {
      throw new TypeError("a bug");
    });
    const options = {
      clock: new ManualClock(),
      random: Math.random,
      signal: new AbortController().signal,
      deadlineMs: undefined,
      onRetry: vi.fn(),
    };
    await expect(withRetries(attempt, options)).rejects.toThrow("a bug");
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
