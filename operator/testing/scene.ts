// The three reconcilers over an API server in this process, one reconcile at a time, so that a test sees which writes it
// makes and in which order. What the kubelet and the Deployment controller would do, the test puts there itself.
import { onTestFinished } from "vitest";
import { agentType, instanceType, policyType, serverType } from "../../crds/kinds.ts";
import { labels } from "../../crds/names.ts";
import { createWriteTracker } from "../../lib/kube/consistency.ts";
import type { ReconcileResult } from "../../lib/kube/controller.ts";
import type { LiveObject } from "../../lib/kube/object.ts";
import { createOwnerGuard } from "../../lib/kube/owner-guard.ts";
import type { ResourceType } from "../../lib/kube/resource.ts";
import { answerStatus, FakeApiServer, type Exchange } from "../../lib/kube/testing/fake-api-server.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { createTransport } from "../../lib/kube/transport.ts";
import { agentManifestOf, instanceManifestOf, serverManifestOf } from "../../plan/testing/resources.ts";
import { createAgentReconciler, type ReconcilerOptions } from "../agent/reconcile.ts";
import { createCaches, instanceOf, type Caches } from "../caches.ts";
import { createChildWriter } from "../children.ts";
import { createInstancePolicies } from "../instance-policies.ts";
import { createInstanceServers } from "../instance-servers.ts";
import { createInstanceReconciler } from "../instance/reconcile.ts";
import { createNeighbours } from "../neighbours.ts";
import { createPolicyReconciler } from "../policy/reconcile.ts";
import { childTypes, ownTypes, type ChildKind } from "../resources.ts";
import { RolloutBudget } from "../rollouts/budget.ts";
import { createImagePacing } from "../rollouts/pace-image.ts";
import { createServerReconciler } from "../server/reconcile.ts";
import { releaseImages, releaseRules } from "../render/testing/resources.ts";
import { usualApiServerPorts } from "../render/registry-network-policy.ts";
import { createStatusWriter } from "../status.ts";

const namespace = "agents";
const log = silentLog();

/** The outcome of one reconcile. */
export interface Reconciled {
  /** Such as `apply Deployment echo`, `delete Service echo` and `status PallasAgent echo`, in the order they were sent. */
  readonly writes: readonly string[];
  readonly result: ReconcileResult | undefined;
  readonly error: unknown;
}

