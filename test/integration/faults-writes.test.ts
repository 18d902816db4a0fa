// Problems of writes and other writers in the way, numbered as in test/faults/rows.ts: each ends with the
// same children as without the fault. One operator looks after a namespace per row.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { observeEndState, type EndState } from "../faults/end-state.ts";
import type { AnswerError, RequestFault } from "../faults/fault-rules.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { measureFollowing, measureRecovery, maxRecoveryMs } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Plural, type Space } from "../faults/space.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

/** Each of the 18 children may be seen to change twice as it is deleted, which may cost its owner a refused try. */
const triesWhileEmptied = 36;
const isNamespaceTerminating = ({ reason, message }: { reason: string; message: string }) =>
  reason === "NamespaceTerminating" && message.includes("namespace is being deleted");
const rows = "none 31 31-status 33 33-half 34 35 race 36 37 429 500".split(" ");
const resources = [instance(), agent("alpha"), agent("beta")];

/** Until the returned function is called, nobody can delete the namespace's resources of ours, not even with it. */
async function refuseDeletion(space: Space): Promise<() => Promise<void>> {
  const root = "/apis/admissionregistration.k8s.io/v1";
  const resourceRules = [
    { apiGroups: ["pallas.helu.ca"], apiVersions: ["*"], operations: ["DELETE"], resources: ["*"] },
    // Nor the operator's rights: without them it would not hear why its writes are refused.
    { apiGroups: ["rbac.authorization.k8s.io"], apiVersions: ["*"], operations: ["DELETE"], resources: ["*"] },
  ];
  const spec = {
    failurePolicy: "Fail",
    matchConstraints: { resourceRules },
    matchConditions: [{ name: "here", expression: `request.namespace == '${space.name}'` }],
    validations: [{ expression: "false", message: "kept by the test" }],
  };
  const binding = { policyName: space.name, validationActions: ["Deny"] };
  const objects = { validatingadmissionpolicies: spec, validatingadmissionpolicybindings: binding };
  for (const [plural, of] of Object.entries(objects)) {
    const body = { metadata: { name: space.name }, spec: of };
    const { status, body: answer } = await callApi(cluster(), { method: "POST", path: `${root}/${plural}`, body });
    if (status !== 201) throw new Error(`expected ${plural}/${space.name} to be made, found: ${answer}`);
  }
  const tries = ["delete", "pallasagent", "alpha", "--dry-run=server"];
  const isRefused = () =>
    space.kubectl(...tries).then(
      () => false,
      () => true,
    );
  await measureRecovery("deletions to be refused", Date.now(), isRefused);
  return async () => {
    for (const plural of Object.keys(objects)) {
      await callApi(cluster(), { method: "DELETE", path: `${root}/${plural}/${space.name}` });
    }
  };
}

