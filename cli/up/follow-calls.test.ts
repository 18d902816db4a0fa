import { expect, test } from "vitest";
import type { HealthReport } from "../../crds/health.ts";
import { defined } from "../../lib/process/defined.ts";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { followCalls } from "./follow-calls.ts";

const report = (callsInFlight?: number): HealthReport => ({
  status: "error",
  timestamp: "",
  agent: "a",
  providers: {},
  downstreams: {},
  ...defined({ callsInFlight }),
});

test("CLI-1 the calls of a process that stops are told when their number changes, and none at first are not", async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const reports = [report(0), report(2), report(2), report(1), "unreachable", report()] as const;
  let asked = 0;
  const told: number[] = [];
  const ended = followCalls(
    async () => reports[asked++] ?? report(),
    (calls) => void told.push(calls),
    clock,
    controller.signal,
  );
  for (const _ of reports) await clock.advance(500);
  controller.abort(new Error("over"));
  await ended;
  expect(told).toEqual([2, 1, 0]);
});
