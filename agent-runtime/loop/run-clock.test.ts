import { expect, test, vi } from "vitest";
import { ManualClock } from "../../lib/process/testing/manual-clock.ts";
import { createRunClock } from "./run-clock.ts";

function start(afterMs = 1_000) {
  const clock = new ManualClock();
  const onTimeUp = vi.fn<() => void>();
  const time = createRunClock(clock, { afterMs, onTimeUp });
  return { clock, time, onTimeUp, leftMs: () => time.deadlineMs - clock.now() };
}

test("MGM-6 time is up after what it had, and not a millisecond before", async () => {
  const { clock, onTimeUp } = start();
  await clock.advance(999);
  expect(onTimeUp).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(onTimeUp).toHaveBeenCalledTimes(1);
});

test("MGM-6 it stands still while anybody has it stand still", async () => {
  const { clock, time, onTimeUp, leftMs } = start();
  await clock.advance(400);
  const [first, second] = [time.pause(), time.pause()];
  await clock.advance(5_000);
  expect([leftMs(), time.pausedMs]).toEqual([600, 5_000]);
  first();
  first();
  await clock.advance(5_000);
  expect(leftMs()).toBe(600);
  second();
  await clock.advance(599);
  expect([onTimeUp.mock.calls.length, time.pausedMs]).toEqual([0, 10_000]);
  await clock.advance(1);
  expect(onTimeUp).toHaveBeenCalledTimes(1);
});

test("MGM-6 those that rest with it rest as often as it does, also who comes while it stands still", async () => {
  const { time } = start();
  const told: string[] = [];
  const rest = (who: string) => () => {
    told.push(`${who} rests`);
    return () => void told.push(`${who} goes on`);
  };
  const leave = time.rests(rest("a"));
  const goOn = time.pause();
  const leaveToo = time.rests(rest("b"));
  leaveToo();
  goOn();
  leave();
  time.pause()();
  expect(told).toEqual(["a rests", "b rests", "b goes on", "a goes on"]);
});

test("one that is stopped leaves no timer, whoever goes on then", async () => {
  const { clock, time } = start();
  const goOn = time.pause();
  time.stop();
  goOn();
  expect(clock.pending).toEqual([]);
});