describe.skipIf(clusterMissing())("OPR-7 the operator survives faults of writes", { timeout: 120_000 }, () => {
  let proxy: FaultProxy;
  let operator: OperatorProcess;
  let spaces: Map<string, Space>;
  let undisturbed: EndState;
  let undisturbedSteps: number | undefined;

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
    undisturbedSteps = await space.steps("beta");
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await proxy.stop();
    await Promise.all([...spaces.values()].map((space) => space[Symbol.asyncDispose]()));
  });

  const faults: [string, Plural | "pallasagents/status", RequestFault | AnswerError, number][] = [
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
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
    expect(await observeEndState(space)).toEqual(undisturbed);
  });

  it.concurrent("fault 34: children deleted and edited by hand come back, although the first writes fail", async () => {
    const space = spaceOf("34");
    await space.apply(...resources);
    await measureRecovery("the end state", Date.now(), isSame(space));
    const match = { isWrite: true, namespace: space.name };
    const rule = proxy.faults.add({ match, action: { kind: "answer", status: 500 }, times: 3 });
    await space.delete("services", "alpha");
    await space.delete("configmaps", (await space.runConfig("beta"))?.metadata.name ?? "none");
    await space.kubectl("set", "image", "deployment/alpha", "agent=somebody/else:1");
    const healed = await measureRecovery("children as they were", rule, async () => {
      const [alpha, service] = [await space.read("deployments", "alpha"), await space.read("services", "alpha")];
      const isBack = service !== undefined && (await space.steps("beta")) === undisturbedSteps;
      return rule.hits === 3 && isBack && JSON.stringify(alpha?.spec).includes("pallas/agent:test");
    });
    expect(healed).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("SEC-2 fault 35: what somebody else made under a child's name stays as it is", async () => {
    const space = spaceOf("35");
    await space.kubectl("create", "configmap", "alpha-live-config", "--from-literal=whose=mine");
    await space.kubectl("create", "service", "clusterip", "beta", "--tcp=80:80");
    const before = [await space.read("configmaps", "alpha-live-config"), await space.read("services", "beta")];
    await space.apply(...resources);
    for (const name of ["alpha", "beta"]) {
      await measureRecovery(`NameConflict of ${name}`, Date.now(), async () => {
        const conditions = (await space.read("pallasagents", name))?.status?.conditions ?? [];
        return conditions.some(({ type, reason }) => type === "Available" && reason === "NameConflict");
      });
    }
    const after = [await space.read("configmaps", "alpha-live-config"), await space.read("services", "beta")];
    expect(after).toEqual(before);
  });

  it.concurrent("SEC-2 fault 35: nor is what somebody makes between our look and our write", async () => {
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
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
    const found = await space.read("services", "alpha");
    expect(found?.spec).toMatchObject({ selector: { app: "theirs" } });
    expect(found?.metadata.ownerReferences).toBeUndefined();
  });

  it.concurrent("OPR-3 fault 36: a namespace that is being deleted is waited for, and holds up no other", async () => {
    const space = spaceOf("36");
    await space.apply(...resources);
    await measureRecovery("the end state", Date.now(), isSame(space));
    const hold = { metadata: { name: "hold", finalizers: ["example.com/hold"] } };
    const path = `/api/v1/namespaces/${space.name}`;
    await callApi(cluster(), { method: "POST", path: `${path}/configmaps`, body: hold });
    // The resources stay for now: their children go, and cannot be made again.
    const allowDeletion = await refuseDeletion(space);
    await space[Symbol.asyncDispose]();
    const since = Date.now();
    await measureRecovery("the reason of it all", since, async () => {
      const owners = [...(await space.list("pallasagents")), ...(await space.list("pallasinstances"))];
      const told = owners.filter(({ status }) => status?.conditions?.some(isNamespaceTerminating) ?? false);
      const kinds = ["deployments", "services", "serviceaccounts", "configmaps", "networkpolicies"] as const;
      const lists = await Promise.all(kinds.map((kind) => space.list(kind)));
      const left = lists.flat().filter(({ metadata }) => metadata.name !== "hold");
      return told.length === resources.length && left.length === 0;
    });
    const other = spaceOf("none");
    await other.setSteps("alpha", 5);
    expect(await measureFollowing(other, "beta", 36, Date.now())).toBeLessThanOrEqual(maxRecoveryMs);
    const writes = () => writesIn(space).filter(({ at }) => at > since);
    expect(writes().filter(({ status }) => status === 201)).toEqual([]);
    expect(writes().filter(({ status }) => status === 403).length).toBeLessThanOrEqual(triesWhileEmptied);
    const before = writes().length;
    await delay(3_000);
    expect(writes().length).toBe(before);
    const complaints = operator.logged(space.name).filter((line) => /"level":"(?:ERROR|WARNING)"/.test(line));
    expect(complaints).toEqual([]);
    expect((await callApi(cluster(), { path: `${path}/configmaps/hold` })).status).toBe(200);
    await allowDeletion();
    await space.kubectl("patch", "configmap", "hold", "--type=merge", '--patch={"metadata":{"finalizers":null}}');
    await measureRecovery("no namespace", Date.now(), async () => (await callApi(cluster(), { path })).status === 404);
  });

  it.concurrent("fault 37: an agent deleted while its children are being made leaves nothing behind", async () => {
    const space = spaceOf("37");
    await space.apply(instance(), agent("beta"));
    const rule = proxy.faults.add({
      match: { resource: "configmaps", name: "alpha-live-config", isWrite: true, namespace: space.name },
      action: { kind: "call-after", run: () => space.delete("pallasagents", "alpha") },
      times: 1,
    });
    await space.apply(agent("alpha"));
    const left = async () => Object.keys(await observeEndState(space)).filter((key) => key.includes("alpha"));
    // What was already being written may land after the deletion, and is collected in its turn.
    const isQuiet = () => Date.now() - (writesIn(space).at(-1)?.at ?? 0) > 1_000;
    const isGone = async () => rule.hits === 1 && isQuiet() && (await left()).length === 0;
    expect(await measureRecovery("nothing of alpha", rule, isGone)).toBeLessThanOrEqual(maxRecoveryMs);
    expect(await measureFollowing(space, "beta", 37, Date.now())).toBeLessThanOrEqual(maxRecoveryMs);
    expect(await left()).toEqual([]);
  });
});
