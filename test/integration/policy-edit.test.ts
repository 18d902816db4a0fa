// One policy of a thousand agents on a real API server: an edit of it is a thousand live configurations and no rollout, what was
// last without a fault holds while it is faulty, also for an operator that starts then, and without it everything is denied (MGM-5).
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { parseLiveConfig, type LivePolicy } from "../../crds/run-config.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const agentCount = 1_000;
const inParallel = 16;
const deadline = { timeout: 180_000, interval: 500 };

const resource = (kind: string, name: string, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind,
  metadata: { name },
  spec,
});
const rule = (name: string, match: object) => ({ name, match, action: "allow" });
/** With a null, which the API server must keep. */
const sound = (tool: string) => [rule("reads", { tools: [tool], args: [{ path: "/owner", equals: null }] })];
const listSchema = z.object({ items: z.array(z.looseObject({ metadata: z.looseObject({}) })) });

describe.skipIf(clusterMissing())("MGM-5 a policy that is edited", { timeout: 400_000 }, () => {
  const access = cluster();
  let namespace: TestNamespace;
  let operator: OperatorProcess;
  const start = () => startOperator(access, { namespaces: [namespace.name] });
  const list = async (path: string) => {
    const { body } = await callApi(access, { path, timeoutMs: 60_000 });
    return listSchema.parse(JSON.parse(body)).items;
  };
  const apply = (...manifests: object[]) =>
    access.kubectl(["apply", "--server-side", "--force-conflicts", `--namespace=${namespace.name}`, "--filename=-"], {
      input: manifests.map((each) => JSON.stringify(each)).join("\n---\n"),
    });
  const edit = (rules: object[]) =>
    apply(resource("PallasPolicy", "careful", { instanceRef: { name: "team" }, rules }));
  /** How many agents have each policy. */
  const live = async (): Promise<Map<string, number>> => {
    const maps = await list(`/api/v1/namespaces/${namespace.name}/configmaps?labelSelector=pallas.helu.ca/agent`);
    const counts = new Map<string, number>();
    for (const map of maps) {
      const data: Record<string, unknown> = Object(map["data"]);
      const text = data["live-config.json"];
      if (typeof text !== "string") continue;
      const told = tell(parseLiveConfig(text).policy);
      counts.set(told, (counts.get(told) ?? 0) + 1);
    }
    return counts;
  };
  const tell = (policy: LivePolicy | undefined): string => {
    if (policy === undefined) return "none";
    if ("fault" in policy) return `denies: ${policy.fault}`;
    const [first] = policy.rules;
    const { match }: { match?: { tools?: string[] } } = Object(first);
    return `${match?.tools?.join()}${policy.faulty === undefined ? "" : ` since ${policy.faulty}`}`;
  };
  const all = (told: string) => new Map([[told, agentCount]]);
  const deployments = async () =>
    new Map(
      (await list(`/apis/apps/v1/namespaces/${namespace.name}/deployments`)).map(({ metadata }) => [
        metadata["name"],
        metadata["generation"],
      ]),
    );
  const policy = async () =>
    JSON.parse(await access.kubectl([`--namespace=${namespace.name}`, "get", "pallaspolicy", "careful", "-ojson"]));
  const writes = async () => {
    const { PATCH = 0, POST = 0, PUT = 0, DELETE = 0 } = await operator.requests();
    return PATCH + POST + PUT + DELETE;
  };
  /** When it has not written for two seconds, as many as it wrote in all. */
  const atRest = async (): Promise<number> => {
    let before = -1;
    await vi.waitFor(
      async () => {
        const [last, now] = [before, await writes()];
        before = now;
        expect(now).toBe(last);
      },
      { ...deadline, interval: 2_000 },
    );
    return before;
  };

  beforeAll(async () => {
    namespace = await createNamespace("policy-edit");
    operator = await start();
    await apply(
      resource("PallasInstance", "team", {
        registryNamespace: "com.example",
        defaultModel: "passthrough",
        registry: { replicas: 0 },
        agentDefaults: { policyRef: { name: "careful" } },
      }),
    );
    await edit(sound("read_*"));
    const names = Array.from({ length: agentCount }, (_, at) => `agent-${at}`);
    const path = `/apis/pallas.helu.ca/v1alpha1/namespaces/${namespace.name}/pallasagents`;
    const worker = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const body = resource("PallasAgent", name, { instanceRef: { name: "team" }, replicas: 0 });
        expect((await callApi(access, { method: "POST", path, body })).status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: inParallel }, worker));
    await vi.waitFor(async () => {
      const { size } = await deployments();
      if (size < agentCount) throw new Error(`expected ${agentCount} Deployments, found ${size}`);
    }, deadline);
    await atRest();
  }, 400_000);
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await namespace?.remove();
  }, 120_000);

  it("reaches all agents by one write each, rolls nothing, and then nothing is written", async () => {
    expect(await live()).toEqual(all("read_*"));
    const before = await deployments();
    const written = await writes();
    const since = performance.now();
    await edit(sound("list_*"));
    await expect.poll(live, deadline).toEqual(all("list_*"));
    const seconds = (performance.now() - since) / 1_000;
    const after = await atRest();
    // Each live configuration, and the policy's status; events are none.
    expect(after - written).toBe(agentCount + 1);
    expect(await deployments()).toEqual(before);
    process.stdout.write(`an edit reached ${agentCount} agents in ${seconds.toFixed(1)} s\n`);
  });

  it("goes on as it last was without a fault, also where the operator starts anew", async () => {
    const before = await deployments();
    const proposal = {
      id: "proposal1",
      rules: [],
      reason: "try",
      by: "ann",
      at: "2026-11-23T20:00:00Z",
      generation: 2,
    };
    await access.kubectl([
      ...[`--namespace=${namespace.name}`, "patch", "pallaspolicy", "careful", "--subresource=status", "--type=merge"],
      ...["--field-manager=pallas-gateway", `--patch=${JSON.stringify({ status: { proposals: [proposal] } })}`],
    ]);
    // A field that no release knows: dropped, the rule would match all tools.
    await edit([rule("reads", { toolz: ["list_*"] })]);
    await expect.poll(async () => [...(await live()).keys()].join(), deadline).toMatch(/^list_\* since .*toolz/);
    const { status } = await policy();
    expect(status.inForce).toMatchObject({ generation: 2, rules: sound("list_*") });
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "Accepted", status: "False", reason: "UnknownField" }),
    );
    await atRest();
    await operator.stop();
    operator = await start();
    await expect.poll(() => operator.logged("operator started").length, deadline).toBe(1);
    await atRest();
    expect([...(await live()).keys()].join()).toMatch(/^list_\* since .*toolz/);
    expect(await deployments()).toEqual(before);
    const again = await policy();
    expect(again.status.inForce).toEqual(status.inForce);
    expect(again.status.proposals).toEqual([proposal]);
  });

  it("denies everything when it is deleted, and the agents say so", async () => {
    const before = await deployments();
    await access.kubectl([`--namespace=${namespace.name}`, "delete", "pallaspolicy", "careful"]);
    await expect.poll(async () => [...(await live()).keys()].join(), deadline).toMatch(/^denies: .*does not exist/);
    expect(await deployments()).toEqual(before);
    const conditions = async () => {
      const text = await access.kubectl([`--namespace=${namespace.name}`, "get", "pallasagent", "agent-7", "-ojson"]);
      return JSON.parse(text).status.conditions;
    };
    const unresolved = { type: "ReferencesResolved", status: "False", reason: "PolicyNotFound" };
    await expect.poll(conditions, deadline).toContainEqual(expect.objectContaining(unresolved));
    await edit(sound("read_*"));
    await expect.poll(live, deadline).toEqual(all("read_*"));
    await atRest();
    expect(await deployments()).toEqual(before);
  });
});
