// Every field of the specs that people write is set and unset again on a real API server, all at once: what is there then is, byte for
// byte, what was there before, down to the fields that our manager owns. Which fields, the schema says.
import { beforeAll, describe, expect, it } from "vitest";
import { agentType, instanceType, kinds, serverType } from "../../crds/kinds.ts";
import type { TokenSigner } from "../../crds/run-config.ts";
import { readClusterIssuer } from "../../lib/auth/cluster-issuer.ts";
import { fieldManager } from "../../crds/names.ts";
import { applyObject } from "../../lib/kube/apply.ts";
import { differences } from "../../lib/kube/compare.ts";
import { apiVersionOf, collectionPath, type ResourceType } from "../../lib/kube/resource.ts";
import { renderAgentChildren } from "../../operator/render/agent-children.ts";
import { renderGatewayChildren } from "../../operator/render/gateway-children.ts";
import { renderInstanceChildren } from "../../operator/render/instance-children.ts";
import { renderServerChildren } from "../../operator/render/server-children.ts";
import { childTypes } from "../../operator/resources.ts";
import { neighbourhood } from "../../plan/check.ts";
import { parseAgent, parseInstance, parseServer } from "../../plan/parse.ts";
import { resolveServer, serverNameOf } from "../../plan/server.ts";
import { callApi } from "../cluster/api-call.ts";
import { cluster, clusterMissing, createNamespace } from "../cluster/cluster.ts";
import { fieldCases, surroundings, type FieldCase } from "../drift/field-cases.ts";
import { leaves } from "../drift/leaves.ts";
import { isJson, type Json } from "./schema-cases/manifest-path.ts";
import { connectToCluster } from "./kube-clients.ts";
import { startFakeKubelet } from "./fake-kubelet.ts";
import { startOperator, type OperatorProcess } from "./operator-process.ts";

const images = {
  agent: "pallas/agent:test",
  registry: "pallas/registry:test",
  gateway: "pallas/gateway:test",
  bridge: "pallas/bridge:test",
};
const patience = { timeout: 90_000, interval: 1_000 };
const types: readonly ResourceType[] = [agentType, instanceType, serverType, ...Object.values(childTypes)];
type Manifest = FieldCase["with"][number];

/** Everything of our kinds, by `Kind/name`. */
async function readAll(namespace: string): Promise<Map<string, Json>> {
  const lists = await Promise.all(
    types.map(async (type) => {
      const { body } = await callApi(cluster(), { path: collectionPath(type, namespace) });
      const items: { metadata: { name: string } }[] = JSON.parse(body).items;
      return items.map(
        (item) =>
          [`${type.kind}/${item.metadata.name}`, { apiVersion: apiVersionOf(type), kind: type.kind, ...item }] as const,
      );
    }),
  );
  return new Map(lists.flat());
}

const serverOwned = new Set(["uid", "resourceVersion", "generation", "creationTimestamp", "lastTransitionTime"]);
const perGeneration = new Set(["observedGeneration", "specChangedAt", "deployment.kubernetes.io/revision"]);

/** Of the managed fields those of ours, of statuses those we write; without what counts changes or says when. */
function comparable(value: unknown, isOurs: boolean): unknown {
  if (Array.isArray(value)) return value.map((entry) => comparable(entry, isOurs));
  if (!isJson(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]): [string, unknown][] => {
      if (serverOwned.has(key) || perGeneration.has(key) || (key === "status" && isJson(entry) && !isOurs)) return [];
      if (key !== "managedFields" || !Array.isArray(entry)) return [[key, comparable(entry, isOurs)]];
      const fields = entry.filter((each) => each.manager === fieldManager).map(({ time: _time, ...each }) => each);
      return [[key, comparable(fields, isOurs)]];
    }),
  );
}

/** Claims outlive spec.storage, as they should (OPR-5); what pods ran on stays for a while, and Deployments name what they run on. */
async function observe(namespace: string): Promise<Map<string, string>> {
  const all = [...(await readAll(namespace))].filter(
    ([key]) => !/^PersistentVolumeClaim\/|-run-config-|-server-config-|kube-root-ca|\/default$/.test(key),
  );
  return new Map(all.map(([key, object]) => [key, JSON.stringify(comparable(object, key.startsWith("Pallas")))]));
}

const rules = {
  mode: "cluster",
  allowedImages: ["registry.example"],
  authors: { labels: ["*"], annotations: ["*"], priorityClasses: ["*"], networkPolicy: "off" },
} as const;

