// SEC-1 judged by Kubernetes itself: a namespace that enforces Pod Security `restricted` takes every pod that can be
// rendered, and refuses each of them once it is broken in one place.
import { readFile } from "node:fs/promises";
import type { V1PodTemplateSpec } from "@kubernetes/client-node";
import fc from "fast-check";
import { Pool } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PallasInstance } from "../../crds/instance.ts";
import { renderAgentChildren } from "../../operator/render/agent-children.ts";
import { renderGatewayChildren } from "../../operator/render/gateway-children.ts";
import { renderInstanceChildren } from "../../operator/render/instance-children.ts";
import { renderServerChildren } from "../../operator/render/server-children.ts";
import {
  around,
  makeAgent,
  makeInstance,
  makeServer,
  releaseImages,
  resolved,
} from "../../operator/render/testing/resources.ts";
import { judgeAgent, judgeInstance, judgeServers } from "../../plan/judge.ts";
import { resolveAgent } from "../../plan/resolve.ts";
import { fullAgentSpecs, fullInstanceSpecs } from "../drift/full-resources.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace, type TestNamespace } from "../cluster/cluster.ts";
import { breakPod, waysToBreak, type Pod } from "./pod-security/broken-pods.ts";
import { neighbours, randomAgent, randomInstance } from "./pod-security/random-resources.ts";

const batch = 25;
const agentBatches = 84;
const instanceBatches = 12;
const brokenBatches = 12;
const deadlineMs = 20_000;
const rules = { mode: "cluster" } as const;
const policies = new Map([["careful", { name: "careful", generation: 1, rules: [] }]]);
/** The paths of a spec's fields, two levels deep; those of a list's entries are one. */
function pathsOf(value: unknown, depth = 2): string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => pathsOf(entry, depth));
  if (depth === 0 || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]) => [
    name,
    ...pathsOf(entry, depth - 1).map((path) => `${name}.${path}`),
  ]);
}

/** A server may be told to forbid privileged containers by itself; the test's is. */
const refusal = /^(403 .*violates PodSecurity "restricted|422 .*privileged: Forbidden)/;

/** The pod that a controller would make of a template, but for the account, which nobody makes here. */
const podOf = (template: V1PodTemplateSpec | undefined): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: Object.assign({}, template?.metadata, { generateName: "pod-" }),
  spec: Object.assign({ containers: [] }, template?.spec, { serviceAccountName: "default" }),
});

function agentPod(instance: PallasInstance, { name, spec }: { name: string; spec: object }): Pod {
  const port = instance.spec.externalUrl?.host === undefined ? {} : { port: 24_101 }; // part of the URL there
  const agent = makeAgent(name, { ...port, ...spec });
  const others = neighbours.map((each) => makeAgent(each));
  const neighbourhood = { ...around(instance, agent, ...others), policies };
  const problems = [
    ...judgeInstance(instance, rules),
    ...judgeAgent(agent, instance, rules),
    ...resolveAgent(agent, neighbourhood),
  ];
  expect(problems).toEqual([]);
  return podOf(renderAgentChildren(agent, neighbourhood, releaseImages).deployment.spec?.template);
}

function registryPod(instanceSpec: object): Pod {
  const instance = makeInstance(instanceSpec);
  expect(judgeInstance(instance, rules)).toEqual([]);
  return podOf(renderInstanceChildren(instance, releaseImages, rules).deployment.spec?.template);
}

/** Of an instance whose random one may have none. */
function gatewayPod(instanceSpec: object): Pod {
  const instance = makeInstance({ gateway: {}, ...instanceSpec });
  expect(judgeInstance(instance, rules)).toEqual([]);
  return podOf(renderGatewayChildren(instance, releaseImages, rules)?.deployment.spec?.template);
}

const env = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } }];
const headers = [{ name: "Authorization", valueFrom: { secretKeyRef: { name: "keys", key: "remote" } } }];
const serverSpecs = {
  package: { package: { kind: "pypi", name: "mcp-server-time" }, env },
  container: { container: { image: "tools.example/a:1", command: ["/server"], args: ["$(TOKEN)"] }, env },
  remote: { remote: { url: "https://mcp.example.com/mcp", headers } },
};

function serverPod(kind: keyof typeof serverSpecs, instance = makeInstance()): Pod {
  const server = makeServer("tools", serverSpecs[kind]);
  expect([...judgeServers(instance, [server], { has: () => false }, rules).values()]).toEqual([[]]);
  return podOf(renderServerChildren(resolved(server, instance), releaseImages)?.deployment.spec?.template);
}

