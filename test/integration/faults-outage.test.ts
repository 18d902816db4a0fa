// The API server is away for a minute, etcd is not, and meanwhile others change what is in it: no watch will ever tell of
// that. Seconds after the server answers again, the operator must have mended it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditDir } from "../cluster/audit.ts";
import { startApiServer, type ApiServer } from "../cluster/api-server.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import { editStoredSpec, removeStored } from "../faults/etcd.ts";
import { measureRecovery, maxRecoveryMs } from "../faults/recovery.ts";
import { agent, createSpace, instance, type Space } from "../faults/space.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const outageMs = 60_000;
const crdDir = join(import.meta.dirname, "../../crds");
const crdPaths = readdirSync(crdDir)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => join(crdDir, name));

const isLeader = async (operator: OperatorProcess): Promise<boolean> =>
  [...(await operator.metric("leader_election_master_status")).values()].includes(1);
const hasService = (space: Space) => async () => (await space.read("services", "alpha")) !== undefined;
const isFollowed = (space: Space, steps: number) => async () => (await space.steps("alpha")) === steps;

describe.skipIf(clusterMissing())("OPR-7 an API server that is away for a minute", { timeout: 180_000 }, () => {
  let server: ApiServer;
  /** When it answered again. */
  let answersAt: Promise<number>;
  const ready = Promise.withResolvers<void>();
  const away = Promise.withResolvers<void>();
  let waiting = 2;

  beforeAll(async () => {
    server = await startApiServer({ crdPaths, auditDir });
    answersAt = (async () => {
      await ready.promise;
      await server.kill9();
      away.resolve();
      await delay(outageMs);
      await server.restart();
      return Date.now();
    })();
  });
  afterAll(async () => {
    await server.stop();
  });

  /** Resolves when everything is there; the outage begins when each test has got so far. */
  const settle = async (space: Space) => {
    await measureRecovery("a Service", Date.now(), hasService(space));
    waiting -= 1;
    if (waiting === 0) ready.resolve();
    await away.promise;
  };
  /** What happens to the namespace while nobody can be told. */
  const change = async ({ name }: Space, maxSteps: number) => {
    await removeStored(server.etcdUrl, `/registry/services/specs/${name}/alpha`);
    const key = `/registry/pallas.helu.ca/pallasagents/${name}/alpha`;
    await editStoredSpec(server.etcdUrl, key, (before) => ({ ...Object(before), request: { maxSteps } }));
  };
  const expectMended = async (space: Space, maxSteps: number) => {
    const since = await answersAt;
    const [serviceMs, editMs] = await Promise.all([
      measureRecovery("the Service", since, hasService(space)),
      measureRecovery("the edit", since, isFollowed(space, maxSteps)),
    ]);
    expect(Math.max(serviceMs, editMs)).toBeLessThanOrEqual(maxRecoveryMs);
  };

  it.concurrent("fault 17: one operator without election goes on by itself", async () => {
    const space = await createSpace("outage-lone", server);
    await space.apply(instance(), agent("alpha"));
    await using operator = await startOperator(server, { namespaces: [space.name] });
    await settle(space);
    await change(space, 17);
    await expectMended(space, 17);
    // The same process: what it did before the outage is still counted.
    expect((await operator.requests())["PATCH"]).toBeGreaterThan(5);
  });

  it.concurrent("fault 17: of two with election the leader goes on, since nobody has led meanwhile", async () => {
    const space = await createSpace("outage-pair", server);
    const options = {
      namespaces: [space.name],
      env: { PALLAS_LEADER_ELECTION: "true", PALLAS_LEASE_NAMESPACE: space.name },
    };
    await space.apply(instance(), agent("alpha"));
    await using first = await startOperator(server, options);
    await measureRecovery("a leader", Date.now(), () => isLeader(first));
    await using second = await startOperator(server, options);
    await settle(space);
    await change(space, 18);
    // Its lease has run out long before the server is back: it must not believe itself to be the leader.
    await measureRecovery("no leader", Date.now(), async () => !(await isLeader(first)));
    await expectMended(space, 18);
    expect(await Promise.all([first, second].map(isLeader))).toEqual([true, false]);
    expect((await first.requests())["PATCH"]).toBeGreaterThan(5);
  });
});
