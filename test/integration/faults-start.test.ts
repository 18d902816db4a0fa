// Problems around the operator's start and end, numbered as in test/faults/rows.ts.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApiServer } from "../cluster/api-server.ts";
import { auditDir } from "../cluster/audit.ts";
import { cluster, clusterMissing } from "../cluster/cluster.ts";
import { installCrds } from "../cluster/install-crds.ts";
import { startFaultProxy } from "../faults/proxy.ts";
import { measureRecovery, maxRecoveryMs } from "../faults/recovery.ts";
import { createSpace, agent, instance, type Space } from "../faults/space.ts";
import { startOperator } from "./operator-process.ts";
import { grantRights } from "./program-account.ts";

const crdDir = join(import.meta.dirname, "../../crds");
const maxStopMs = 5_000;

const hasDeployment = (space: Space) => async () => (await space.read("deployments", "alpha")) !== undefined;

describe.skipIf(clusterMissing())("OPR-7 the operator starts and stops under faults", { timeout: 90_000 }, () => {
  it.concurrent("fault 1: first lists that fail once each are asked for again", async () => {
    await using space = await createSpace("fault-1", cluster());
    await using proxy = await startFaultProxy({ upstream: cluster() });
    await space.apply(instance(), agent("alpha"));
    const match = { verb: "list", namespace: space.name };
    const rule = proxy.faults.add({ match, action: { kind: "answer", status: 500 }, times: 8 });
    await using _operator = await startOperator(proxy, { namespaces: [space.name] });
    const tookMs = await measureRecovery("a Deployment", rule, hasDeployment(space));
    expect(rule.hits).toBe(8);
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent.each([
    ["connects", "watch", "drop"],
    ["lists", "list", "drop"],
  ] as const)("fault 13: SIGTERM while it %s without an answer ends it", async (_title, verb, kind) => {
    await using space = await createSpace("fault-13", cluster());
    await using proxy = await startFaultProxy({ upstream: cluster() });
    const held = proxy.faults.add({ match: { verb, namespace: space.name }, action: { kind } });
    await using operator = await startOperator(proxy, { namespaces: [space.name] });
    await measureRecovery("every kind to be held", Date.now(), () => Promise.resolve(held.hits >= 8));
    const asked = Date.now();
    const { code, stderr } = await operator.stop();
    expect(Date.now() - asked).toBeLessThanOrEqual(maxStopMs);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it.concurrent("fault 15: without its CRDs it waits, and works once they are installed", async () => {
    await using server = await startApiServer({ auditDir });
    await using space = await createSpace("fault-15", server);
    await using proxy = await startFaultProxy({ upstream: server });
    await using _operator = await startOperator(proxy, { namespaces: [space.name] });
    const missing = () =>
      proxy.journal.filter(({ resource, status }) => resource.startsWith("pallas") && status === 404);
    await measureRecovery("several 404", Date.now(), () => Promise.resolve(missing().length >= 6));
    const names = (await readdir(crdDir)).filter((name) => name.endsWith(".yaml"));
    const files = names.map((name) => join(crdDir, name));
    await installCrds(server, files);
    const installedAt = Date.now();
    await space.apply(instance(), agent("alpha"));
    const tookMs = await measureRecovery("a Deployment", installedAt, hasDeployment(space));
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
  });

  it.concurrent("fault 16: without rights it waits, and works once they are granted", async () => {
    await using space = await createSpace("fault-16", cluster());
    await using proxy = await startFaultProxy({ upstream: cluster() });
    await using _operator = await startOperator(proxy, { namespaces: [space.name], isGranted: false });
    const refused = () => proxy.journal.filter(({ status }) => status === 403);
    await measureRecovery("several 403", Date.now(), () => Promise.resolve(refused().length >= 16));
    await space.apply(instance(), agent("alpha"));
    expect(await hasDeployment(space)()).toBe(false);
    await grantRights(proxy, { home: space.name, namespaces: [space.name] });
    const grantedAt = Date.now();
    const tookMs = await measureRecovery("a Deployment", grantedAt, hasDeployment(space));
    expect(tookMs).toBeLessThanOrEqual(maxRecoveryMs);
  });
});
