// The operator with exactly the rights it asks for, watched from the wire: nothing it does is refused, and there is no
// right that it neither uses nor hands on. With an API server of its own, since one of them looks after a whole cluster.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ownRules, renderRights, watchedRules, type PolicyRule } from "../../operator/rights.ts";
import { startApiServer, type ApiServer } from "../cluster/api-server.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import type { ApiCallRecord } from "../faults/journal.ts";
import { startFaultProxy, type FaultProxy } from "../faults/proxy.ts";
import { agent, createSpace, smallInstance, type Space } from "../faults/space.ts";
import { startFakeKubelet, type FakeKubelet } from "./fake-kubelet.ts";
import { foreignChildren } from "./foreign-children.ts";
import { startOperator } from "./operator-process.ts";

const crdDir = join(import.meta.dirname, "../../crds");
const name = "pallas-operator";
const timeout = 30_000;

const expand = (rules: readonly PolicyRule[]): string[] =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`))),
  );

/** The rights that calls needed. A server-side apply that made something needed the right to create it too. */
function rightsUsed(journal: readonly ApiCallRecord[]): Set<string> {
  const calls = journal.filter(({ resource }) => resource !== "");
  return new Set(
    calls.flatMap(({ group, resource, verb, status }) => [
      `${group}/${resource} ${verb}`,
      ...(verb === "patch" && status === 201 ? [`${group}/${resource} create`] : []),
    ]),
  );
}

/** What the registry's Role holds, as the server has it. */
async function rightsHandedOn(space: Space): Promise<string[]> {
  const json = await space.kubectl("get", "roles", "--selector=pallas.helu.ca/component=registry", "--output=json");
  const roles: { rules: PolicyRule[] }[] = JSON.parse(json).items;
  return roles.flatMap(({ rules }) => expand(rules));
}

interface Stage {
  readonly server: ApiServer;
  /** The operator's own namespace. */
  readonly home: Space;
  /** Where it works. */
  readonly work: Space;
  readonly kubelet: FakeKubelet;
  readonly proxy: FaultProxy;
}

/** The operator with a token of its ServiceAccount and nothing else. `everywhere`: in the whole cluster. */
async function setUp(server: ApiServer, everywhere: boolean): Promise<Stage> {
  const home = await createSpace("home", server);
  const work = await createSpace("work", server);
  const watched = everywhere ? undefined : [work.name];
  const rights = renderRights({ name, namespace: home.name, watched });
  const input = rights.map((object) => JSON.stringify(object)).join("\n---\n");
  await server.kubectl(["apply", "--server-side", "--filename=-"], { input });
  const token = (await home.kubectl("create", "token", name)).trim();
  const proxy = await startFaultProxy({ upstream: server, token });
  const env = { PALLAS_LEADER_ELECTION: "true", PALLAS_LEASE_NAMESPACE: home.name };
  const operator = await startOperator(proxy, { namespaces: watched ?? [], env });
  const kubelet = startFakeKubelet(server, work.name);
  onTestFinished(async () => {
    await operator[Symbol.asyncDispose]();
    await kubelet[Symbol.asyncDispose]();
    await proxy.stop();
    // The next operator must not find anything to do here.
    await work.kubectl("delete", "pallasagents,pallasinstances", "--all");
    await work[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });
  return { server, home, work, kubelet, proxy };
}

const statusOf = async (work: Space, agentName: string, type: string) => {
  const found = (await work.read("pallasagents", agentName))?.status?.conditions;
  return found?.find((condition) => condition.type === type)?.status;
};

/** What an operator meets in its life: creations, edits, pods that fail and come back, names that others have taken. */
async function live({ work, kubelet }: Stage): Promise<void> {
  await work.apply(...smallInstance);
  await work.kubectl("wait", "--for=condition=Ready", "pallasagents,pallasinstances", "--all", "--timeout=60s");
  await work.setSteps("alpha", 7);
  await expect.poll(() => work.steps("alpha"), { timeout }).toBe(7);
  // Children that come and go by settings.
  await work.apply(agent("several", { replicas: 2, scope: "request" }), agent("lasting", { storage: { size: "1Gi" } }));
  await expect
    .poll(() => work.kubectl("get", "poddisruptionbudgets,networkpolicies", "-o", "name"), { timeout })
    .toMatch(/poddisruptionbudget\S*several[^]*networkpolicy\S*several/);
  await work.apply(agent("several", { replicas: 1, scope: "request", networkPolicy: { enabled: false } }));
  await expect
    .poll(() => work.kubectl("get", "poddisruptionbudgets,networkpolicies", "-o", "name"), { timeout })
    .not.toContain("several");
  // The same Event twice, so that the second one is counted in the first.
  for (const _ of [1, 2]) {
    kubelet.hold("beta");
    await work.kubectl("delete", "pods", "--selector=pallas.helu.ca/agent=beta", "--now");
    await expect.poll(() => statusOf(work, "beta", "Available"), { timeout }).toBe("False");
    kubelet.release("beta");
    await expect.poll(() => statusOf(work, "beta", "Available"), { timeout }).toBe("True");
  }
  const foreign = foreignChildren();
  await work.apply(...foreign.map(({ object }) => object));
  await work.apply(...foreign.map(({ owner }) => owner));
  for (const { owner } of foreign) {
    const target = `${owner.kind.toLowerCase()}/${owner.metadata.name}`;
    await work.kubectl("wait", "--for=condition=Stalled", target, "--timeout=30s");
  }
}

describe.skipIf(clusterMissing())("OPR-9 the operator's rights", { timeout: 120_000 }, () => {
  let server: ApiServer;
  beforeAll(async () => {
    const crdPaths = (await readdir(crdDir)).filter((file) => file.endsWith(".yaml")).map((file) => join(crdDir, file));
    server = await startApiServer({ controllers: true, crdPaths });
  });
  afterAll(() => server.stop());

  it.each([
    ["in listed namespaces, by Roles alone", false],
    ["in the whole cluster", true],
  ])("%s: enough for all it does, and none too many", async (_, everywhere) => {
    const stage = await setUp(server, everywhere);
    await live(stage);
    const { journal } = stage.proxy;
    const refused = journal.filter(({ status }) => status === 401 || status === 403);
    const handedOn = await rightsHandedOn(stage.work);
    const granted = expand([...watchedRules(), ...ownRules()]);
    const used = () => new Set([...rightsUsed(journal), ...handedOn]);
    const idle = () => granted.filter((right) => !used().has(right));
    await expect.poll(idle, { timeout }).toEqual([]);
    expect([...rightsUsed(refused)]).toEqual([]);
    expect([...used()].filter((right) => !granted.includes(right))).toEqual([]);
    expect(handedOn.length).toBeGreaterThan(0);
  });
});
