// What people are told of a run before the call that they are asked about (MGM-6).
import { expect, test } from "vitest";
import { maxStepChars, maxSteps } from "../crds/approval.ts";
import { ManualClock } from "../lib/process/testing/manual-clock.ts";
import { createCallSteps } from "./call-steps.ts";

const label = (tool: string) => ({ server: "bank", tool });

test("MGM-6 calls are named in the order in which they ended, with how they ended, and those that wait behind", async () => {
  const clock = new ManualClock();
  const steps = createCallSteps(clock);
  expect(steps.list()).toEqual([]);
  const stop = steps.waits(label("pay"));
  steps.ended(label("balance"), "completed");
  await clock.advance(1_000);
  steps.ended(label("find"), "failed");
  const ended = [
    { text: "bank/balance", outcome: "ok", at: "2026-01-01T00:00:00.000Z" },
    { text: "bank/find", outcome: "failed", at: "2026-01-01T00:00:01.000Z" },
  ];
  expect(steps.list()).toEqual([...ended, { text: "bank/pay", outcome: "waiting", at: "2026-01-01T00:00:00.000Z" }]);
  stop();
  expect(steps.list()).toEqual(ended);
});

test.each([maxSteps, maxSteps + 1])(`of %i calls the latest ${maxSteps} are kept`, (count) => {
  const steps = createCallSteps(new ManualClock());
  for (let n = 1; n <= count; n += 1) steps.ended(label(`t${n}`), "completed");
  const listed = steps.list();
  expect([listed.length, listed.at(-1)?.text]).toEqual([maxSteps, `bank/t${count}`]);
  steps.waits(label("pay"));
  expect([steps.list().length, steps.list().at(-1)?.text]).toEqual([maxSteps, "bank/pay"]);
});

test("a name that is too long is cut", () => {
  const steps = createCallSteps(new ManualClock());
  const rest = maxStepChars - "bank/".length;
  steps.ended(label("x".repeat(rest)), "completed");
  steps.ended(label("x".repeat(rest + 1)), "completed");
  expect(steps.list().map(({ text }) => [text.length, text.at(-1)])).toEqual([
    [maxStepChars, "x"],
    [maxStepChars, "…"],
  ]);
});