/** Where the server's children are not what the resources of now are rendered as. */
async function behind(namespace: string, signer: TokenSigner): Promise<string[]> {
  const all = await readAll(namespace);
  const agents = [...all.values()].map((raw) => parseAgent(raw)).flatMap((parsed) => (parsed.ok ? [parsed.value] : []));
  const instances = [...all.values()]
    .map((raw) => parseInstance(raw))
    .flatMap((parsed) => (parsed.ok ? [parsed.value] : []));
  const servers = [...all.values()]
    .map((raw) => parseServer(raw))
    .flatMap((parsed) => (parsed.ok ? [parsed.value] : []));
  const refused = new Set(fieldCases.filter(({ problems }) => problems.length > 0).map(({ name }) => name));
  const desired = instances
    .filter(({ metadata }) => !refused.has(metadata.name))
    .flatMap((instance) => {
      const around = neighbourhood(instance, agents);
      const children = [...around.agents.values()].map((agent) => renderAgentChildren(agent, around, images, signer));
      const toolServers = servers
        .filter(({ metadata, spec }) => spec.instanceRef.name === instance.metadata.name && !refused.has(metadata.name))
        .flatMap((server) => {
          const named = serverNameOf(server);
          const callers = agents
            .filter(({ spec }) => spec.instanceRef.name === instance.metadata.name)
            .filter(({ spec }) => spec.servers?.some(({ name }) => name === named))
            .map(({ metadata }) => metadata.name);
          const peers = { callers, metricsFrom: [] };
          return renderServerChildren(resolveServer(server, instance, ""), images, peers) ?? [];
        });
      const gateway = renderGatewayChildren(instance, images, rules);
      const own = [renderInstanceChildren(instance, images, rules), ...(gateway ? [gateway] : [])];
      return [...own, ...children, ...toolServers].flatMap((each) => Object.values(each));
    });
  return desired.flatMap((child: { kind: string; metadata: { name: string } } | undefined) => {
    if (child === undefined) return [];
    const key = `${child.kind}/${child.metadata.name}`;
    return differences(child, all.get(key) ?? {}).map(({ path }) => `${key} ${path}`);
  });
}

describe.skipIf(clusterMissing())("OPR-2 CFG-5 fault 43: every field is set and unset", { timeout: 300_000 }, () => {
  let operator: OperatorProcess;
  let namespace: string;

  beforeAll(async () => {
    const space = await createNamespace("fields");
    namespace = space.name;
    const env = {
      PALLAS_ALLOWED_IMAGES: rules.allowedImages.join(","),
      PALLAS_AUTHOR_LABELS: rules.authors.labels.join(","),
      PALLAS_AUTHOR_ANNOTATIONS: rules.authors.annotations.join(","),
      PALLAS_AUTHOR_PRIORITY_CLASSES: rules.authors.priorityClasses.join(","),
      PALLAS_AUTHOR_NETWORK_POLICY: rules.authors.networkPolicy,
      PALLAS_WORKERS: "16",
    };
    operator = await startOperator(cluster(), { namespaces: [namespace], env });
    // For the few agents that have pods, whose statuses would else never settle.
    const kubelet = startFakeKubelet(cluster(), namespace);
    return async () => {
      await kubelet[Symbol.asyncDispose]();
      await operator[Symbol.asyncDispose]();
      await space.remove();
    };
  });

  it("is every field of the schema", () => {
    const tried = new Set(fieldCases.flatMap(({ fields }) => fields));
    expect(leaves.map(({ kind, schemaPath }) => `${kind} ${schemaPath}`).filter((field) => !tried.has(field))).toEqual(
      [],
    );
    expect(leaves.length).toBeGreaterThan(200);
  });

  it("shows in what there is, and leaves no trace when it is unset", async () => {
    const transport = connectToCluster();
    const signer = await readClusterIssuer(transport);
    const apply = async (manifests: readonly Manifest[]) => {
      const options = { fieldManager: "user", force: true, signal: AbortSignal.timeout(60_000) };
      await Promise.all(
        manifests.map(({ metadata, ...manifest }) => {
          const { type } = Object.values(kinds).find((each) => each.type.kind === manifest.kind) ?? kinds.PallasAgent;
          return applyObject(transport, type, { ...manifest, metadata: { ...metadata, namespace } }, options);
        }),
      );
    };
    const untilRendered = async () => {
      await expect.poll(() => behind(namespace, signer), patience).toEqual([]);
    };
    /** No more work, twice in a row. */
    const untilIdle = async () => {
      let quiet = 0;
      const isQuiet = async () => {
        const sums = await Promise.all(["workqueue_depth", "controller_runtime_active_workers"].map(operator.metric));
        quiet = sums.every((sum) => [...sum.values()].every((value) => value === 0)) ? quiet + 1 : 0;
        return quiet;
      };
      await expect.poll(isQuiet, patience).toBeGreaterThan(2);
    };

    await apply([...surroundings, ...fieldCases.flatMap(({ without }) => without)]);
    await untilRendered();
    await untilIdle();
    const before = await observe(namespace);

    await apply(fieldCases.flatMap((each) => each.with));
    await untilRendered();
    await untilIdle();
    const between = await observe(namespace);
    const all = await readAll(namespace);
    for (const { fields, kind, name, problems } of fieldCases) {
      const conditions = JSON.stringify(all.get(`${kind}/${name}`)?.["status"]);
      for (const { message } of problems) expect(conditions, fields.join()).toContain(message);
      expect(between.get(`${kind}/${name}`), fields.join()).not.toBe(before.get(`${kind}/${name}`));
    }

    await apply(fieldCases.flatMap(({ without }) => without));
    await untilRendered();
    const traces = async () => {
      const after = await observe(namespace);
      const keys = new Set([...before.keys(), ...after.keys()]);
      return [...keys]
        .map((key) => ({ key, before: before.get(key), after: after.get(key) }))
        .filter((each) => each.before !== each.after);
    };
    await expect.poll(traces, patience).toEqual([]);
    expect(await observe(namespace)).toEqual(before);
  });
});
