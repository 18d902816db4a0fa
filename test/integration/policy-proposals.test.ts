// Proposals of rules on a real API server (MGM-3): two gateways and an operator write the same PallasPolicy, and none takes away what
// another wrote; what is approved is what was proposed, for the policy that it was proposed for.
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { policyType } from "../../crds/kinds.ts";
import { apiVersion } from "../../crds/names.ts";
import { createClusterProposals } from "../../gateway/management/policies/cluster-store.ts";
import { createPolicyApprove } from "../../gateway/management/tools/policy-approve.ts";
import { createPolicyPropose } from "../../gateway/management/tools/policy-propose.ts";
import type { ManagementTool } from "../../gateway/management/tools/tool.ts";
import { createGatewayMetrics } from "../../gateway/metrics.ts";
import { createClusterState } from "../../gateway/state/cluster-state.ts";
import { createClusterWrites } from "../../gateway/writes/cluster-writes.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { applyObject } from "../../lib/kube/apply.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import type { CallContext, ToolResult } from "../../lib/mcp/table.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { connectToCluster } from "./kube-clients.ts";

const log = silentLog();
const instance = "team";
const person = (name: string): Identity => ({ kind: "person", subject: name, name, groups: [], role: "admin" });
const [ann, ben] = [person("ann"), person("ben")];
const context: CallContext = {
  era: "2026",
  requestId: "1",
  signal: new AbortController().signal,
  caller: ann,
  meta: {},
};
const rules = (name: string) => [
  {
    name,
    match: { args: [{ path: "/namespace", equals: null }] },
    action: "denyAbort",
    reason: "not <there> yet: é",
  },
  { name: "reads", match: { tools: ["get_*"] }, action: "allow" },
];

let spaces: TestNamespace[] = [];
afterEach(async () => {
  await Promise.all(spaces.map((space) => space[Symbol.asyncDispose]()));
  spaces = [];
});

async function start() {
  const space = await createNamespace("proposals");
  spaces.push(space);
  const create = async (kind: string, name: string, spec: object) =>
    await ask("POST", pathOf(space.name, kind), { apiVersion, kind, metadata: { name }, spec });
  const policy = { instanceRef: { name: instance }, rules: [{ name: "all", action: "ask" }], default: "denyContinue" };
  await create("PallasInstance", instance, { registryNamespace: "com.example", defaultModel: "passthrough" });
  await create("PallasPolicy", "careful", policy);
  const own = `${pathOf(space.name, "PallasPolicy")}/careful`;
  const read = async () => await ask("GET", own);
  const remove = async () => await ask("DELETE", own);
  return { space, create, remove, policy, read };
}

const plurals: Record<string, string> = { PallasInstance: "pallasinstances", PallasPolicy: "pallaspolicies" };
const pathOf = (namespace: string, kind: string) => `/apis/${apiVersion}/namespaces/${namespace}/${plurals[kind]}`;

/** As the cluster's administrator. */
async function ask(method: string, path: string, body?: object) {
  const answer = await callApi(cluster(), { method, path, ...(body && { body }) });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body);
}

/** What one gateway's tools do. */
async function startGateway(namespace: string) {
  const transport = connectToCluster();
  const state = createClusterState({ transport, namespace, instance, log });
  state.start();
  onTestFinished(() => state.stop());
  await expect.poll(() => state.observeUnready(), { timeout: 10_000 }).toBeUndefined();
  await expect.poll(() => state.getPolicy("careful")).toBeDefined();
  const metrics = createGatewayMetrics(() => ({
    countSessions: () => 0,
    countInFlight: () => 0,
    countTroubles: () => 0,
    observeApprovals: () => ({ pending: 0, oldestMs: 0 }),
  }));
  const clock = systemClock;
  const writesFor = createClusterWrites({ transport, state, management: "readWrite", metrics, log, clock });
  const proposals = createClusterProposals({ transport, state, metrics, log, clock });
  const parts = { state, proposals, writesFor, rules: { mode: "cluster" } as const, log, clock };
  const tools = new Map([...createPolicyPropose(parts), createPolicyApprove(parts)].map((tool) => [tool.name, tool]));
  const call = async (name: string, args: Record<string, unknown>, by: Identity): Promise<ToolResult> =>
    await find(tools, name).call(args, by, context);
  const propose = async (named: string, by = ann): Promise<string> => {
    const proposed = { policy: "careful", rules: rules(named), reason: `about ${named}` };
    const { structuredContent } = await call("policy_propose", proposed, by);
    return String(Reflect.get(Object(structuredContent?.["proposal"]), "proposal_id"));
  };
  return { transport, state, proposals, call, propose };
}

function find(tools: ReadonlyMap<string, ManagementTool>, name: string): ManagementTool {
  const tool = tools.get(name);
  if (tool === undefined) throw new Error(`expected a tool ${name}`);
  return tool;
}

