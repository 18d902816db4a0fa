// Several processes that want one Lease, in this process, under a clock that the test moves.
import { Registry } from "prom-client";
import { onTestFinished, vi } from "vitest";
import { createElection, type Election } from "../election.ts";
import { createKubeMetrics } from "../metrics.ts";
import { MemoryLeases, type LeaseView } from "./memory-leases.ts";
import { silentLog } from "./silent-log.ts";
import { ManualClock } from "../../process/testing/manual-clock.ts";

interface Contender {
  readonly election: Election;
  readonly view: LeaseView;
  readonly stop: AbortController;
  readonly lead: ReturnType<typeof vi.fn>;
  /** Undefined while it runs, else how it ended. */
  outcome: unknown;
}

const untilAborted = (leadership: AbortSignal) =>
  new Promise<void>((resolve) => leadership.addEventListener("abort", () => resolve(), { once: true }));

/** One Lease in memory under one clock, and those who want it. */
export function createElectionScene() {
  const clock = new ManualClock();
  const leases = new MemoryLeases();
  const registry = new Registry();
  const metrics = createKubeMetrics(registry);
  const enter = (identity: string, work: (leadership: AbortSignal) => Promise<void> = untilAborted): Contender => {
    const view = leases.view();
    const stop = new AbortController();
    const lead = vi.fn(work);
    const election = createElection({
      transport: view,
      namespace: "n",
      name: "l",
      identity,
      clock,
      log: silentLog(),
      metrics,
    });
    const contender: Contender = { election, view, stop, lead, outcome: undefined };
    election.run(stop.signal, lead).then(
      () => (contender.outcome = "ended"),
      (error: unknown) => (contender.outcome = error),
    );
    onTestFinished(() => stop.abort());
    return contender;
  };
  /** The time until the contender leads, in steps of 50 ms. */
  const untilLeads = async ({ election }: Contender, maxMs = 60_000) => {
    let waitedMs = 0;
    for (; !election.isLeader && waitedMs <= maxMs; waitedMs += 50) await clock.advance(50);
    return waitedMs;
  };
  const master = async () => (await registry.getSingleMetric("leader_election_master_status")?.get())?.values[0]?.value;
  return { clock, leases, enter, untilLeads, master };
}
