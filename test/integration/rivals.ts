// Two operators that compete for one Lease, each behind a fault proxy of its own, whose journal says when it wrote what.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { callApi } from "../cluster/api-call.ts";
import { cluster } from "../cluster/cluster.ts";
import type { ApiCallRecord } from "../faults/journal.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { measureFollowing, measureRecovery } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Space } from "../faults/space.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

export interface Rival {
  readonly operator: OperatorProcess;
  readonly proxy: FaultProxy;
  /** What it wrote and the API server took, from `since` (milliseconds since 1970) on; the Lease and Events left out. */
  writes(since?: number): ApiCallRecord[];
  /** Writes of all kinds that came as far as the proxy, whatever became of them. */
  attempts(since: number): ApiCallRecord[];
  /** When it took or renewed the Lease. */
  leaseWrites(since?: number): ApiCallRecord[];
}

/** The Lease as the API server has it. */
export interface LeaseSpec {
  readonly holderIdentity: string;
  readonly leaseTransitions: number;
  readonly renewTime: string;
}

export interface Rivals extends AsyncDisposable {
  readonly space: Space;
  readonly first: Rival;
  readonly second: Rival;
  readLease(): Promise<LeaseSpec>;
  /** Milliseconds from `since` until the second one's first successful write of the Lease. */
  measureTakeover(since: number): Promise<number>;
}

/** Environments of the two beside what the election needs; see process-faults.ts. */
export interface RivalsOptions {
  readonly first?: Record<string, string>;
  readonly second?: Record<string, string>;
}

/** OPR-6: from the last sign of life of one leader to the first write of the next. */
export const maxTakeoverMs = 17_000;

const preload = pathToFileURL(join(import.meta.dirname, "../faults/process-faults.ts")).href;

/** The first leads and has made the children of an instance with one agent; the second waits and has seen the Lease. */
export async function startRivals(row: string, options: RivalsOptions = {}): Promise<Rivals> {
  const space = await createSpace(`fault-${row}`, cluster());
  await space.apply(instance(), agent("alpha"));
  const leasePath = `/apis/coordination.k8s.io/v1/namespaces/${space.name}/leases/pallas-operator`;
  const first = await startRival(space, "first", options.first);
  await measureRecovery("the first one's children", Date.now(), async () => !!(await space.read("services", "alpha")));
  const second = await startRival(space, "second", options.second);
  const hasLooked = () => second.proxy.journal.some(({ resource, status }) => resource === "leases" && status === 200);
  await measureRecovery("the second one's look at the Lease", Date.now(), () => Promise.resolve(hasLooked()));
  await settle(space, first, 2);
  return {
    space,
    first,
    second,
    async readLease() {
      return JSON.parse((await callApi(cluster(), { path: leasePath })).body).spec;
    },
    async measureTakeover(since) {
      const isTaken = () => Promise.resolve(second.leaseWrites(since).length > 0);
      await measureRecovery("a takeover", since, isTaken);
      return (second.leaseWrites(since)[0]?.at ?? Number.NaN) - since;
    },
    async [Symbol.asyncDispose]() {
      // Not SIGTERM: a frozen one would not hear it.
      await Promise.all([first.operator.kill9(), second.operator.kill9()]);
      await Promise.all([first.proxy.stop(), second.proxy.stop()]);
      await space[Symbol.asyncDispose]();
    },
  };
}

async function startRival(space: Space, name: string, env: Record<string, string> = {}): Promise<Rival> {
  const proxy = await startFaultProxy({ upstream: cluster() });
  const operator = await startOperator(proxy, {
    namespaces: [space.name],
    env: {
      PALLAS_LEADER_ELECTION: "true",
      PALLAS_LEASE_NAMESPACE: space.name,
      PALLAS_POD_NAME: name,
      NODE_OPTIONS: `--import=${preload}`,
      ...env,
    },
  });
  const written = (since: number, isWanted: (resource: string) => boolean) =>
    proxy.journal.filter(
      ({ at, isWrite, resource, status = 0 }) =>
        at >= since && isWrite && isWanted(resource) && status >= 200 && status < 300,
    );
  return {
    operator,
    proxy,
    attempts: (since) => proxy.journal.filter(({ at, isWrite }) => isWrite && at >= since),
    writes: (since = 0) => written(since, (resource) => resource !== "leases" && resource !== "events"),
    leaseWrites: (since = 0) => written(since, (resource) => resource === "leases"),
  };
}

const quietMs = 1_000;

/** It follows an edit of alpha to so many steps, and has written all there is to write. */
export async function settle(space: Space, rival: Rival, steps: number): Promise<void> {
  await measureFollowing(space, "alpha", steps, Date.now());
  await measureRecovery("a status of this edit, and no write after it", Date.now(), async () => {
    const { metadata, status } = (await space.read("pallasagents", "alpha")) ?? {};
    const isTold = status?.observedGeneration === metadata?.generation;
    return isTold && rival.writes(Date.now() - quietMs).length === 0;
  });
}

/** What operators write, by version: every effective write shows. */
export async function readVersions(space: Space): Promise<Record<string, string | undefined>> {
  const plurals = ["pallasinstances", "pallasagents", "configmaps", "services", "serviceaccounts"] as const;
  const lists = await Promise.all(plurals.map((plural) => space.list(plural)));
  return Object.fromEntries(lists.flat().map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
}
