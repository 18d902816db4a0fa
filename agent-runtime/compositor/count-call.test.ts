import { expect, test } from "vitest";
import { systemClock } from "../../lib/process/clock.ts";
import { createCountCall } from "./count-call.ts";

test("MGM-4 what is asked of a server counts by how it ended, and what its caller gave up is nobody's error", async () => {
  const outcomes: string[] = [];
  const countCall = createCountCall(({ outcome }) => void outcomes.push(outcome), systemClock);
  const call = (ask: () => Promise<boolean>, signal = new AbortController().signal) =>
    countCall({ server: "a", operation: "tool", signal, ask, isError: (failed) => failed });
  const broken = async () => {
    throw new Error("broken");
  };
  await call(async () => false);
  await call(async () => true);
  await expect(call(broken)).rejects.toThrow("broken");
  await expect(call(broken, AbortSignal.abort())).rejects.toThrow("broken");
  expect(outcomes).toEqual(["ok", "error", "error", "cancelled"]);
});