describe.skipIf(clusterMissing())("SEC-1 a namespace that enforces Pod Security restricted", () => {
  let namespace: TestNamespace;
  let pool: Pool;

  beforeAll(async () => {
    const access = cluster();
    namespace = await createNamespace("restricted");
    const label = "pod-security.kubernetes.io/enforce=restricted";
    await access.kubectl(["label", "namespace", namespace.name, label]);
    const account = `/api/v1/namespaces/${namespace.name}/serviceaccounts/default`;
    await vi.waitFor(async () => {
      const { status } = await callApi(access, { path: account });
      if (status !== 200) throw new Error(`expected the default account of ${namespace.name}, found ${status}`);
    }, deadlineMs);
    pool = new Pool(access.url, {
      connections: 8,
      allowH2: false,
      connect: { ca: await readFile(access.caPath, "utf8") },
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
  });
  afterAll(async () => {
    await pool.close();
    await namespace.remove();
  });

  /** What the API server would say to its creation, strictly and without making it. */
  const judge = async (pod: Pod): Promise<string> => {
    const { statusCode, body } = await pool.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespace.name}/pods?dryRun=All&fieldValidation=Strict`,
      headers: { "content-type": "application/json", authorization: `Bearer ${cluster().token}` },
      body: JSON.stringify(pod),
    });
    const text = await body.text();
    return statusCode === 201 ? "accepted" : `${statusCode} ${JSON.parse(text).message}`;
  };
  const judgeAll = async (pods: Pod[]) => [...new Set(await Promise.all(pods.map(judge)))];

  it("takes the pods of 2,100 random agents, which set every field there is", async () => {
    const distinct = new Set<string>();
    const paths = new Set<string>();
    const cases = fc.tuple(randomInstance, fc.array(randomAgent, { minLength: batch, maxLength: batch }));
    await fc.assert(
      fc.asyncProperty(cases, async ([instance, agents]) => {
        const shared = makeInstance(instance);
        const pods = agents.map((agent) => agentPod(shared, agent));
        expect(await judgeAll(pods)).toEqual(["accepted"]);
        for (const pod of pods) distinct.add(JSON.stringify(pod));
        for (const { spec } of agents) for (const path of pathsOf(spec)) paths.add(path);
      }),
      { numRuns: agentBatches, endOnFailure: true },
    );
    expect(distinct.size).toBeGreaterThanOrEqual(2_000);
    expect(pathsOf(fullAgentSpecs).filter((path) => !path.startsWith("instanceRef") && !paths.has(path))).toEqual([]);
  }, 180_000);

  it("takes the pods of 300 random registries and gateways, whose instances set every field there is", async () => {
    const distinct = new Set<string>();
    const paths = new Set<string>();
    const cases = fc.array(randomInstance, { minLength: batch, maxLength: batch });
    await fc.assert(
      fc.asyncProperty(cases, async (instances) => {
        const pods = [...instances.map(registryPod), ...instances.map(gatewayPod)];
        expect(await judgeAll(pods)).toEqual(["accepted"]);
        for (const pod of pods) distinct.add(JSON.stringify(pod));
        for (const instance of instances) for (const path of pathsOf(makeInstance(instance).spec)) paths.add(path);
      }),
      { numRuns: instanceBatches, endOnFailure: true },
    );
    expect(distinct.size).toBeGreaterThanOrEqual(200);
    // Whose tokens are taken stands in no pod, nor what they say of their callers, nor where people get them.
    const isRendered = (path: string) =>
      !path.startsWith("auth") && !path.includes(".claim") && !path.startsWith("gateway.ui");
    expect(pathsOf(fullInstanceSpecs).filter((path) => isRendered(path) && !paths.has(path))).toEqual([]);
  });

  it.each(["package", "container", "remote"] as const)("takes the pods of tool servers: %s", async (kind) => {
    const cases = fc.array(randomInstance, { minLength: batch, maxLength: batch });
    for (const instances of fc.sample(cases, 1)) {
      expect(await judgeAll(instances.map((spec) => serverPod(kind, makeInstance(spec))))).toEqual(["accepted"]);
    }
  });

  it.each(waysToBreak)("refuses them with %s", async (way) => {
    const agent = agentPod(makeInstance(), { name: "echo", spec: {} });
    for (const pod of [agent, registryPod({}), gatewayPod({}), serverPod("package"), serverPod("container")]) {
      expect(await judge(pod)).toBe("accepted");
      expect(await judge(breakPod(pod, way))).toMatch(refusal);
    }
  });

  it("refuses the pods of 300 random agents, each broken in one of more than 20 ways", async () => {
    const broken = new Set<string>();
    const cases = fc.tuple(
      randomInstance,
      fc.array(fc.tuple(randomAgent, fc.constantFrom(...waysToBreak)), { minLength: batch, maxLength: batch }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([instance, agents]) => {
        const shared = makeInstance(instance);
        const verdicts = await judgeAll(agents.map(([agent, way]) => breakPod(agentPod(shared, agent), way)));
        for (const verdict of verdicts) expect(verdict).toMatch(refusal);
        for (const [, way] of agents) broken.add(way);
      }),
      { numRuns: brokenBatches, endOnFailure: true },
    );
    expect(broken.size).toBeGreaterThan(20);
  }, 60_000);
});