export interface Scene {
  readonly fake: FakeApiServer;
  readonly caches: Caches;
  /** Creates or edits a resource; each edit is a new generation. */
  putAgent(name: string, spec?: object): Promise<void>;
  putServer(name: string, spec: object): Promise<void>;
  putInstance(spec?: object): Promise<void>;
  putPolicy(name: string, spec: object): Promise<void>;
  /** Changes the status as another program does; neither the generation moves nor anything else. */
  putStatus(type: ResourceType, name: string, change: (status: object) => object): Promise<void>;
  /** Changes a child as anybody could, or makes one. */
  putChild(kind: ChildKind, name: string, change: (child: object) => object): Promise<void>;
  removeChild(kind: ChildKind, name: string): Promise<void>;
  child(kind: ChildKind, name: string): LiveObject | undefined;
  /** As the Deployment controller would: every wanted pod runs the newest template and is ready. */
  carryOut(deployment: string, status?: object): Promise<void>;
  /** Refuses writes of a kind from now on; undefined ends it. */
  refuse(kind: string | undefined, status?: number): void;
  reconcileAgent(name: string, failures?: number): Promise<Reconciled>;
  reconcileServer(name: string, failures?: number): Promise<Reconciled>;
  reconcileInstance(failures?: number): Promise<Reconciled>;
  reconcilePolicy(name: string): Promise<Reconciled>;
  status(
    type: ResourceType,
    name: string,
  ): { observedGeneration?: number; specChangedAt?: string; conditions?: Condition[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const allTypes: readonly ResourceType[] = [...ownTypes, ...Object.values(childTypes)];

const reconcilers = new Map<ResourceType, typeof createAgentReconciler>([
  [agentType, createAgentReconciler],
  [serverType, createServerReconciler],
  [policyType, createPolicyReconciler],
  [instanceType, createInstanceReconciler],
]);

function describeWrite({ method, path, body }: Exchange): string {
  const [plural = "", name = "", subresource] = path.split("/namespaces/")[1]?.split("/").slice(1) ?? [];
  const kind = allTypes.find((type) => type.plural === plural)?.kind ?? String(body?.["kind"]);
  return `${subresource ?? (method === "DELETE" ? "delete" : "apply")} ${kind} ${name}`;
}

export async function startScene(options: Partial<ReconcilerOptions> & { maxRollouts?: number } = {}): Promise<Scene> {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test" });
  const caches = createCaches({ transport, namespaces: undefined, log, agentImage: releaseImages.agent });
  const informers = [...caches.own, ...Object.values(caches.children)];
  caches.start();
  onTestFinished(async () => {
    await caches.stop();
    await transport.close();
    await fake.stop();
  });
  await Promise.all(informers.map(({ synced }) => synced));
  const tracker = createWriteTracker({ informers, log });
  const guard = createOwnerGuard({
    transport,
    informers: caches.own,
    basisOf: (owner) => instanceOf(caches, owner),
  });
  const deployments = caches.children.deployment.store;
  const { maxRollouts = 10, ...rest } = options;
  const budget = new RolloutBudget({
    deployments,
    image: releaseImages.agent,
    maxRollouts,
    onFree: () => undefined,
    log,
  });
  const rules = rest.rules ?? releaseRules;
  const instanceServers = createInstanceServers({ servers: caches.servers.store, agents: caches.agents.store, rules });
  const instancePolicies = createInstancePolicies(caches.policies.store);
  const reconcilerOptions: ReconcilerOptions = {
    caches,
    neighbours: createNeighbours(caches.agents.store, instanceServers, instancePolicies),
    instanceServers,
    instancePolicies,
    children: createChildWriter({ transport, caches, tracker, guard, log }),
    status: createStatusWriter({ transport, tracker, guard, events: { record: () => undefined } }),
    images: releaseImages,
    rules,
    apiServerPorts: usualApiServerPorts,
    metricsFrom: [],
    health: { of: () => undefined },
    bridgeHealth: { of: () => undefined },
    tokenIssuer: { observe: async () => undefined, observeTrouble: () => undefined },
    pacing: createImagePacing(budget, deployments),
    now: () => new Date("2026-11-21T12:00:00Z"),
    ...rest,
  };

  /** Until every cache shows what the server has. */
  const settled = async (): Promise<void> => {
    const deadline = performance.now() + 10_000;
    const isShown = () =>
      informers.every(({ type, store }) => {
        const held = fake.list(type).filter(({ metadata }) => type.kind.startsWith("Pallas") || isOurs(metadata));
        return store.size === held.length && held.every((object) => shows(store, object));
      });
    while (!isShown()) {
      if (performance.now() > deadline) throw new Error("the caches never showed what the fake API server holds");
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const put = async (type: ResourceType, name: string, spec: object) => {
    const { metadata, ...existing } = fake.get(name, namespace, type) ?? {};
    const generation = Number(metadata?.["generation"] ?? 0) + 1;
    const creationTimestamp = "2026-11-21T10:00:00Z";
    const first = { status: { observedGeneration: -1 } };
    const fields = { ...first, ...existing, spec };
    fake.put(name, fields, { type, namespace, metadata: { ...metadata, generation, creationTimestamp } });
    await settled();
  };
  const reconcile = async (type: ResourceType, name: string, failures: number): Promise<Reconciled> => {
    const run = reconcilers.get(type) ?? createInstanceReconciler;
    const before = fake.seen("write").length;
    const key = `${namespace}/${name}`;
    const signal = new AbortController().signal;
    const outcome = await run(reconcilerOptions)({ key, namespace, name, failures, signal, log }).then(
      (result) => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    );
    const writes = fake.seen("write").slice(before).map(describeWrite);
    await settled();
    return { writes, ...outcome };
  };

  return {
    fake,
    caches,
    putAgent: (name, spec = {}) => put(agentType, name, agentManifestOf(name, { replicas: 1, ...spec }).spec),
    putServer: (name, spec) =>
      put(serverType, name, serverManifestOf(name, { active: true, listed: false, ...spec }).spec),
    putPolicy: (name, spec) => put(policyType, name, { instanceRef: { name: "ouranos" }, ...spec }),
    async putStatus(type, name, change) {
      const found = fake.get(name, namespace, type);
      if (!found) throw new Error(`expected a ${type.kind} ${name}, found none`);
      const { metadata, ...fields } = found;
      fake.put(name, { ...fields, status: change(Object(fields["status"])) }, { type, namespace, metadata });
      await settled();
    },
    putInstance: (spec = {}) => put(instanceType, "ouranos", instanceManifestOf(spec).spec),
    async putChild(kind, name, change) {
      const type = childTypes[kind];
      const { metadata = { labels: { [labels.component]: "agent" } }, ...fields } =
        fake.get(name, namespace, type) ?? {};
      const { metadata: changed, ...rest } = JSON.parse(JSON.stringify(change({ metadata, ...fields })));
      fake.put(name, rest, { type, namespace, metadata: changed });
      await settled();
    },
    async removeChild(kind, name) {
      fake.remove(name, { type: childTypes[kind], namespace });
      await settled();
    },
    child: (kind, name) => caches.children[kind].store.get(`${namespace}/${name}`),
    async carryOut(deployment, status) {
      const type = childTypes.deployment;
      const found = fake.get(deployment, namespace, type);
      if (!found) throw new Error(`expected a Deployment ${deployment}, found none`);
      const { metadata, ...fields } = found;
      const { replicas = 1 } = JSON.parse(JSON.stringify(fields["spec"]));
      const done = { replicas, updatedReplicas: replicas, availableReplicas: replicas, readyReplicas: replicas };
      const observedGeneration = metadata["generation"];
      fake.put(
        deployment,
        { ...fields, status: { observedGeneration, ...(status ?? done) } },
        { type, namespace, metadata },
      );
      await settled();
    },
    refuse(kind, status = 422) {
      fake.intercept = ({ method, path, body }) => {
        const refused = method !== "GET" && !path.endsWith("/status") && kind !== undefined && body?.["kind"] === kind;
        return refused ? answerStatus(status, "Refused") : undefined;
      };
    },
    reconcileAgent: (name, failures = 0) => reconcile(agentType, name, failures),
    reconcileServer: (name, failures = 0) => reconcile(serverType, name, failures),
    reconcilePolicy: (name) => reconcile(policyType, name, 0),
    reconcileInstance: (failures = 0) => reconcile(instanceType, "ouranos", failures),
    status: (type, name) => JSON.parse(JSON.stringify(fake.get(name, namespace, type)?.["status"] ?? {})),
  };
}

const isOurs = (metadata: object): boolean =>
  Object.hasOwn(Object(Reflect.get(metadata, "labels") ?? {}), labels.component);

const shows = (store: { get(key: string): LiveObject | undefined }, { metadata }: LiveObject): boolean =>
  store.get(`${metadata.namespace}/${metadata.name}`)?.metadata.resourceVersion === metadata.resourceVersion;
