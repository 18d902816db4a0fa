import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { registerRolloutMetrics, type RolloutCounts } from "./metrics.ts";

it("OPR-11 a scrape shows how many agents are in each state, and whether the rollout is stopped", async () => {
  const registry = new Registry();
  const counts: { -readonly [Key in keyof RolloutCounts]: RolloutCounts[Key] } = {
    moving: 3,
    waiting: 5,
    failed: ["agents/a", "agents/b"],
    isStopped: false,
  };
  registerRolloutMetrics(registry, counts);
  const scrape = async () => (await registry.metrics()).split("\n").filter((line) => line.startsWith("pallas_"));
  expect(await scrape()).toEqual([
    'pallas_rollout_agents{state="moving"} 3',
    'pallas_rollout_agents{state="waiting"} 5',
    'pallas_rollout_agents{state="failed"} 2',
    "pallas_rollout_stopped 0",
  ]);
  counts.isStopped = true;
  expect(await scrape()).toContain("pallas_rollout_stopped 1");
});
