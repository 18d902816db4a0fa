// Removals that fail, and others who write what is ours, numbered as in the project's table of fault tests. One operator
// looks after a namespace per row.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import type { RequestFault } from "../faults/fault-rules.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { measureRecovery, maxRecoveryMs, untilStruck } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Plural, type Space } from "../faults/space.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const removals = {
  "500 of a budget": ["poddisruptionbudgets", { kind: "answer", status: 500 }],
  "409 of a budget": ["poddisruptionbudgets", { kind: "answer", status: 409 }],
  "403 of a policy": ["networkpolicies", { kind: "answer", status: 403 }],
  "no answer for a policy": ["networkpolicies", { kind: "drop" }],
} as const satisfies Record<string, readonly [Plural, RequestFault]>;
const actors = ["scale the agent", "scale the Deployment", "foreign fields"];

/** Of one object, when the pause between two doubles from 5 ms, less a quarter: 3.75 ms · 2^12 = 15 s. */
const triesInTenSeconds = 12;
const several = { scope: "request", replicas: 2 };

let proxy: FaultProxy;
let operator: OperatorProcess;
let spaces: Map<string, Space>;

const spaceOf = (row: string): Space => {
  const space = spaces.get(row);
  if (space === undefined) throw new Error(`expected a namespace for row ${row}`);
  return space;
};
const untilDone = (what: string, isDone: () => Promise<boolean>) => measureRecovery(what, Date.now(), isDone);
const replicasOf = async (space: Space) => (await space.read("deployments", "alpha"))?.spec?.["replicas"];
const untilReplicas = (space: Space, count: number) =>
  untilDone(`${count} replicas of the Deployment`, async () => (await replicasOf(space)) === count);
const available = async (space: Space) =>
  (await space.read("pallasagents", "alpha"))?.status?.conditions?.find(({ type }) => type === "Available");
const callsOf = (space: Space, verb: string, resource: string) =>
  proxy.journal.filter((call) => call.namespace === space.name && call.verb === verb && call.resource === resource);

/** As an autoscaler does, but whatever version is there. */
async function putScale(space: Space, path: string, replicas: number): Promise<void> {
  const metadata = { name: "alpha", namespace: space.name };
  const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas } };
  expect((await callApi(cluster(), { method: "PUT", path, body })).status).toBe(200);
}