describe.skipIf(clusterMissing())("MGM-3 proposals on a real API server", () => {
  it("of two gateways and beside the operator's status are all there, exactly as they were proposed", async () => {
    const { space, read } = await start();
    const [first, second] = [await startGateway(space.name), await startGateway(space.name)];
    const inForce = { generation: 1, rules: [{ name: "all", action: "ask" }], default: "denyContinue" };
    const operator = async (observedGeneration: number) => {
      const status = { observedGeneration, inForce };
      const object = { apiVersion, kind: "PallasPolicy", metadata: { name: "careful", namespace: space.name }, status };
      const signal = AbortSignal.timeout(10_000);
      const options = { fieldManager: "pallas-operator", force: true, subresource: "status" as const, signal };
      await applyObject(first.transport, policyType, object, options);
    };
    const names = Array.from({ length: 8 }, (_, n) => `rule-${n}`);
    for (let n = 0; n < names.length; n += 2) {
      await Promise.all([first.propose(`rule-${n}`), second.propose(`rule-${n + 1}`, ben), operator(n)]);
    }
    await operator(99);
    const { status } = await read();
    expect(status).toMatchObject({ observedGeneration: 99, inForce });
    const kept: { id: string; rules: unknown; by: string }[] = status.proposals;
    expect(kept.map((proposal) => named(proposal.rules)).toSorted()).toEqual(names);
    for (const proposal of kept) expect(proposal.rules).toEqual(rules(named(proposal.rules)));
    await expect.poll(() => second.proposals.list("careful").length).toBe(8);
    await first.call("policy_withdraw", { proposal_id: kept[0]?.id }, ann);
    expect((await read()).status).toMatchObject({ observedGeneration: 99, proposals: { length: 7 } });
  });

  it("are 16, whichever gateway takes them, and not 17", async () => {
    const { space, read } = await start();
    const [first, second] = [await startGateway(space.name), await startGateway(space.name)];
    for (let n = 0; n < 16; n += 1) await (n % 2 === 0 ? first : second).propose(`r${n}`);
    await expect(first.propose("r16")).rejects.toThrow("room for 16 proposals");
    expect((await read()).status.proposals).toHaveLength(16);
  });

  it("are approved once, by somebody else, for the policy that they were made on", async () => {
    const { space, read } = await start();
    const [first, second] = [await startGateway(space.name), await startGateway(space.name)];
    const [wanted, other] = [await first.propose("wanted"), await first.propose("other")];
    await expect.poll(() => second.proposals.list("careful").length).toBe(2);
    await expect(second.call("policy_approve_proposal", { proposal_id: wanted }, ann)).rejects.toThrow("is your own");
    const approvals = await Promise.allSettled([
      first.call("policy_approve_proposal", { proposal_id: wanted }, ben),
      second.call("policy_approve_proposal", { proposal_id: other }, ben),
    ]);
    const won = approvals.filter(({ status }) => status === "fulfilled");
    expect(won).toHaveLength(1);
    const isFirst = approvals[0]?.status === "fulfilled";
    const { metadata, spec, status } = await read();
    expect(metadata.generation).toBe(2);
    expect(spec).toEqual({ instanceRef: { name: instance }, rules: rules(isFirst ? "wanted" : "other") });
    expect(status.proposals).toMatchObject([{ id: isFirst ? other : wanted, generation: 1 }]);
    await expect.poll(() => second.state.getPolicy("careful")?.metadata.generation).toBe(2);
    const late = second.call("policy_approve_proposal", { proposal_id: isFirst ? other : wanted }, ben);
    await expect(late).rejects.toThrow("has changed since");
    expect((await read()).metadata.generation).toBe(2);
  });

  it("go with their policy: one made anew under its name has none, and is not changed by what was meant for the other", async () => {
    const { space, create, remove, policy, read } = await start();
    const gateway = await startGateway(space.name);
    const id = await gateway.propose("old");
    await remove();
    await expect.poll(() => gateway.state.getPolicy("careful")).toBeUndefined();
    await expect(gateway.call("policy_approve_proposal", { proposal_id: id }, ben)).rejects.toThrow("is not there");
    await expect(gateway.propose("none")).rejects.toThrow('policy "careful" is not there');
    await create("PallasPolicy", "careful", policy);
    await expect.poll(() => gateway.state.getPolicy("careful")).toBeDefined();
    await expect(gateway.call("policy_withdraw", { proposal_id: id }, ann)).rejects.toThrow("is not there");
    expect((await read()).status?.proposals).toBeUndefined();
  });
});

const named = (of: unknown): string => String(Reflect.get(Object(Array.isArray(of) ? of[0] : undefined), "name"));
