// Views that are older than the world, numbered as in test/faults/rows.ts: lists as they were before the
// operator's restart, and single events that come late. Neither may undo anything or leave anything behind.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childTypes } from "../../operator/resources.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { observeEndState, type EndState } from "../faults/end-state.ts";
import type { FaultHandle } from "../faults/fault-rules.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { measureFollowing, measureRecovery, maxRecoveryMs } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Plural, type Space } from "../faults/space.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const childKinds = ["deployments", "services", "configmaps", "serviceaccounts", "roles", "rolebindings"] as const;
const agentChildKinds = [
  ...(["deployments", "services", "configmaps", "serviceaccounts"] as const),
  ...(["networkpolicies", "poddisruptionbudgets"] as const),
];
const ownKinds = ["pallasinstances", "pallasagents"] as const;

const hasDeployment = (space: Space, name: string) => async () => (await space.read("deployments", name)) !== undefined;

/** Resolves when every key of the first lists was reconciled, without an error unless `outcome` is "any". */
async function untilIdle(operator: OperatorProcess, outcome: "success" | "any" = "success"): Promise<void> {
  await measureRecovery("both controllers to be idle", Date.now(), async () => {
    const done = [...(await operator.metric("controller_runtime_reconcile_total"))];
    const isDone = (name: string) =>
      done.some(
        ([labels, count]) => labels.includes(name) && (outcome === "any" || labels.includes('"success"')) && count > 0,
      );
    const depths = [...(await operator.metric("workqueue_depth")).values()];
    const active = [...(await operator.metric("controller_runtime_active_workers")).values()];
    return isDone("pallasagent") && isDone("pallasinstance") && [...depths, ...active].every((count) => count === 0);
  });
}

