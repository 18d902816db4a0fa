// Two operators, one leader: who writes, how long a takeover takes, and that a deposed leader writes nothing.
import { describe, expect, it, vi } from "vitest";
import { cluster, clusterMissing, createNamespace } from "../cluster/cluster.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const apiVersion = "pallas.helu.ca/v1alpha1";

async function startPair(prefix: string) {
  const access = cluster();
  const namespace = await createNamespace(prefix, access);
  const env = { PALLAS_LEADER_ELECTION: "true", PALLAS_LEASE_NAMESPACE: namespace.name };
  const start = () => startOperator(access, { namespaces: [namespace.name], env });
  const first = await start();
  await vi.waitFor(async () => expect(await isLeader(first)).toBe(true), { timeout: 10_000 });
  const second = await start();
  const kubectl = (args: string[], input?: string) =>
    access.kubectl([`--namespace=${namespace.name}`, ...args], input === undefined ? {} : { input });
  /** Applies an instance, and resolves when somebody has made its registry. */
  const applied = async (name: string) => {
    const spec = { registryNamespace: "com.example", defaultModel: "passthrough" };
    await kubectl(
      ["apply", "-f", "-"],
      JSON.stringify({ apiVersion, kind: "PallasInstance", metadata: { name }, spec }),
    );
    const found = async () =>
      expect(await kubectl(["get", "deployments", "-o", "name"])).toContain(`/${name}-registry`);
    await vi.waitFor(found, { timeout: 25_000, interval: 100 });
  };
  return { namespace, first, second, kubectl, applied };
}

const isLeader = async (operator: OperatorProcess) =>
  [...(await operator.metric("leader_election_master_status")).values()].includes(1);
const writes = async (operator: OperatorProcess) => {
  const { GET: _, PUT: __, ...others } = await operator.requests(); // PUT and GET: the Lease
  return others;
};

describe.skipIf(clusterMissing())("OPR-6 two operators", () => {
  it("one leads and writes; the other is ready and writes nothing; SIGTERM hands over within 3 s", async () => {
    const { namespace, first, second, applied } = await startPair("handover");
    await applied("one");
    expect(await isLeader(second)).toBe(false);
    expect(await writes(second)).toEqual({});
    const stoppedAt = Date.now();
    const { code } = await first.stop();
    await vi.waitFor(async () => expect(await isLeader(second)).toBe(true), { timeout: 10_000, interval: 50 });
    expect(code).toBe(0);
    expect(Date.now() - stoppedAt).toBeLessThan(3_000);
    await applied("two");
    await second.stop();
    await namespace.remove();
  });

  it("a leader that falls silent is replaced within 17 s; awake again it writes nothing and ends", async () => {
    const { namespace, first, second, applied, kubectl } = await startPair("silent");
    await applied("one");
    first.signal("SIGSTOP");
    const frozenAt = Date.now();
    await vi.waitFor(async () => expect(await isLeader(second)).toBe(true), { timeout: 25_000, interval: 100 });
    expect(Date.now() - frozenAt).toBeLessThan(17_000);
    // What the frozen one would put right at once, if it still could.
    await kubectl(["delete", "service", "one-registry"]);
    await vi.waitFor(async () => expect(await kubectl(["get", "service"])).toContain("one-registry"), {
      timeout: 5_000,
    });
    const { metadata: before } = JSON.parse(await kubectl(["get", "deployment", "one-registry", "-o", "json"]));
    first.signal("SIGCONT");
    expect(await first.ended).toBe(1);
    const { metadata: after } = JSON.parse(await kubectl(["get", "deployment", "one-registry", "-o", "json"]));
    expect(after.managedFields).toEqual(before.managedFields);
    await second.stop();
    await namespace.remove();
  });
});
