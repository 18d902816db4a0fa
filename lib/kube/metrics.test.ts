import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { createController } from "./controller.ts";
import { createKubeMetrics } from "./metrics.ts";
import { silentLog } from "./testing/silent-log.ts";
import { WorkQueue } from "./work-queue.ts";
import { ManualClock, settle } from "../process/testing/manual-clock.ts";

describe("MET-4 the metrics of controller-runtime", () => {
  test("are all there, at 0, before the first reconcile", async () => {
    const registry = new Registry();
    const metrics = createKubeMetrics(registry);
    createController({ name: "widget", sources: [], reconcile: async () => ({}), log: silentLog(), metrics });
    metrics.master("lease");
    metrics.watchRefused("Widget", "tenant");
    const text = await registry.metrics();
    const queue = '{name="widget",controller="widget"} 0';
    for (const line of [
      ...["success", "error", "requeue", "requeue_after"].map(
        (result) => `controller_runtime_reconcile_total{controller="widget",result="${result}"} 0`,
      ),
      'controller_runtime_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="widget"} 0',
      'controller_runtime_reconcile_panics_total{controller="widget"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="widget"} 0',
      'controller_runtime_active_workers{controller="widget"} 0',
      `workqueue_depth${queue}`,
      `workqueue_adds_total${queue}`,
      `workqueue_retries_total${queue}`,
      `workqueue_unfinished_work_seconds${queue}`,
      `workqueue_longest_running_processor_seconds${queue}`,
      'leader_election_master_status{name="lease"} 0',
      'kubernetes_watch_refused{kind="Widget",namespace="tenant"} 0',
      'kubernetes_events_total{result="dropped"} 0',
    ]) {
      expect(text.split("\n")).toContain(line);
    }
  });

  test("unfinished work is the sum, and the longest running processor the maximum, at the time of the scrape", async () => {
    const registry = new Registry();
    const clock = new ManualClock();
    const queue = new WorkQueue({ clock, metrics: createKubeMetrics(registry).queue("q") });
    const values = async () => {
      const text = await registry.metrics();
      return ["unfinished_work", "longest_running_processor"].map((name) =>
        Number(new RegExp(`^workqueue_${name}_seconds\\{.*\\} (.*)$`, "m").exec(text)?.[1]),
      );
    };
    queue.add("a");
    await queue.take();
    await clock.advance(3_000);
    queue.add("b");
    await queue.take();
    await clock.advance(2_000);
    expect(await values()).toEqual([7, 5]);
    queue.done("a");
    expect(await values()).toEqual([2, 2]);
    queue.done("b");
    expect(await values()).toEqual([0, 0]);
  });

  test.each([
    ["a TypeError is a panic", new TypeError("undefined is not a function"), 1],
    ["another error is not", new Error("boom"), 0],
  ])("%s", async (_title, error, panics) => {
    const registry = new Registry();
    const stop = new AbortController();
    const reconcile = () => Promise.reject(error);
    const metrics = createKubeMetrics(registry);
    // A clock that stands: no retry comes between the first failure and the end.
    const clock = new ManualClock();
    const controller = createController({ name: "widget", sources: [], reconcile, log: silentLog(), metrics, clock });
    const finished = controller.run(stop.signal);
    controller.enqueue("a");
    await settle();
    stop.abort();
    await finished;
    const text = await registry.metrics();
    expect(text).toContain(`controller_runtime_reconcile_panics_total{controller="widget"} ${panics}`);
    expect(text).toMatch(/controller_runtime_reconcile_errors_total\{controller="widget"\} [1-9]/);
  });
});
