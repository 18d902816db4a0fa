// Faults of writes and other writers in the way, numbered as in test/faults/rows.ts: each ends with the
// same children as without the fault. One operator looks after a namespace per row.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { observeEndState, type EndState } from "../faults/end-state.ts";
import type { AnswerFault, RequestFault } from "../faults/fault-rules.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { measureFollowing, measureRecovery, recoveryLimitMs } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Plural, type Space } from "../faults/space.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const rows = "none 31 31-status 33 33-half 34 35 race 36 37 429 500".split(" ");
/** Of one object, when the pause between two doubles from 5 ms, less a quarter: 3.75 ms · 2^12 = 15 s. */
const triesInTenSeconds = 12;
const isChild = (resource: string) => resource !== "events" && !resource.endsWith("/status");
const resources = [instance(), agent("alpha"), agent("beta")];

describe.skipIf(clusterMissing())("OPR-7 the operator survives faults of writes", { timeout: 120_000 }, () => {
  let proxy: FaultProxy;
  let operator: OperatorProcess;
  let spaces: Map<string, Space>;
  let undisturbed: EndState;

  const spaceOf = (row: string): Space => {
    const space = spaces.get(row);
    if (space === undefined) throw new Error(`expected a namespace for row ${row}`);
    return space;
  };
  const writesIn = (space: Space) => proxy.journal.filter((call) => call.isWrite && call.namespace === space.name);
  const isSame = (space: Space) => async () =>
    JSON.stringify(await observeEndState(space)) === JSON.stringify(undisturbed);

  beforeAll(async () => {
    proxy = await startFaultProxy({ upstream: cluster() });
    const made = rows.map(async (row) => [row, await createSpace(`fault-${row}`, cluster())] as const);
    spaces = new Map(await Promise.all(made));
    operator = await startOperator(proxy, { namespaces: [...spaces.values()].map(({ name }) => name) });
    const space = spaceOf("none");
    await space.apply(...resources);
    await measureRecovery("an end of writes", Date.now(), () => {
      const writes = writesIn(space);
      return Promise.resolve(writes.length > 13 && Date.now() - (writes.at(-1)?.at ?? 0) > 2_000);
    });
    undisturbed = await observeEndState(space);
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await proxy.stop();
    await Promise.all([...spaces.values()].map((space) => space[Symbol.asyncDispose]()));
  });

  const faults: [string, Plural | "pallasagents/status", RequestFault | AnswerFault, number][] = [
    ["fault 31", "configmaps", { kind: "answer", status: 409 }, 4],
    ["fault 31-status", "pallasagents/status", { kind: "answer", status: 409 }, 4],
    ["fault 33", "deployments", { kind: "lose-answer" }, 2],
    ["fault 33-half", "services", { kind: "truncate-answer" }, 2],
    ["429", "serviceaccounts", { kind: "answer", status: 429, retryAfterSeconds: 1 }, 3],
    ["500", "deployments", { kind: "answer", status: 500 }, 6],
  ];
  it.concurrent.each(faults)("%s: writes of %s meet %o, %i times", async (row, resource, action, times) => {
    const space = spaceOf(row.replace("fault ", ""));
    const match = { resource, isWrite: true, namespace: space.name };
    const rule = proxy.faults.add({ match, action, times });
    await space.apply(...resources);
    const tookMs = await measureRecovery(
      "the end state",
      rule,
      async () => rule.hits === times && (await isSame(space)()),
    );
    expect(tookMs).toBeLessThanOrEqual(recoveryLimitMs);
    expect(await observeEndState(space)).toEqual(undisturbed);
  });

  it.concurrent("fault 34: children deleted and edited by hand come back, although the first writes fail", async () => {
    const space = spaceOf("34");
    await space.apply(...resources);
    await measureRecovery("the end state", Date.now(), isSame(space));
    const match = { isWrite: true, namespace: space.name };
    const rule = proxy.faults.add({ match, action: { kind: "answer", status: 500 }, times: 3 });
    await space.delete("services", "alpha");
    await space.delete("configmaps", "beta-run-config");
    await space.kubectl("set", "image", "deployment/alpha", "agent=somebody/else:1");
    const healed = await measureRecovery("children as they were", rule, async () => {
      const [alpha, service] = [await space.read("deployments", "alpha"), await space.read("services", "alpha")];
      const isBack = service !== undefined && (await space.steps("beta")) === (await spaceOf("none").steps("beta"));
      return rule.hits === 3 && isBack && JSON.stringify(alpha?.spec).includes("pallas/agent:test");
    });
    expect(healed).toBeLessThanOrEqual(recoveryLimitMs);
  });

  it.concurrent("fault 35, SEC-2: what somebody else made under a child's name stays as it is", async () => {
    const space = spaceOf("35");
    await space.kubectl("create", "configmap", "alpha-run-config", "--from-literal=whose=mine");
    await space.kubectl("create", "service", "clusterip", "beta", "--tcp=80:80");
    const before = [await space.read("configmaps", "alpha-run-config"), await space.read("services", "beta")];
    await space.apply(...resources);
    for (const name of ["alpha", "beta"]) {
      await measureRecovery(`NameConflict of ${name}`, Date.now(), async () => {
        const conditions = (await space.read("pallasagents", name))?.status?.conditions ?? [];
        return conditions.some(({ type, reason }) => type === "Available" && reason === "NameConflict");
      });
    }
    const after = [await space.read("configmaps", "alpha-run-config"), await space.read("services", "beta")];
    expect(after).toEqual(before);
  });

  it.concurrent("fault 35, SEC-2: nor is what somebody makes between our look and our write", async () => {
    const space = spaceOf("race");
    const service = { metadata: { name: "alpha" }, spec: { selector: { app: "theirs" }, ports: [{ port: 80 }] } };
    const path = `/api/v1/namespaces/${space.name}/services`;
    const rule = proxy.faults.add({
      match: { resource: "services", name: "alpha", isWrite: true, namespace: space.name },
      action: {
        kind: "call-before",
        async run() {
          expect((await callApi(cluster(), { method: "POST", path, body: service })).status).toBe(201);
        },
      },
      times: 1,
    });
    await space.apply(...resources);
    const tookMs = await measureRecovery("NameConflict", rule, async () => {
      const conditions = (await space.read("pallasagents", "alpha"))?.status?.conditions ?? [];
      return conditions.some(({ type, reason }) => type === "Available" && reason === "NameConflict");
    });
    expect(tookMs).toBeLessThanOrEqual(recoveryLimitMs);
    const found = await space.read("services", "alpha");
    expect(found?.spec).toMatchObject({ selector: { app: "theirs" } });
    expect(found?.metadata.ownerReferences).toBeUndefined();
  });

  it.concurrent("fault 36: a namespace that is being deleted costs few writes and holds up no other", async () => {
    const space = spaceOf("36");
    await space.apply(...resources);
    await measureRecovery("the end state", Date.now(), isSame(space));
    const hold = { metadata: { name: "hold", finalizers: ["example.com/hold"] } };
    const maps = `/api/v1/namespaces/${space.name}/configmaps`;
    await callApi(cluster(), { method: "POST", path: maps, body: hold });
    const agents = `/apis/pallas.helu.ca/v1alpha1/namespaces/${space.name}/pallasagents`;
    // An agent that stays for now: its children go, and cannot be made again.
    await space.kubectl(
      "patch",
      "pallasagent",
      "alpha",
      "--type=merge",
      '--patch={"metadata":{"finalizers":["example.com/hold"]}}',
    );
    await space[Symbol.asyncDispose]();
    const since = Date.now();
    const isEmpty = async () => (await space.list("deployments")).length + (await space.list("services")).length === 0;
    await measureRecovery("no Deployment and no Service", since, isEmpty);
    const other = spaceOf("none");
    await other.setSteps("alpha", 5);
    expect(await measureFollowing(other, "beta", 36, Date.now())).toBeLessThanOrEqual(recoveryLimitMs);
    const writes = writesIn(space).filter(({ at }) => at > since);
    const tries = new Map<string, number>();
    for (const { resource, name } of writes) {
      if (isChild(resource)) tries.set(`${resource}/${name}`, (tries.get(`${resource}/${name}`) ?? 0) + 1);
    }
    expect(Math.max(0, ...tries.values())).toBeLessThanOrEqual(triesInTenSeconds);
    expect(writes.filter(({ status }) => status === 201)).toEqual([]);
    for (const path of [`${maps}/hold`, `${agents}/alpha`])
      expect((await callApi(cluster(), { path })).status).toBe(200);
    const release = '--patch={"metadata":{"finalizers":null}}';
    await space.kubectl("patch", "configmap", "hold", "--type=merge", release);
    await space.kubectl("patch", "pallasagent", "alpha", "--type=merge", release);
    const path = `/api/v1/namespaces/${space.name}`;
    await measureRecovery("no namespace", Date.now(), async () => (await callApi(cluster(), { path })).status === 404);
  });

  it.concurrent("fault 37: an agent deleted while its children are being made leaves nothing behind", async () => {
    const space = spaceOf("37");
    await space.apply(instance(), agent("beta"));
    const rule = proxy.faults.add({
      match: { resource: "configmaps", name: "alpha-run-config", isWrite: true, namespace: space.name },
      action: { kind: "call-after", run: () => space.delete("pallasagents", "alpha") },
      times: 1,
    });
    await space.apply(agent("alpha"));
    const left = async () => Object.keys(await observeEndState(space)).filter((key) => key.includes("alpha"));
    const isGone = async () => rule.hits === 1 && (await left()).length === 0;
    expect(await measureRecovery("nothing of alpha", rule, isGone)).toBeLessThanOrEqual(recoveryLimitMs);
    expect(await measureFollowing(space, "beta", 37, Date.now())).toBeLessThanOrEqual(recoveryLimitMs);
    expect(await left()).toEqual([]);
  });
});
