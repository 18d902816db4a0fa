// 28 of the project's table of fault tests: the operator is killed after each single write of bringing up a small
// instance, and another one started. What is there in the end is what an undisturbed operator makes.
import { beforeAll, describe, expect, it } from "vitest";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { observeEndState, type EndState } from "../faults/end-state.ts";
import type { ApiCallRecord } from "../faults/journal.ts";
import { startFaultProxy } from "../faults/proxy.ts";
import { measureRecovery, maxRecoveryMs } from "../faults/recovery.ts";
import { createSpace, smallInstance, type Space } from "../faults/space.ts";
import { startFakeKubelet } from "./fake-kubelet.ts";
import { startOperator } from "./operator-process.ts";

interface Write {
  readonly resource: string;
  readonly name: string;
  /** The how many-th write of this object, from 1. */
  readonly nth: number;
}

/** In the name of a run-config; it is another in each namespace. */
const hash = "[0-9a-f]{16}";
const named = ({ resource, name, nth }: Write) => `${resource}/${name} ${nth}`;

async function isReady(space: Space): Promise<boolean> {
  const resources = [...(await space.list("pallasinstances")), ...(await space.list("pallasagents"))];
  const ready = resources.filter(({ metadata, status }) => {
    const condition = status?.conditions?.find(({ type }) => type === "Ready");
    return condition?.status === "True" && status?.observedGeneration === metadata.generation;
  });
  const [team] = resources;
  return ready.length === smallInstance.length && team?.status?.agents?.ready === 2;
}

interface Run {
  /** False when it was over before that write. */
  readonly wasKilled: boolean;
  readonly recoveryMs: number;
  readonly state: EndState;
  /** In their order, those that the API server answered. */
  readonly writes: readonly Write[];
}

/** Brings the instance up, with the operator killed right after `fatal`, and another one in its place. */
async function bringUp(fatal?: Write, expected?: EndState): Promise<Run> {
  await using space = await createSpace("fault-28", cluster());
  await using proxy = await startFaultProxy({ upstream: cluster() });
  await using _kubelet = startFakeKubelet(cluster(), space.name);
  await space.apply(...smallInstance);
  const isThere = async (): Promise<boolean> => {
    if (expected === undefined) return isReady(space);
    return JSON.stringify(await observeEndState(space)) === JSON.stringify(expected);
  };

  const kill = Promise.withResolvers<void>();
  const { resource = "", name = "", nth = 1 } = fatal ?? {};
  const rule = proxy.faults.add({
    match: {
      isWrite: true,
      namespace: space.name,
      resource,
      name: new RegExp(`^${name.replace("-run-config-1", `-run-config-${hash}`)}$`),
    },
    action: { kind: "call-after", run: () => first.kill9().then(kill.resolve) },
    skip: nth - 1,
    times: 1,
  });
  const first = await startOperator(proxy, { namespaces: [space.name] });
  const started = Date.now();
  await measureRecovery("the end state", started, async () => rule.hits > 0 || (await isThere()));
  rule.remove();
  const wasKilled = rule.hits > 0;
  if (wasKilled) await kill.promise;
  const restartedAt = wasKilled ? Date.now() : started;
  await using _running = wasKilled ? await startOperator(proxy, { namespaces: [space.name] }) : first;
  const recoveryMs = await measureRecovery("the end state", restartedAt, isThere).catch(() => Number.POSITIVE_INFINITY);
  return { wasKilled, recoveryMs, state: await observeEndState(space), writes: writesOf(proxy.journal) };
}

function writesOf(journal: readonly ApiCallRecord[]): Write[] {
  const counts = new Map<string, number>();
  return journal.flatMap(({ isWrite, reached, resource, name: written = "" }) => {
    const name = written.replace(new RegExp(`-run-config-${hash}$`), "-run-config-1");
    // Events are news, not state: they are written when there is time, and nothing is built on them.
    if (!isWrite || !reached || resource === "events") return [];
    const nth = (counts.get(`${resource}/${name}`) ?? 0) + 1;
    counts.set(`${resource}/${name}`, nth);
    return [{ resource, name, nth }];
  });
}

describe.skipIf(clusterMissing())(
  "OPR-7 fault 28: the operator is killed after each write",
  { timeout: 480_000 },
  () => {
    let undisturbed: Run;
    beforeAll(async () => {
      undisturbed = await bringUp();
    });

    it("undisturbed it makes every child once", () => {
      const { state } = undisturbed;
      const agents = ["alpha", "beta"].flatMap((name) => [
        ...[`deployments/${name}`, `services/${name}`, `serviceaccounts/${name}-agent`],
        ...[
          `configmaps/${name}-run-config-1`,
          `configmaps/${name}-live-config`,
          `pallasagents/${name}`,
          `replicasets of ${name}`,
        ],
      ]);
      expect(Object.keys(state)).toEqual(expect.arrayContaining(agents));
      expect(state).toMatchObject({ "replicasets of alpha": 1, "replicasets of beta": 1 });
      expect(JSON.stringify(state)).not.toContain("an owner that is gone");
    });

    it("undisturbed it writes every child once and nothing else but statuses", () => {
      const written = undisturbed.writes.filter(({ resource }) => !resource.endsWith("/status")).map(named);
      const children = Object.keys(undisturbed.state).filter((key) => !/^(?:replicasets|pallas)/.test(key));
      expect(written.toSorted()).toEqual(children.map((key) => `${key} 1`).toSorted());
    });

    it("killed after any of its writes, another one gets to the same end within ten seconds", async () => {
      expect(undisturbed.writes.length).toBeGreaterThan(13);
      // One after the other: two at once take as long in all, and each is then measured beside the other's work.
      for (const write of undisturbed.writes) {
        const run = await bringUp(write, undisturbed.state);
        const where = `killed after ${named(write)}`;
        // How many statuses there are on the way is a matter of timing, what is made is not.
        expect(run.wasKilled || write.resource.endsWith("/status"), where).toBe(true);
        expect(run.state, where).toEqual(undisturbed.state);
        expect(run.recoveryMs, where).toBeLessThanOrEqual(maxRecoveryMs);
      }
    });
  },
);
