// The chart's admission policy on approvals, and the rules of the kind itself, on a real API server: who may ask, who may decide,
// in whose name, once and in time (MGM-6).
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { gatewayName } from "../../crds/names.ts";
import type { ApiServer } from "../cluster/api-server.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import { applyAs, namespace, startGuardedServer } from "./guarded-server.ts";
import { chartProgramsMissing } from "./programs.ts";

const hash = `sha256:${"0".repeat(64)}`;
const otherHash = `sha256:${"1".repeat(64)}`;
const gateway = `system:serviceaccount:${namespace}:${gatewayName("home")}`;
const now = () => new Date().toISOString().replace(/\.\d+Z$/, "Z");
const earlier = () => new Date(Date.now() - 10 * 60_000).toISOString();

const approval = (name: string, spec: object = {}) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasApproval",
  metadata: { name, namespace, labels: { "pallas.helu.ca/call": "a".repeat(63) } },
  spec: {
    ...{ instanceRef: { name: "home" }, agentRef: { name: "clerk" }, sessionHash: "0".repeat(64), caller: "ann" },
    ...{ chain: [{ caller: "ann" }], server: "bank", tool: "pay", toolHash: hash, argumentsHash: hash },
    ...{ arguments: '{"amount":40}', redacted: [], policy: { name: "careful", generation: 3 } },
    ...{ callHash: "0".repeat(64), expiresAt: new Date(Date.now() + 600_000).toISOString(), ...spec },
  },
});

describe.skipIf(clusterMissing() !== undefined || (await chartProgramsMissing()))("MGM-6 approvals by kubectl", () => {
  let api: ApiServer;
  const as = (user: string | undefined, args: string[], input?: object) =>
    api.kubectl([`--namespace=${namespace}`, ...args, ...(user === undefined ? [] : [`--as=${user}`])], {
      ...(input && { input: JSON.stringify(input) }),
    });
  const create = (user: string, name: string, spec?: object) =>
    as(user, ["create", "--filename=-"], approval(name, spec));
  const patch = (user: string, name: string, body: object, ...options: string[]) =>
    as(user, ["patch", "pallasapproval", name, "--type=merge", `--patch=${JSON.stringify(body)}`, ...options]);
  const decide = (user: string, name: string, changes: object = {}) =>
    patch(user, name, {
      spec: { decision: { verdict: "approve", argumentsHash: hash, by: user, at: now(), ...changes } },
    });

  beforeAll(async () => {
    api = await startGuardedServer();
    const people = ["some", "all", "none", gateway].map((user) => `--user=${user}`);
    const resources = "pallasapprovals.pallas.helu.ca,pallasapprovals.pallas.helu.ca/status";
    await as(undefined, ["create", "role", "answers", "--verb=*", `--resource=${resources}`]);
    await as(undefined, ["create", "rolebinding", "answers", "--role=answers", ...people]);
    // The API server takes a moment to follow a policy that is new to it.
    await vi.waitFor(
      async () => {
        const problem = await applyAs(api, "none", approval("probe"), "--dry-run=server").then(String, String);
        if (!problem.includes("only system:")) throw new Error(`expected a refusal by the policy, found ${problem}`);
      },
      { timeout: 20_000, interval: 200 },
    );
  });
  afterAll(() => api?.stop());

  it("are asked for by the gateway of their instance alone, and by no other gateway", async () => {
    expect(await create(gateway, "asked")).toContain("created");
    await expect(create("some", "mine")).rejects.toThrow(`only ${gateway} creates`);
    await expect(create(gateway, "others", { instanceRef: { name: "other" } })).rejects.toThrow(
      `only system:serviceaccount:${namespace}:${gatewayName("other")} creates`,
    );
  });

  it("are decided in one's own name, and at that time", async () => {
    await create(gateway, "named");
    await expect(decide("some", "named", { by: "all" })).rejects.toThrow(
      'spec.decision.by must be who decides: expected "some", found "all"',
    );
    for (const at of [earlier(), new Date(Date.now() + 10 * 60_000).toISOString()]) {
      await expect(decide("some", "named", { at })).rejects.toThrow("spec.decision.at must be now");
    }
    await expect(decide("some", "named", { approver: "finance" })).rejects.toThrow("what a gateway has judged");
    expect(await decide("some", "named")).toContain("patched");
    // The gateway says who decided there.
    await create(gateway, "spoken-for");
    expect(await decide(gateway, "spoken-for", { by: "alice", approver: "finance" })).toContain("patched");
  });

  it("are decided once, of the call that was looked at", async () => {
    await create(gateway, "once");
    await expect(decide("some", "once", { argumentsHash: otherHash })).rejects.toThrow(
      "decision.argumentsHash must be spec.argumentsHash",
    );
    await decide("some", "once", { verdict: "denyContinue" });
    await expect(decide("all", "once")).rejects.toThrow("decision cannot change");
    await expect(decide(gateway, "once", { by: "alice" })).rejects.toThrow("decision cannot change");
    await expect(patch("some", "once", { spec: { decision: null } })).rejects.toThrow("decision cannot change");
  });

  it.each([
    ["arguments", '{"amount":4000}'],
    ["tool", "pay_all"],
    ["policy", { generation: 4 }],
    ["agentRef", null],
    ["role", "admin"],
    ["chain", []],
    ["expiresAt", "2100-01-01T00:00:00Z"],
  ])("are of the call that was asked about: %s cannot change", async (field, value) => {
    const name = `bound-${field.toLowerCase()}`;
    await create(gateway, name);
    for (const user of ["some", gateway]) {
      await expect(patch(user, name, { spec: { [field]: value } })).rejects.toThrow("nothing but decision can change");
    }
  });

  it.each(["Expired", "Consumed"])("come too late once they are %s", async (type) => {
    const name = `late-${type.toLowerCase()}`;
    await create(gateway, name);
    const condition = { type, status: "True", reason: type, message: "", lastTransitionTime: now() };
    const status = { status: { conditions: [condition] } };
    await expect(patch("some", name, status, "--subresource=status")).rejects.toThrow(`only ${gateway} creates`);
    await patch(gateway, name, status, "--subresource=status");
    await expect(decide("some", name)).rejects.toThrow("spec.decision comes too late");
    await expect(decide(gateway, name, { by: "alice" })).rejects.toThrow("spec.decision comes too late");
  });

  it("are found by labels that are the gateway's, and deleted by it or with everything", async () => {
    await create(gateway, "kept");
    await expect(patch("some", "kept", { metadata: { labels: { "pallas.helu.ca/call": "b" } } })).rejects.toThrow(
      "labels and owners of a PallasApproval are the gateway's",
    );
    await expect(as("some", ["delete", "pallasapproval", "kept"])).rejects.toThrow(`only ${gateway} creates`);
    expect(await as(gateway, ["delete", "pallasapproval", "kept"])).toContain("deleted");
    await create(gateway, "left");
    expect(await as(undefined, ["delete", "pallasapproval", "left"])).toContain("deleted");
  });
});
