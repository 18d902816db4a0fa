// Watches that break without a word, numbered as in test/faults/rows.ts. The operator gives a watch up after 70 s without
// a byte (the API server sends a bookmark every 60 s), and must be right again before the server forgets what happened.
import { describe, expect, it } from "vitest";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { startFaultProxy } from "../faults/proxy.ts";
import { measureFollowing, measureRecovery, maxRecoveryMs } from "../faults/recovery.ts";
import { agent, createSpace, instance } from "../faults/space.ts";
import { startOperator } from "./operator-process.ts";

/** For how long an API server keeps the events of a watch, at the least. */
const historyMs = 75_000;

async function startRow(row: string) {
  const space = await createSpace(`fault-${row}`, cluster());
  const proxy = await startFaultProxy({ upstream: cluster() });
  await space.apply(instance(), agent("alpha"));
  const operator = await startOperator(proxy, { namespaces: [space.name] });
  await measureRecovery("the first steps", Date.now(), async () => !!(await space.read("deployments", "alpha")));
  return {
    space,
    proxy,
    async [Symbol.asyncDispose]() {
      await operator[Symbol.asyncDispose]();
      await proxy.stop();
      await space[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(clusterMissing())("OPR-7 the operator survives silence", { timeout: 150_000 }, () => {
  it.concurrent("fault 9: a watch that stays open and says nothing is given up", async () => {
    await using row = await startRow("9");
    const { space, proxy } = row;
    const match = { verb: "watch", resource: "pallasagents", namespace: space.name };
    const silence = proxy.faults.add({ match, action: { kind: "silence" }, times: 1 });
    const tookMs = await measureFollowing(space, "alpha", 9, silence, historyMs);
    expect(tookMs).toBeLessThanOrEqual(historyMs);
    // It was silent indeed: without the fault the edit is there within a second.
    expect(tookMs).toBeGreaterThan(maxRecoveryMs);
    // Bookmarks kept the others alive all the time.
    const others = proxy.journal.filter(({ verb, resource }) => verb === "watch" && resource !== match.resource);
    expect(others.length).toBeGreaterThan(5);
    expect(new Set(others.map(({ resource }) => resource)).size).toBe(others.length);
  });

  it.concurrent("fault 11: connections that lead nowhere are given up, new ones are made", async () => {
    await using row = await startRow("11");
    const { space, proxy } = row;
    proxy.faults.blackHole();
    const tookMs = await measureFollowing(space, "alpha", 11, Date.now(), historyMs);
    expect(tookMs).toBeLessThanOrEqual(historyMs);
    expect(tookMs).toBeGreaterThan(maxRecoveryMs);
  });

  it.concurrent("fault 11: a partition of some seconds heals, whether connections survive it or not", async () => {
    await using row = await startRow("partition");
    const { space, proxy } = row;
    for (const [steps, cut] of [
      [21, false],
      [22, true],
    ] as const) {
      proxy.faults.partition();
      await space.setSteps("alpha", steps);
      await space.delete("services", "alpha");
      const isBack = async () => (await space.read("services", "alpha")) !== undefined;
      expect(await isBack()).toBe(false);
      if (cut) proxy.faults.resetAll();
      proxy.faults.heal();
      const healedAt = Date.now();
      const isRight = async () => (await space.steps("alpha")) === steps && (await isBack());
      expect(await measureRecovery("edit and Service", healedAt, isRight)).toBeLessThanOrEqual(maxRecoveryMs);
    }
  });
});
