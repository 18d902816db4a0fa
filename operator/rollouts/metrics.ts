// How the release's image gets to the agents, as series: how many there are in each state, and whether no more get it.
import { Gauge, type Registry } from "prom-client";
import type { RolloutBudget } from "./budget.ts";

export type RolloutCounts = Pick<RolloutBudget, "moving" | "failed" | "waiting" | "isStopped">;

export function registerRolloutMetrics(registry: Registry, counts: RolloutCounts): void {
  const registers = [registry];
  new Gauge({
    name: "pallas_rollout_agents",
    help: "Agents that move to the image of this release, wait for it, or served before and do not with it.",
    labelNames: ["state"],
    registers,
    collect() {
      this.set({ state: "moving" }, counts.moving);
      this.set({ state: "waiting" }, counts.waiting);
      this.set({ state: "failed" }, counts.failed.length);
    },
  });
  new Gauge({
    name: "pallas_rollout_stopped",
    help: "1 while agents wait for the image of this release and none gets it, because too many failed with it.",
    registers,
    collect() {
      this.set(counts.isStopped ? 1 : 0);
    },
  });
}