describe.skipIf(clusterMissing())("OPR-2 OPR-5 OPR-10 removals and other actors", { timeout: 120_000 }, () => {
  beforeAll(async () => {
    proxy = await startFaultProxy({ upstream: cluster() });
    const rows = [...Object.keys(removals), ...actors];
    spaces = new Map(
      await Promise.all(rows.map(async (row) => [row, await createSpace("fault-38", cluster())] as const)),
    );
    await Promise.all([...spaces.values()].map((space) => space.apply(instance(), agent("alpha", several))));
    operator = await startOperator(proxy, {
      namespaces: [...spaces.values()].map(({ name }) => name),
      env: { PALLAS_AUTHOR_NETWORK_POLICY: "off" },
    });
    for (const space of spaces.values()) {
      await untilDone("every child", async () => {
        const children = await Promise.all(
          (["poddisruptionbudgets", "deployments"] as const).map((plural) => space.read(plural, "alpha")),
        );
        return children.every((child) => child !== undefined);
      });
    }
  });
  afterAll(async () => {
    await operator[Symbol.asyncDispose]();
    await proxy.stop();
    await Promise.all([...spaces.values()].map((space) => space[Symbol.asyncDispose]()));
  });

  it.concurrent.each(Object.entries(removals))(
    "fault 38: a removal meets %s: it is told and tried again, and nothing else waits",
    async (row, [plural, action]) => {
      const space = spaceOf(row);
      const other = plural === "networkpolicies" ? "poddisruptionbudgets" : "networkpolicies";
      const rule = proxy.faults.add({
        match: { verb: "delete", resource: plural, namespace: space.name },
        action,
      });
      const since = Date.now();
      const networkPolicy = { enabled: false };
      await space.apply(agent("alpha", { scope: "request", networkPolicy, request: { maxSteps: 7 } }));
      await untilDone("every other change", async () => {
        const isEdited = (await space.steps("alpha")) === 7 && (await replicasOf(space)) === 1;
        return isEdited && (await space.read(other, "alpha")) === undefined;
      });
      await untilStruck(rule, 2);
      await untilDone("the condition to say so", async () => {
        const { reason = "", message = "" } = (await available(space)) ?? {};
        return reason === "ApiError" && message.includes(`${space.name}/alpha is not wanted any more`);
      });
      expect(Date.now() - since).toBeLessThanOrEqual(maxRecoveryMs);
      const { metadata, status } = (await space.read("pallasagents", "alpha")) ?? {};
      // A generation whose removal was refused is not handled.
      expect(status?.observedGeneration).toBeLessThan(Number(metadata?.generation));
      expect(await space.read(plural, "alpha")).toBeDefined();
      expect(callsOf(space, "delete", plural).length).toBeLessThanOrEqual(triesInTenSeconds);
      rule.remove();
      const goneMs = await untilDone("the end of what is not wanted", async () => {
        const isGone = (await space.read(plural, "alpha")) === undefined;
        return isGone && (await available(space))?.reason !== "ApiError";
      });
      expect(goneMs).toBeLessThanOrEqual(maxRecoveryMs);
    },
  );

  it.concurrent("fault 32: kubectl scale and an autoscaler on the agent: the Deployment follows", async () => {
    const space = spaceOf("scale the agent");
    const path = `/apis/pallas.helu.ca/v1alpha1/namespaces/${space.name}/pallasagents/alpha/scale`;
    await space.kubectl("scale", "pallasagent/alpha", "--replicas=3");
    await untilReplicas(space, 3);
    const before = callsOf(space, "patch", "deployments").length;
    for (const replicas of [4, 6, 0, 2]) {
      await putScale(space, path, replicas);
      await untilReplicas(space, replicas);
    }
    await delay(1_000);
    expect(callsOf(space, "patch", "deployments").length - before).toBe(4);
  });

  it.concurrent("fault 32: others who scale the Deployment lose, at one write for each of theirs", async () => {
    const space = spaceOf("scale the Deployment");
    const before = callsOf(space, "patch", "deployments").length;
    const path = `/apis/apps/v1/namespaces/${space.name}/deployments/alpha/scale`;
    await space.kubectl("scale", "deployment/alpha", "--replicas=5");
    await untilReplicas(space, 2);
    for (const replicas of [4, 6, 0]) {
      await putScale(space, path, replicas);
      await untilReplicas(space, 2);
    }
    // With server-side apply they even own the field, until it is taken back.
    const theirs = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "alpha" }, spec: { replicas: 7 } };
    await space.apply(theirs);
    await untilReplicas(space, 2);
    await delay(1_000);
    expect(await replicasOf(space)).toBe(2);
    expect(callsOf(space, "patch", "deployments").length - before).toBeLessThanOrEqual(5);
    expect((await space.read("pallasagents", "alpha"))?.spec).toMatchObject({ replicas: 2 });
  });

  it.concurrent("fault 32: fields of others on our objects stay, and cost no write", async () => {
    const space = spaceOf("foreign fields");
    const before = callsOf(space, "patch", "deployments").length;
    await space.kubectl("annotate", "deployment/alpha", "example.com/note=theirs");
    await space.kubectl("label", "deployment/alpha", "service/alpha", "example.com/team=blue");
    await space.apply({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "alpha", labels: { "example.com/cost": "low" } },
      spec: { minReadySeconds: 3 },
    });
    await delay(1_000);
    expect(callsOf(space, "patch", "deployments").length).toBe(before);
    await space.setSteps("alpha", 9);
    await untilDone("the edit in the Deployment", async () => callsOf(space, "patch", "deployments").length > before);
    await space.kubectl("patch", "service", "alpha", "--type=merge", '--patch={"spec":{"selector":{"app":"theirs"}}}');
    await untilDone("our selector", async () => {
      const { selector } = (await space.read("services", "alpha"))?.spec ?? {};
      return JSON.stringify(selector).includes('"pallas.helu.ca/agent":"alpha"');
    });
    const { metadata, spec } = (await space.read("deployments", "alpha")) ?? {};
    expect(metadata?.annotations).toMatchObject({ "example.com/note": "theirs" });
    expect(metadata?.labels).toMatchObject({ "example.com/team": "blue", "example.com/cost": "low" });
    expect(spec).toMatchObject({ minReadySeconds: 3, replicas: 2 });
    expect((await space.read("services", "alpha"))?.metadata.labels).toMatchObject({ "example.com/team": "blue" });
  });
});
