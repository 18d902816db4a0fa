// The operator's rights against a life of it, in both of its scopes: nothing it does is refused, and there is no right
// that it neither uses nor hands on; and the gateway that it makes stays within what was handed on. With an API server of
// its own, since one of them looks after a whole cluster. test/rights/whole-run.test.ts asks the same of every test's calls
// together.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ownRules, watchedRules } from "../../operator/rights.ts";
import { startApiServer, type ApiServer } from "../cluster/api-server.ts";
import { auditDir } from "../cluster/audit.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import { agent, createSpace, instance, server as toolServer, smallInstance, type Space } from "../faults/space.ts";
import { readAuditLog } from "../rights/audited-call.ts";
import {
  callsOutside,
  compareRights,
  expandRules,
  judgeRefusals,
  rightsUsed,
  type GrantedRule,
} from "../rights/comparison.ts";
import { startFakeKubelet, type FakeKubelet } from "./fake-kubelet.ts";
import { foreignChildren } from "./foreign-children.ts";
import { startGateway } from "./gateway-process.ts";
import { startOperator } from "./operator-process.ts";
import { operatorAccount } from "./program-account.ts";

const crdDir = join(import.meta.dirname, "../../crds");
const timeout = 30_000;

/** What the Roles of registries and gateways hold, as the server has them. */
async function rightsHandedOn(space: Space): Promise<string[]> {
  const selector = "--selector=pallas.helu.ca/component in (registry,gateway)";
  const json = await space.kubectl("get", "roles", selector, "--output=json");
  const roles: { rules: GrantedRule[] }[] = JSON.parse(json).items;
  return roles.flatMap(({ rules }) => expandRules(rules));
}

const policy = (name: string, rules: object[]) => ({
  ...{ apiVersion: "pallas.helu.ca/v1alpha1", kind: "PallasPolicy", metadata: { name } },
  spec: { instanceRef: { name: "team" }, rules },
});

interface Stage {
  /** The operator's own namespace. */
  readonly home: Space;
  /** Where it works. */
  readonly work: Space;
  readonly kubelet: FakeKubelet;
}

async function setUp(server: ApiServer, everywhere: boolean): Promise<Stage> {
  const home = await createSpace("home", server);
  const work = await createSpace("work", server);
  const env = {
    PALLAS_LEADER_ELECTION: "true",
    PALLAS_LEASE_NAMESPACE: home.name,
    PALLAS_AUTHOR_NETWORK_POLICY: "off",
  };
  // Before the operator, which asks the server about what it has not seen being made.
  await work.apply(...smallInstance);
  const operator = await startOperator(server, { namespaces: everywhere ? [] : [work.name], home: home.name, env });
  const kubelet = startFakeKubelet(server, work.name);
  onTestFinished(async () => {
    await operator[Symbol.asyncDispose]();
    await kubelet[Symbol.asyncDispose]();
    // The next operator must not find anything to do here.
    await work.kubectl("delete", "pallasagents,pallasservers,pallaspolicies,pallasinstances", "--all");
    await work[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });
  return { home, work, kubelet };
}
const statusOf = async (work: Space, agentName: string, type: string) => {
  const found = (await work.read("pallasagents", agentName))?.status?.conditions;
  return found?.find((condition) => condition.type === type)?.status;
};

/** Comes, works and goes. Resolves with what the operator handed on while it was there. */
async function liveWithGateway({ work }: Stage, server: ApiServer): Promise<string[]> {
  const children = () => work.kubectl("get", "deployments,roles,configmaps", "-o", "name");
  await work.apply(instance("team", { gateway: { management: "readWrite" } }));
  await expect.poll(children, { timeout }).toContain("deployment.apps/team-gateway");
  await work.kubectl("wait", "--for=condition=GatewayAvailable", "pallasinstance/team", "--timeout=30s");
  const get = async (kind: string, name: string) => JSON.parse(await work.kubectl("get", kind, name, "--output=json"));
  const gateway = await startGateway({ name: work.name, get }, "team", { server });
  await gateway[Symbol.asyncDispose]();
  const handedOn = await rightsHandedOn(work);
  await work.apply(instance());
  await expect.poll(children, { timeout }).not.toContain("team-gateway");
  return handedOn;
}

/** What an operator meets in its life: creations, edits, pods that fail and come back, names that others have taken. */
async function live({ work, kubelet }: Stage): Promise<void> {
  await work.kubectl("wait", "--for=condition=Ready", "pallasagents,pallasinstances", "--all", "--timeout=60s");
  // So many that what the first pods ran on is removed.
  for (const steps of [3, 4, 5, 6, 7]) {
    await work.setSteps("alpha", steps);
    await expect.poll(() => work.steps("alpha"), { timeout }).toBe(steps);
  }
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
  // A tool server, whose bridge goes when it is called without one.
  const deployments = () => work.kubectl("get", "deployments", "-o", "name");
  await work.apply(toolServer("tool", { package: { kind: "npm", name: "server-memory", version: "1.0.0" } }));
  await expect.poll(deployments, { timeout }).toContain("tool-server");
  await work.apply(toolServer("tool", { remote: { url: "https://tools.example.com/mcp" } }));
  await expect.poll(deployments, { timeout }).not.toContain("tool-server");
  // A policy, whose rules are kept in its status.
  await work.apply(policy("careful", []));
  await work.kubectl("wait", "--for=condition=Accepted", "pallaspolicy/careful", "--timeout=30s");
  await work.apply(policy("careful", [{ name: "all", action: "allow" }]));
  await work.kubectl("wait", "--for=jsonpath={.status.inForce.generation}=2", "pallaspolicy/careful", "--timeout=30s");
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
    server = await startApiServer({ controllers: true, crdPaths, auditDir });
  });
  afterAll(() => server.stop());

  it.each([
    ["in listed namespaces, by Roles alone", false],
    ["in the whole cluster", true],
  ])("%s: enough for all it does, and none too many", async (_, everywhere) => {
    const stage = await setUp(server, everywhere);
    await live(stage);
    const handedOn = await liveWithGateway(stage, server);
    expect(handedOn.length).toBeGreaterThan(0);
    const callsBy = async (account: string) =>
      (await readAuditLog(server.auditLogPath)).filter((call) => call.account === account);
    const calls = () => callsBy(`${stage.home.name}/${operatorAccount}`);
    const granted = expandRules([...watchedRules(), ...ownRules()]);
    const difference = async () => compareRights(granted, rightsUsed(await calls()), handedOn);
    await expect.poll(difference, { timeout }).toEqual({ idle: [], missing: [] });
    expect(judgeRefusals(await calls(), []).unexpected).toEqual([]);
    const scope = new Set([stage.home.name, stage.work.name]);
    expect(callsOutside(await calls(), scope).length > 0).toBe(everywhere);
    const ofGateway = () => callsBy(`${stage.work.name}/team-gateway`);
    const clusterScoped = async () =>
      (await ofGateway()).filter(({ namespace }) => namespace === undefined).map(({ uri }) => uri);
    // What every account may read.
    const publicPaths = new Set(["/.well-known/openid-configuration", "/openid/v1/jwks"]);
    await expect.poll(async () => new Set(await clusterScoped()), { timeout }).toEqual(publicPaths);
    expect(judgeRefusals(await ofGateway(), []).unexpected).toEqual([]);
  });
});
