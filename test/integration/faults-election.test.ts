// Problems of leadership, numbered as in the project's table of fault tests: two operators, one Lease, and the API
// server's own view of who wrote when.
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { clusterMissing } from "../cluster/cluster.ts";
import { measureRecovery, untilStruck } from "../faults/recovery.ts";
import { readVersions, settle, startRivals, maxTakeoverMs } from "./rivals.ts";

/** A leader that cannot renew ends its leadership after this, of the 15 s for which the others believe in it. */
const renewDeadlineMs = 10_000;
/** OPR-6: from SIGTERM, with nothing under way, until the Lease is free, and until another leads. */
const maxDrainMs = 2_000;
const maxHandoverMs = 3_000;
/** For what is still on its way to arrive. */
const arrivalMs = 2_000;

const heldBySecond = { holderIdentity: expect.stringMatching(/^second_/), leaseTransitions: 1 };

describe.skipIf(clusterMissing())("OPR-6 one leader under faults", { timeout: 150_000 }, () => {
  it.concurrent.each([
    ["hears and says nothing", "both"],
    ["hears all but is not heard", "outgoing"],
  ] as const)(
    "fault 39: a leader that %s stops before another leads, and nothing arrives late",
    async (_title, cut) => {
      await using rivals = await startRivals(`39-${cut}`);
      const { space, first, second } = rivals;
      // Right after a renewal, so that none is on its way.
      const since = Date.now();
      await measureRecovery("a renewal", since, () => Promise.resolve(first.leaseWrites(since).length > 0));
      const cutAt = Date.now();
      first.proxy.faults.partition(cut);
      await space.setSteps("alpha", 39);
      const takeoverMs = await rivals.measureTakeover(cutAt);
      expect(takeoverMs).toBeLessThanOrEqual(maxTakeoverMs);
      const deposedMs =
        (first.operator.loggedAt("lease lapsed, nothing is written until it is renewed") ?? Number.NaN) - cutAt;
      expect(deposedMs).toBeLessThan(takeoverMs);
      expect(deposedMs).toBeLessThanOrEqual(renewDeadlineMs + 1_000);
      await settle(space, second, 39);
      const before = await readVersions(space);
      first.proxy.faults.heal();
      expect(await first.operator.ended).toBe(1);
      await delay(arrivalMs);
      expect(first.attempts(cutAt)).toEqual([]);
      expect(await rivals.readLease()).toMatchObject(heldBySecond);
      expect(await readVersions(space)).toEqual(before);
    },
  );

  it.concurrent("fault 42: SIGTERM with nothing under way frees the Lease within 2 s, another leads within 3 s", async () => {
    await using rivals = await startRivals("42");
    const { space, first, second } = rivals;
    const askedAt = Date.now();
    first.operator.signal("SIGTERM");
    const takeoverMs = await rivals.measureTakeover(askedAt);
    expect(takeoverMs).toBeLessThanOrEqual(maxHandoverMs);
    expect(await first.operator.ended).toBe(0);
    const [freed, ...others] = first.attempts(askedAt).toReversed();
    expect(freed).toMatchObject({ resource: "leases", status: 200 });
    expect((freed?.at ?? Number.NaN) - askedAt).toBeLessThan(maxDrainMs);
    expect(others.filter(({ resource }) => resource !== "leases")).toEqual([]);
    expect(await rivals.readLease()).toMatchObject(heldBySecond);
    await space.setSteps("alpha", 42);
    await settle(space, second, 42);
  });

  it.concurrent.each([
    ["child", "deployments", "alpha"],
    ["status", "pallasagents/status", "alpha"],
  ])("fault 42: SIGTERM amid the write of a %s finishes it and its status", async (_title, resource, name) => {
    await using rivals = await startRivals("42-slow");
    const { space, first, second } = rivals;
    const match = { isWrite: true, namespace: space.name, resource, name };
    const delayMs = 1_500;
    const slow = first.proxy.faults.add({ match, action: { kind: "delay", delayMs }, times: 1 });
    await space.setSteps("alpha", 42);
    await untilStruck(slow);
    const askedAt = Date.now();
    first.operator.signal("SIGTERM");
    const takeoverMs = await rivals.measureTakeover(askedAt);
    expect(takeoverMs).toBeLessThanOrEqual(delayMs + maxHandoverMs);
    expect(await first.operator.ended).toBe(0);
    const delayed = first.writes().find(({ fault }) => fault === "delay");
    expect(delayed).toMatchObject({ status: 200 });
    const told = first.writes(delayed?.at).filter((write) => write.resource === "pallasagents/status");
    expect(told.map((write) => write.name)).toContain("alpha");
    expect(first.attempts(askedAt).at(-1)).toMatchObject({ resource: "leases", status: 200 });
    const { status } = (await space.read("pallasagents", "alpha")) ?? {};
    const generations = (status?.conditions ?? []).map(({ observedGeneration }) => observedGeneration);
    expect(new Set(generations)).toEqual(new Set([status?.observedGeneration]));
    await settle(space, second, 42);
  });

  it.concurrent("fault 42: a write that outlasts the drain lands before another leads", async () => {
    await using rivals = await startRivals("42-late");
    const { space, first, second } = rivals;
    const landed = Promise.withResolvers<number>();
    const match = { isWrite: true, namespace: space.name, resource: "deployments", name: "alpha" };
    const land = () => delay(12_000).then(() => landed.resolve(Date.now()));
    const late = first.proxy.faults.add({ match, action: { kind: "call-before", run: land }, times: 1 });
    await space.setSteps("alpha", 41);
    await untilStruck(late);
    first.operator.signal("SIGTERM");
    expect(await first.operator.ended).toBe(0);
    const renewedAt = first.leaseWrites().at(-1)?.at ?? Number.NaN;
    const takeoverMs = await rivals.measureTakeover(renewedAt);
    expect(takeoverMs).toBeLessThanOrEqual(maxTakeoverMs);
    expect(await landed.promise).toBeLessThan(renewedAt + takeoverMs);
    await space.setSteps("alpha", 42);
    await settle(space, second, 42);
  });

  it.concurrent("a leader that is killed is replaced within 17 s", async () => {
    await using rivals = await startRivals("killed");
    const { space, first, second } = rivals;
    const killedAt = Date.now();
    await first.operator.kill9();
    expect(await rivals.measureTakeover(killedAt)).toBeLessThanOrEqual(maxTakeoverMs);
    await space.setSteps("alpha", 9);
    await settle(space, second, 9);
    expect(await rivals.readLease()).toMatchObject(heldBySecond);
  });
});
