import { describe, expect, test } from "vitest";
import type { HealthReport } from "../../crds/health.ts";
import { ManualClock, settle } from "../../lib/process/testing/manual-clock.ts";
import { watchLimits, watchProcess } from "./watch-process.ts";

const report: HealthReport = { status: "ok", timestamp: "", agent: "a", providers: {}, downstreams: {} };

/** @param answers whether it answers at each look; afterwards always */
function watch(answers: readonly boolean[]) {
  const clock = new ManualClock();
  const controller = new AbortController();
  const told: string[] = [];
  let looks = 0;
  const ended = watchProcess(
    {
      clock,
      observeLiveness: async () => answers[looks++] ?? true,
      observeHealth: async () => report,
      onHealth: (health) => void told.push(health === "unreachable" ? health : health.status),
    },
    controller.signal,
  );
  const look = async (times: number) => {
    await settle();
    for (let time = 1; time < times; time += 1) await clock.advance(watchLimits.intervalMs);
  };
  return { told, ended, look, stop: () => controller.abort(new Error("over")), clock };
}

describe("CLI-1 a ready process is looked at", () => {
  test("two looks without an answer are no trouble, and it is asked how it is as soon as it answers again", async () => {
    const { told, ended, look, stop, clock } = watch([true, false, false, true]);
    await look(4);
    expect(told).toEqual(["ok", "unreachable", "unreachable", "ok"]);
    stop();
    expect(await ended).toBeUndefined();
    expect(clock.pending).toEqual([]);
  });

  test("one that answers again is asked how it is, whichever look it is", async () => {
    const { told, look, stop } = watch([true, false, true]);
    await look(3);
    expect(told).toEqual(["ok", "unreachable", "ok"]);
    stop();
  });

  test("three in a row are, and three with an answer between them are not", async () => {
    const broken = watch([false, false, true, false, true]);
    await broken.look(5);
    broken.stop();
    expect(await broken.ended).toBeUndefined();
    const hung = watch([true, false, false, false]);
    await hung.look(4);
    expect(await hung.ended).toBe("does not answer any more (3 times in a row)");
  });

  test("one whose health will soon be another is asked at every look, and sooner while that is so", async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const told: string[] = [];
    const found = ["starting", "starting", "ok", "ok"];
    void watchProcess<string>(
      {
        clock,
        observeLiveness: async () => true,
        observeHealth: async () => found[told.length] ?? "ok",
        onHealth: (health) => void told.push(health),
        isPassing: (health) => health === "starting",
      },
      controller.signal,
    );
    await settle();
    await clock.advance(watchLimits.passingIntervalMs);
    await clock.advance(watchLimits.passingIntervalMs);
    expect(told).toEqual(["starting", "starting", "ok"]);
    await clock.advance(watchLimits.intervalMs - 1);
    expect(told).toHaveLength(3);
    await clock.advance(1);
    expect(told).toHaveLength(4);
    controller.abort(new Error("over"));
  });

  test("its health is asked for at every third look", async () => {
    const { told, look, stop } = watch([]);
    await look(7);
    expect(told).toEqual(["ok", "ok", "ok"]);
    stop();
  });
});