describe.skipIf(clusterMissing())("OPR-7 fault 29: lists after a restart are stale", { timeout: 120_000 }, () => {
  const views: [string, readonly Plural[]][] = [
    ["all lists", [...ownKinds, ...childKinds]],
    ["the children's lists", childKinds],
  ];
  it.concurrent.each(views)("%s: nothing is deleted, nothing goes back", async (_title, stale) => {
    await using space = await createSpace("fault-29", cluster());
    await using proxy = await startFaultProxy({ upstream: cluster() });
    await space.apply(instance(), agent("alpha", { request: { maxSteps: 3 } }), agent("beta"));
    const first = await startOperator(proxy, { namespaces: [space.name] });
    for (const name of ["alpha", "beta"]) {
      await measureRecovery(`${name}'s Deployment`, Date.now(), hasDeployment(space, name));
    }
    const then = await proxy.snapshot();
    await measureFollowing(space, "alpha", 4, Date.now());
    await space.apply(agent("gamma"));
    await measureRecovery("gamma's Deployment", Date.now(), hasDeployment(space, "gamma"));
    await untilIdle(first);
    await first.kill9();

    const versions = async (): Promise<string[]> => {
      const lists = await Promise.all(childKinds.map((plural) => space.list(plural)));
      return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.generation ?? ""}`);
    };
    const before = await versions();
    const held: FaultHandle[] = stale.flatMap((resource) => {
      const match = { resource, namespace: space.name };
      return [
        proxy.faults.add({
          match: { ...match, verb: "list" },
          action: { kind: "stale-list", resourceVersion: then },
        }),
        // The server that lags behind tells no news either, for now.
        proxy.faults.add({ match: { ...match, verb: "watch" }, action: { kind: "drop" } }),
      ];
    });
    await using second = await startOperator(proxy, { namespaces: [space.name] });
    await untilIdle(second);
    expect(await versions()).toEqual(before);
    expect(await space.steps("alpha")).toBe(4);
    for (const rule of held) rule.remove();
    proxy.faults.resetAll();
    expect(await measureFollowing(space, "alpha", 5, Date.now())).toBeLessThanOrEqual(maxRecoveryMs);
    const deletions = proxy.journal.filter(({ verb }) => verb.startsWith("delete"));
    expect(deletions).toEqual([]);
  });
});

describe.skipIf(clusterMissing())("OPR-7 fault 29: one list after a restart is stale", { timeout: 180_000 }, () => {
  const server = (port: number) => instance("team", { servers: [{ name: "argos", url: `http://argos:${port}/mcp` }] });
  const alpha = (steps: number) =>
    agent("alpha", { servers: [{ name: "argos" }], agents: [{ name: "beta" }], request: { maxSteps: steps } });
  const beta = (replicas: number) => agent("beta", { scope: "request", replicas });
  let space: Space;
  let proxy: FaultProxy;
  let operator: OperatorProcess;

  /** What the operator makes, down to its content; the API server's own controllers go on meanwhile. */
  const observe = async (): Promise<string[]> => {
    const kinds = [...agentChildKinds, "roles", "rolebindings"] as const;
    const lists = await Promise.all(kinds.map(async (plural) => ({ plural, objects: await space.list(plural) })));
    return lists.flatMap(({ plural, objects }) =>
      objects.map(({ metadata: { name, uid, generation }, spec, data }) => {
        const content = createHash("sha256")
          .update(JSON.stringify([spec, data]))
          .digest("hex");
        return `${plural}/${name} ${uid} ${generation ?? ""} ${content}`;
      }),
    );
  };
  const isFollowed = async (steps: number, replicas: number): Promise<boolean> => {
    const config = (await space.runConfig("alpha"))?.data?.["run-config.json"] ?? "";
    const budget = await space.read("poddisruptionbudgets", "beta");
    const isThere = await hasDeployment(space, `gamma-${steps}`)();
    return isThere && config.includes(`argos:${steps}/mcp`) && (budget !== undefined) === replicas > 1;
  };

  beforeAll(async () => {
    space = await createSpace("fault-29-one", cluster());
    proxy = await startFaultProxy({ upstream: cluster() });
    // alpha calls nobody yet: its Deployment would wait for pods that are ready.
    await space.apply(server(1), agent("alpha"), beta(1));
    operator = await startOperator(proxy, { namespaces: [space.name] });
    for (const name of ["alpha", "beta"]) {
      await measureRecovery(`${name}'s Deployment`, Date.now(), hasDeployment(space, name));
    }
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await proxy.stop();
    await space[Symbol.asyncDispose]();
  });

  it.each([...ownKinds, ...agentChildKinds].map((resource, index) => ({ resource, steps: index + 2 })))(
    "of $resource: nothing is deleted, nothing goes back, and what follows is right",
    async ({ resource, steps }) => {
      const replicas = 1 + (steps % 2);
      const then = await proxy.snapshot();
      await space.apply(server(steps), alpha(steps), beta(replicas), agent(`gamma-${steps}`));
      await measureRecovery("the change", Date.now(), () => isFollowed(steps, replicas));
      await untilIdle(operator);
      await operator.kill9();
      const before = await observe();
      const [since, match] = [proxy.journal.length, { resource, namespace: space.name }];
      const stale = { kind: "stale-list", resourceVersion: then } as const;
      const held = [
        proxy.faults.add({ match: { ...match, verb: "list" }, action: stale }),
        proxy.faults.add({ match: { ...match, verb: "watch" }, action: { kind: "drop" } }),
      ];
      operator = await startOperator(proxy, { namespaces: [space.name] });
      await untilIdle(operator, "any");
      expect(held[0]?.hits).toBe(1);
      expect(await observe()).toEqual(before);
      const calls = proxy.journal.slice(since).filter((call) => call.namespace === space.name && call.isWrite);
      expect(calls.filter(({ verb, status }) => verb === "delete" && status === 200)).toEqual([]);
      for (const rule of held) rule.remove();
      proxy.faults.resetAll();
      expect(await measureFollowing(space, "beta", 50 + steps, Date.now())).toBeLessThanOrEqual(maxRecoveryMs);
      await untilIdle(operator);
    },
  );
});

describe.skipIf(clusterMissing())("OPR-7 fault 30: each event in turn comes late", { timeout: 120_000 }, () => {
  /** How many events of the kind's stream are withheld, each in a namespace of its own: so many there are at least. */
  const withheld = Object.entries({
    pallasinstances: 2,
    pallasagents: 4,
    deployments: 6,
    services: 3,
    configmaps: 2,
    serviceaccounts: 3,
    roles: 1,
    rolebindings: 1,
  }).flatMap(([resource, count]) => Array.from({ length: count }, (_, index) => ({ resource, nth: index + 1 })));
  const resources = [instance(), agent("alpha"), agent("beta")];
  let proxy: FaultProxy;
  let operator: OperatorProcess;
  let spaces: { space: Space; rule?: FaultHandle }[];
  let undisturbed: EndState;

  const isQuiet = (name: string) => (): Promise<boolean> => {
    const writes = proxy.journal.filter((call) => call.isWrite && call.namespace === name);
    return Promise.resolve(writes.length > 0 && Date.now() - (writes.at(-1)?.at ?? 0) > 1_500);
  };

  beforeAll(async () => {
    proxy = await startFaultProxy({ upstream: cluster() });
    const [first, ...others] = await Promise.all([{}, ...withheld].map(() => createSpace("fault-30", cluster())));
    if (first === undefined) throw new Error("expected a namespace");
    const names = [first, ...others].map(({ name }) => name);
    operator = await startOperator(proxy, { namespaces: names });
    const kinds = Object.keys(childTypes).length + 3; // and instances, agents, slices
    const watching = () => proxy.journal.filter(({ verb, status }) => verb === "watch" && status === 200).length;
    await measureRecovery("all watches", Date.now(), () => Promise.resolve(watching() >= names.length * kinds));
    spaces = others.map((space, index) => {
      const { resource = "", nth = 1 } = withheld[index] ?? {};
      const match = { verb: "watch", resource, namespace: space.name };
      return { space, rule: proxy.faults.add({ match, action: { kind: "withhold" }, skip: nth - 1, times: 1 }) };
    });
    await first.apply(...resources);
    await measureRecovery("an end of writes", Date.now(), isQuiet(first.name));
    undisturbed = await observeEndState(first);
    await Promise.all(spaces.map(({ space }) => space.apply(...resources)));
    for (const { space } of spaces) await measureRecovery("an end of writes", Date.now(), isQuiet(space.name));
    spaces.push({ space: first });
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await proxy.stop();
    await Promise.all(spaces.map(({ space }) => space[Symbol.asyncDispose]()));
  });

  it.each(withheld.map((row, index) => ({ ...row, index })))("event $nth of $resource", async ({ index }) => {
    const { space, rule } = spaces[index] ?? {};
    if (space === undefined || rule === undefined) throw new Error("expected a namespace for this event");
    expect(rule.hits).toBe(1);
    rule.release();
    const since = Date.now();
    const isSame = async () => JSON.stringify(await observeEndState(space)) === JSON.stringify(undisturbed);
    const tookMs = await measureRecovery("the undisturbed end state", since, isSame).catch(
      () => Number.POSITIVE_INFINITY,
    );
    expect(await observeEndState(space)).toEqual(undisturbed);
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
  });
});

describe.skipIf(clusterMissing())("OPR-5 a deleted agent whose deletion we cannot see", { timeout: 60_000 }, () => {
  it("has its children made again at most once each, not without end", async () => {
    await using space = await createSpace("unseen-deletion", cluster());
    await using proxy = await startFaultProxy({ upstream: cluster() });
    await space.apply(instance(), agent("alpha"), agent("beta"));
    await using operator = await startOperator(proxy, { namespaces: [space.name] });
    for (const name of ["alpha", "beta"]) {
      await measureRecovery(`${name}'s Deployment`, Date.now(), hasDeployment(space, name));
    }
    await untilIdle(operator);
    const match = { resource: "pallasagents", namespace: space.name };
    const silence = proxy.faults.add({ match: { ...match, verb: "watch" }, action: { kind: "drop" } });
    expect(proxy.faults.endWatches(match, "orderly")).toBe(1);
    const before = proxy.journal.filter(({ verb }) => verb === "patch").length;
    await space.delete("pallasagents", "beta");
    await measureRecovery(
      "beta's Deployment to be gone",
      Date.now(),
      async () => !(await hasDeployment(space, "beta")()),
    );
    await untilIdle(operator);
    expect(proxy.journal.filter(({ verb }) => verb === "patch").length - before).toBeLessThanOrEqual(4);
    silence.remove();
  });
});
