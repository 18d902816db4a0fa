// Problems of lists and watches, numbered as in test/faults/rows.ts: after each the operator must see
// the world as it is again within ten seconds, by itself. One operator looks after a namespace per row.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import type { EventFault, RequestFault } from "../faults/fault-rules.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { measureFollowing, measureRecovery, maxRecoveryMs, untilStruck } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Plural, type Space } from "../faults/space.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const rows = "1 2 2-pause 3 4 5 6 7 8 10 17 18 19 20 twice".split(" ").map((row) => `fault ${row}`);

describe.skipIf(clusterMissing())("OPR-7 the operator survives faults of watches", { timeout: 120_000 }, () => {
  let proxy: FaultProxy;
  let operator: OperatorProcess;
  let spaces: Map<string, Space>;

  beforeAll(async () => {
    proxy = await startFaultProxy({ upstream: cluster() });
    const made = rows.map(async (row) => [row, await createSpace(row.replace(" ", "-"), cluster())] as const);
    spaces = new Map(await Promise.all(made));
    await Promise.all([...spaces.values()].map((space) => space.apply(instance(), agent("alpha"))));
    operator = await startOperator(proxy, { namespaces: [...spaces.values()].map(({ name }) => name) });
    for (const space of spaces.values()) {
      await measureRecovery("a Deployment", Date.now(), async () => !!(await space.read("deployments", "alpha")));
    }
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await proxy.stop();
    await Promise.all([...spaces.values()].map((space) => space[Symbol.asyncDispose]()));
  });

  const begin = (row: string, resource: Plural = "pallasagents") => {
    const space = spaces.get(row);
    if (space === undefined) throw new Error(`expected a namespace for row ${row}`);
    const only = (verb: string) => ({ verb, resource, namespace: space.name });
    return {
      space,
      /** The next watches or lists meet the fault; the watch of now is ended. */
      meet(verb: "watch" | "list", action: RequestFault, times: number) {
        const rule = proxy.faults.add({ match: only(verb), action, times });
        if (verb === "list") {
          proxy.faults.add({ match: only("watch"), action: { kind: "answer", status: 410 }, times: 1 });
        }
        expect(proxy.faults.endWatches(only("watch"), "orderly")).toBe(1);
        return rule;
      },
      /** From now on the server's history begins now. */
      async compact() {
        const before = await proxy.snapshot();
        return proxy.faults.add({ match: only("watch"), action: { kind: "compacted", before } });
      },
      /** The agent's next event meets the fault. */
      strike: (action: EventFault, times = 1) =>
        proxy.faults.add({ match: { ...only("watch"), name: "alpha" }, action, times }),
      calls: () => proxy.journal.filter((call) => call.namespace === space.name && call.resource === resource),
    };
  };

  const refusals: [string, "watch" | "list", RequestFault, number][] = [
    ["fault 1", "list", { kind: "answer", status: 500 }, 5],
    ["fault 2", "watch", { kind: "answer", status: 429, retryAfterSeconds: 2 }, 3],
    ["fault 3", "watch", { kind: "answer", status: 503 }, 3],
    ["fault 6", "watch", { kind: "end-watch" }, 4],
  ];
  it.concurrent.each(refusals)("%s: %s meets %o, %i times in a row", async (row, verb, action, times) => {
    const { space, meet } = begin(row);
    const rule = meet(verb, action, times);
    await space.setSteps("alpha", 7);
    await untilStruck(rule, times);
    expect(rule.hits).toBe(times);
    expect(await measureFollowing(space, "alpha", 8, rule)).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent.each([
    ["fault 4", "truncate-event"],
    ["fault 20", "garbage"],
  ] as const)("%s: an event meets %s", async (row, kind) => {
    const { space, strike } = begin(row);
    const rule = strike({ kind });
    const tookMs = await measureFollowing(space, "alpha", 9, rule);
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
    expect(tookMs).toBeGreaterThan(0);
  });

  it.concurrent("fault 7: an event meets the end of the server's history", async () => {
    const { space, strike, compact } = begin("fault 7");
    await compact();
    const rule = strike({ kind: "expire" });
    expect(await measureFollowing(space, "alpha", 7, rule)).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("fault 8: a watch begins before the server's history does", async () => {
    const { space, meet, compact } = begin("fault 8");
    const outage = meet("watch", { kind: "answer", status: 503 }, Number.POSITIVE_INFINITY);
    await untilStruck(outage);
    await space.setSteps("alpha", 8);
    await compact();
    outage.remove();
    const isFollowed = async () => (await space.steps("alpha")) === 8;
    expect(await measureRecovery("the edit", Date.now(), isFollowed)).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("fault 2: Retry-After of a refused watch is obeyed", async () => {
    const { calls, meet } = begin("fault 2-pause");
    const rule = meet("watch", { kind: "answer", status: 429, retryAfterSeconds: 4 }, 2);
    const watches = () => calls().filter(({ verb }) => verb === "watch");
    const isOpen = () => Promise.resolve(rule.hits === 2 && watches().at(-1)?.status === 200);
    expect(await measureRecovery("an open watch", rule, isOpen)).toBeLessThanOrEqual(maxRecoveryMs);
    const [first = 0, second = 0, third = 0] = watches()
      .slice(-3)
      .map(({ at }) => at);
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(3_990);
  });

  it.concurrent("fault 5: characters cut between two chunks arrive whole", async () => {
    const { space, strike } = begin("fault 5");
    const rule = strike({ kind: "split" });
    const instruction = "Überprüfe 漢字 und 🚀, ausführlich: " + "é".repeat(500);
    await space.apply(agent("alpha", { instruction }));
    const text = async () => (await space.runConfig("alpha"))?.data?.["run-config.json"] ?? "";
    const tookMs = await measureRecovery("the text", rule, async () => (await text()).includes(instruction));
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("fault 10: after bookmarks only, the watch resumes from the last of them", async () => {
    const { space, calls } = begin("fault 10");
    const match = { verb: "watch", resource: "pallasagents", namespace: space.name };
    const bookmark = await proxy.snapshot();
    expect(proxy.faults.sendBookmark(match, bookmark)).toBe(1);
    expect(proxy.faults.endWatches(match, "orderly")).toBe(1);
    const since = Date.now();
    expect(await measureFollowing(space, "alpha", 10, since)).toBeLessThanOrEqual(maxRecoveryMs);
    const resumed = calls().findLast(({ verb }) => verb === "watch");
    expect(resumed).toMatchObject({ verb: "watch", status: 200 });
    expect(resumed?.query.get("resourceVersion")).toBe(bookmark);
  });

  it.concurrent("fault 17: a child deleted while nobody watched comes back", async () => {
    const { space, meet, compact } = begin("fault 17", "services");
    const outage = meet("watch", { kind: "answer", status: 503 }, Number.POSITIVE_INFINITY);
    await untilStruck(outage);
    await space.delete("services", "alpha");
    await compact();
    outage.remove();
    const healed = Date.now();
    const isBack = async () => (await space.read("services", "alpha")) !== undefined;
    expect(await measureRecovery("the Service", healed, isBack)).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("fault 18: an agent deleted and made again under its name while nobody watched", async () => {
    const { space, meet, compact } = begin("fault 18");
    const outage = meet("watch", { kind: "answer", status: 503 }, Number.POSITIVE_INFINITY);
    await untilStruck(outage);
    await space.delete("pallasagents", "alpha");
    await space.apply(agent("alpha", { request: { maxSteps: 18 } }));
    const uid = (await space.read("pallasagents", "alpha"))?.metadata.uid;
    await compact();
    outage.remove();
    const healed = Date.now();
    const children = [
      ["deployments", "alpha"],
      ["services", "alpha"],
      ["configmaps", "alpha-live-config"],
      ["serviceaccounts", "alpha-agent"],
    ] as const;
    const owners = async () => {
      const found = await Promise.all(children.map(([plural, name]) => space.read(plural, name)));
      return found.map((child) => child?.metadata.ownerReferences?.[0]?.uid);
    };
    const tookMs = await measureRecovery("children of the new agent", healed, async () => {
      return (await owners()).every((owner) => owner === uid) && (await space.steps("alpha")) === 18;
    });
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("fault 19: listing anew again and again under churn ends with what is there", async () => {
    const { space, strike } = begin("fault 19");
    const rule = strike({ kind: "expire" }, 4);
    for (let steps = 20; rule.hits < 4 && steps < 400; steps += 1) {
      await space.setSteps("alpha", steps);
      await (steps % 2 === 0 ? space.apply(agent("beta")) : space.delete("pallasagents", "beta"));
    }
    expect(rule.hits).toBe(4);
    await space.delete("pallasagents", "beta");
    expect(await measureFollowing(space, "alpha", 400, rule)).toBeLessThanOrEqual(maxRecoveryMs);
    const left = async () => [...(await space.list("deployments")), ...(await space.list("services"))];
    const isGone = async () => !(await left()).some(({ metadata }) => metadata.name === "beta");
    await measureRecovery("no child of beta", Date.now(), isGone);
  });

  it.concurrent("events that come twice cause no write", async () => {
    const { space, strike } = begin("fault twice");
    const rule = strike({ kind: "duplicate" }, 1);
    await measureFollowing(space, "alpha", 12, rule);
    const generation = (await space.read("pallasagents", "alpha"))?.metadata.generation;
    await measureRecovery("the status", rule, async () => {
      return (await space.read("pallasagents", "alpha"))?.status?.observedGeneration === generation;
    });
    const writes = proxy.journal.filter(
      (call) => call.isWrite && call.namespace === space.name && call.at > (rule.lastHitAt ?? 0),
    );
    const children = writes.filter(({ resource }) => !resource.endsWith("/status") && resource !== "events");
    expect(children.map(({ resource }) => resource)).toEqual(["configmaps", "deployments"]);
  });

  it("all of it cost the operator no restart", async () => {
    expect((await operator.metric("controller_runtime_reconcile_total")).size).toBeGreaterThan(0);
  });
});
