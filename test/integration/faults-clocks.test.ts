// Problems of time, numbered as in the project's table of fault tests: a leader whose clock is wrong, or which stands still
// for longer than its lease. Who leads is seen in the Lease, who wrote in the journals of the two proxies.
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { clusterMissing } from "../cluster/cluster.ts";
import { measureRecovery, untilStruck } from "../faults/recovery.ts";
import { readVersions, settle, startRivals, maxTakeoverMs } from "./rivals.ts";

const hourMs = 3_600_000;
const stallMs = 20_000;
const leaseMs = 15_000;
const retryMs = 2_000;

describe.skipIf(clusterMissing())("OPR-6 one leader, whatever its clock does", { timeout: 150_000 }, () => {
  it.concurrent.each([
    ["ahead", hourMs],
    ["behind", -hourMs],
  ])("fault 40: a leader an hour %s is neither deposed too early nor too late", async (direction, shiftMs) => {
    await using rivals = await startRivals(`40-${direction}`, { first: { FAULT_CLOCK_SHIFT_MS: String(shiftMs) } });
    const { space, first, second } = rivals;
    await delay(maxTakeoverMs);
    const { renewTime, ...alive } = await rivals.readLease();
    expect(Math.abs(Date.parse(renewTime) - Date.now() - shiftMs)).toBeLessThan(leaseMs);
    expect(alive).toMatchObject({ holderIdentity: expect.stringMatching(/^first_/), leaseTransitions: 0 });
    expect(second.attempts(0)).toEqual([]);

    const killedAt = Date.now();
    await first.operator.kill9();
    const takeoverMs = await rivals.measureTakeover(killedAt);
    expect(takeoverMs).toBeLessThanOrEqual(maxTakeoverMs);
    expect(takeoverMs).toBeGreaterThan(leaseMs - 2 * retryMs);
    await space.setSteps("alpha", 40);
    await settle(space, second, 40);
    const { renewTime: _, ...deposed } = await rivals.readLease();
    expect(deposed).toMatchObject({ holderIdentity: expect.stringMatching(/^second_/), leaseTransitions: 1 });
  });

  it.concurrent.each([
    ["is frozen", "SIGSTOP"],
    ["computes", "SIGUSR2"],
  ] as const)("fault 41: a leader that %s for 20 s amid its writes makes no further one", async (_title, signal) => {
    await using rivals = await startRivals(`41-${signal.toLowerCase()}`, {
      first: { FAULT_STALL_MS: String(stallMs) },
    });
    const { space, first, second } = rivals;
    const match = { isWrite: true, namespace: space.name, resource: "deployments", name: "alpha" };
    // Its answer is what the reconcile goes on with first when it wakes, and a status is what it would write then.
    const run = () => {
      first.operator.signal(signal);
      return delay(100);
    };
    const stall = first.proxy.faults.add({ match, action: { kind: "call-after", run }, times: 1 });
    await space.setSteps("alpha", 41);
    await untilStruck(stall);
    const stalledAt = stall.lastHitAt ?? Number.NaN;
    expect(await rivals.measureTakeover(stalledAt)).toBeLessThanOrEqual(maxTakeoverMs);
    await space.setSteps("alpha", 42);
    await settle(space, second, 42);
    const before = await readVersions(space);

    await measureRecovery("the end of the stall", stalledAt, () => Promise.resolve(Date.now() > stalledAt + stallMs));
    first.operator.signal("SIGCONT");
    expect(await first.operator.ended).toBe(1);
    expect(first.operator.loggedAt("leadership lost")).toBeGreaterThanOrEqual(stalledAt + stallMs);
    expect(first.attempts(stalledAt + 1_000)).toEqual([]);
    expect(await readVersions(space)).toEqual(before);
    expect(await rivals.readLease()).toMatchObject({ holderIdentity: expect.stringMatching(/^second_/) });
  });
});
