// Two electors compete for one Lease of a real API server; the leader writes all the time, and what it wrote is compared
// with the time at which the other one began to lead.
import { describe, expect, it, onTestFinished } from "vitest";
import { createElection, LeadershipLost } from "../../lib/kube/election.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { clusterMissing, createNamespace } from "../cluster/cluster.ts";
import { connectToCluster, openGate } from "./kube-clients.ts";

interface Write {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A program that counts in a ConfigMap for as long as it may, even when it is told to end: only the fence stops it. */
function enter(namespace: string, identity: string, options: { readonly leasePort?: number; readonly obeys: boolean }) {
  const stop = new AbortController();
  const began = Promise.withResolvers<number>();
  const writes: Write[] = [];
  const refusals: number[] = [];
  const election = createElection({
    transport: connectToCluster(options.leasePort),
    namespace,
    name: "competition",
    identity,
    log: silentLog(),
  });
  // Not through the gate: what this one sends would arrive.
  const fenced = election.fence(connectToCluster());
  const lead = async (leadership: AbortSignal) => {
    began.resolve(performance.now());
    while (!stop.signal.aborted && !(options.obeys && leadership.aborted) && refusals.length < 1_000) {
      const startedAt = performance.now();
      try {
        await fenced.request({
          method: "PATCH",
          path: `/api/v1/namespaces/${namespace}/configmaps/counter`,
          query: { fieldManager: identity, force: true },
          contentType: "application/apply-patch+yaml",
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "counter" }, data: { by: identity } },
        });
        writes.push({ startedAt, endedAt: performance.now() });
      } catch {
        refusals.push(startedAt);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const outcome = election.run(stop.signal, lead).then(
    () => "ended",
    (error: unknown) => error,
  );
  onTestFinished(async () => {
    stop.abort();
    await outcome;
  });
  return { election, stop, began: began.promise, outcome, writes, refusals };
}

describe.skipIf(clusterMissing())("OPR-6 leader election against a real API server", () => {
  it("a partitioned leader is replaced within 17 s and has written nothing since", async () => {
    await using namespace = await createNamespace("election");
    const gate = await openGate();
    const first = enter(namespace.name, "first", { leasePort: gate.port, obeys: false });
    await first.began;
    const second = enter(namespace.name, "second", { obeys: true });
    await expect.poll(() => first.writes.length, { timeout: 10_000 }).toBeGreaterThan(100);
    gate.shut();
    const shutAt = performance.now();
    const beganAt = await second.began;
    expect(beganAt - shutAt).toBeLessThanOrEqual(17_000);
    expect(beganAt - shutAt).toBeGreaterThan(10_000);
    gate.open();
    expect(await first.outcome).toBeInstanceOf(LeadershipLost);
    await expect.poll(() => second.writes.length, { timeout: 10_000 }).toBeGreaterThan(10);
    expect(first.refusals.length).toBeGreaterThan(10);
    expect(Math.max(...first.writes.map(({ endedAt }) => endedAt))).toBeLessThan(beganAt);
  });

  it("a leader that is stopped hands over within 3 s", async () => {
    await using namespace = await createNamespace("election");
    const first = enter(namespace.name, "first", { obeys: true });
    await first.began;
    const second = enter(namespace.name, "second", { obeys: true });
    await expect.poll(() => first.writes.length, { timeout: 10_000 }).toBeGreaterThan(10);
    const stoppedAt = performance.now();
    first.stop.abort();
    expect(await first.outcome).toBe("ended");
    expect((await second.began) - stoppedAt).toBeLessThanOrEqual(3_000);
    const last = first.writes.at(-1);
    expect(last?.endedAt).toBeLessThan(await second.began);
  });

  it("of five that come at once one leads", async () => {
    await using namespace = await createNamespace("election");
    const all = ["a", "b", "c", "d", "e"].map((identity) => enter(namespace.name, identity, { obeys: true }));
    await Promise.race(all.map(({ began }) => began));
    const written = () => all.reduce((sum, { writes }) => sum + writes.length, 0);
    await expect.poll(written, { timeout: 20_000 }).toBeGreaterThan(50);
    expect(all.filter(({ election }) => election.isLeader)).toHaveLength(1);
    expect(all.filter(({ writes }) => writes.length > 0)).toHaveLength(1);
  });
});
