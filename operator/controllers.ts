// Which change concerns which resource: the four controllers and their sources.
import { agentType, instanceType, policyType, serverType } from "../crds/kinds.ts";
import type { WriteTracker } from "../lib/kube/consistency.ts";
import { createController, type Controller } from "../lib/kube/controller.ts";
import type { KubeMetrics } from "../lib/kube/metrics.ts";
import { keyOf, objectKey, type LiveObject } from "../lib/kube/object.ts";
import { createSource, desiredStateChanged, ownerKey, selfKey, type Source } from "../lib/kube/source.ts";
import type { Logger } from "../lib/process/log.ts";
import type { WatchedAgent, WatchedPolicy, WatchedServer } from "../plan/parse-watched.ts";
import { effectivePolicy } from "../plan/settings.ts";
import { createAgentReconciler, type ReconcilerOptions } from "./agent/reconcile.ts";
import { calleeKeys, agentKeys, keysInInstance, namedServerKeys, portKeys, runsServer, serverKeys } from "./caches.ts";
import { dependentsOf, isReady } from "./dependents.ts";
import { createInstanceReconciler } from "./instance/reconcile.ts";
import type { ChildKind } from "./resources.ts";
import { livePolicyChanged } from "./instance-policies.ts";
import { createPolicyReconciler } from "./policy/reconcile.ts";
import { createServerReconciler } from "./server/reconcile.ts";

export interface ControllersOptions extends ReconcilerOptions {
  readonly log: Logger;
  readonly metrics: KubeMetrics;
  readonly tracker: WriteTracker;
  readonly workers: number;
  /** Agents to be looked at again for other reasons than a change of a resource. */
  readonly wakes: Source;
  /** The same of tool servers. */
  readonly serverWakes: Source;
  /** The same of instances. */
  readonly instanceWakes: Source;
}

const agentChildKinds = [
  "deployment",
  "service",
  "configMap",
  "serviceAccount",
  "networkPolicy",
  "podDisruptionBudget",
] as const;
const instanceChildKinds = [
  "deployment",
  "service",
  "configMap",
  "serviceAccount",
  "role",
  "roleBinding",
  "networkPolicy",
  "podDisruptionBudget",
] as const;

const serverChildKinds = ["deployment", "service", "configMap", "serviceAccount", "networkPolicy"] as const;

/** An instance counts its agents, and its gateway reaches servers; while many change it looks no oftener than this. */
const countAgentsMs = 500;

type Cached = Pick<ControllersOptions, "caches" | "tracker">;

const childSources = (
  { caches, tracker }: Cached,
  kinds: readonly ChildKind[],
  toKeys: (child: LiveObject) => string[],
): Source[] =>
  kinds.map((kind) =>
    createSource({
      informer: caches.children[kind],
      toKeys,
      isEcho: (child) => tracker.isEcho(child),
    }),
  );

const readyOrSpecChanged = (previous: WatchedAgent, agent: WatchedAgent): boolean =>
  desiredStateChanged(previous, agent) || isReady(previous) !== isReady(agent);

/** The server that would have a child of this name, or children of the names of this agent's. */
const serverRunAs = ({ metadata: { name, namespace } }: LiveObject): string[] => {
  const server = runsServer(name);
  return server === undefined ? [] : [objectKey(namespace, server)];
};

/** Whose it is, and for whom it stands in the way, until it is gone. */
const serverOfChild = (child: LiveObject): string[] => [...ownerKey(serverType)(child), ...serverRunAs(child)];

function agentSources({ caches, tracker }: Cached): Source[] {
  const agentsOf = (instance: LiveObject) => caches.agents.store.byIndex("instance", keyOf(instance)).map(keyOf);
  return [
    createSource({ informer: caches.agents, toKeys: selfKey, when: desiredStateChanged }),
    createSource({
      informer: caches.agents,
      toKeys: (agent) => dependentsOf(caches.agents.store, keyOf(agent)),
      when: readyOrSpecChanged,
    }),
    createSource({
      informer: caches.agents,
      // When the holder of a port gives it up, the next one may have it.
      toKeys: (agent) => portKeys(agent).flatMap((port) => caches.agents.store.byIndex("port", port).map(keyOf)),
      when: desiredStateChanged,
    }),
    createSource({ informer: caches.instances, toKeys: agentsOf, when: desiredStateChanged }),
    createSource({ informer: caches.agents, toKeys: calleeKeys, when: desiredStateChanged }),
    // How a server is reached is in the run-configs of those that name it, and who has a name when several ask for it.
    createSource({
      informer: caches.servers,
      toKeys: (server) => serverKeys(server).flatMap((key) => caches.agents.store.byIndex("server", key).map(keyOf)),
      when: desiredStateChanged,
    }),
    createSource({ informer: caches.policies, toKeys: judgedBy(caches), when: livePolicyChanged }),
    // By label: a retained claim has no owner.
    createSource({ informer: caches.children.historyClaim, toKeys: agentKeys }),
    ...childSources({ caches, tracker }, agentChildKinds, ownerKey(agentType)),
  ];
}

/** Agents whose calls a policy judges, by their own word or their instance's. */
const judgedBy =
  ({ agents, instances }: ControllersOptions["caches"]) =>
  (policy: WatchedPolicy): string[] =>
    keysInInstance(policy).flatMap((key) => {
      const instance = instances.store.get(key)?.parsed;
      if (!instance?.ok) return [];
      return agents.store
        .byIndex("instance", key)
        .filter(({ parsed }) => parsed.ok && effectivePolicy(parsed.value, instance.value) === policy.metadata.name)
        .map(keyOf);
    });

function policySources({ caches }: Cached): Source[] {
  const policiesOf = (instance: LiveObject) => caches.policies.store.byIndex("instance", keyOf(instance)).map(keyOf);
  return [
    createSource({ informer: caches.policies, toKeys: selfKey, when: desiredStateChanged }),
    createSource({ informer: caches.instances, toKeys: policiesOf, when: desiredStateChanged }),
  ];
}

function serverSources({ caches, tracker }: Cached): Source[] {
  const serversOf = (instance: LiveObject) => caches.servers.store.byIndex("instance", keyOf(instance)).map(keyOf);
  const sameName = (server: WatchedServer) =>
    serverKeys(server).flatMap((key) => caches.servers.store.byIndex("name", key).map(keyOf));
  return [
    createSource({ informer: caches.servers, toKeys: selfKey, when: desiredStateChanged }),
    // When the holder of a name gives it up, the next one may have it.
    createSource({ informer: caches.servers, toKeys: sameName, when: desiredStateChanged }),
    createSource({ informer: caches.instances, toKeys: serversOf, when: desiredStateChanged }),
    createSource({ informer: caches.agents, toKeys: serverRunAs, when: () => false }),
    // It lets those in that name it (SEC-3).
    createSource({
      informer: caches.agents,
      toKeys: (agent) => namedServerKeys(agent).flatMap((key) => caches.servers.store.byIndex("name", key).map(keyOf)),
      when: desiredStateChanged,
    }),
    ...childSources({ caches, tracker }, serverChildKinds, serverOfChild),
  ];
}

export function createControllers(options: ControllersOptions): Controller[] {
  const { caches, log, metrics, workers } = options;
  return [
    createController({
      name: "pallasinstance",
      sources: [
        createSource({ informer: caches.instances, toKeys: selfKey, when: desiredStateChanged }),
        createSource({
          informer: caches.agents,
          toKeys: keysInInstance,
          when: readyOrSpecChanged,
          gatherMs: countAgentsMs,
        }),
        // Its gateway may connect to those that are called directly.
        createSource({
          informer: caches.servers,
          toKeys: keysInInstance,
          when: desiredStateChanged,
          gatherMs: countAgentsMs,
        }),
        ...childSources(options, instanceChildKinds, ownerKey(instanceType)),
        options.instanceWakes,
      ],
      reconcile: createInstanceReconciler(options),
      ownWrites: options.tracker.of(instanceType),
      log,
      metrics,
      workers,
    }),
    createController({
      name: "pallasserver",
      sources: [...serverSources(options), options.serverWakes],
      reconcile: createServerReconciler(options),
      ownWrites: options.tracker.of(serverType),
      log,
      metrics,
      workers,
    }),
    createController({
      name: "pallaspolicy",
      sources: policySources(options),
      reconcile: createPolicyReconciler(options),
      ownWrites: options.tracker.of(policyType),
      log,
      metrics,
      workers,
    }),
    createController({
      name: "pallasagent",
      sources: [...agentSources(options), options.wakes],
      reconcile: createAgentReconciler(options),
      ownWrites: options.tracker.of(agentType),
      log,
      metrics,
      workers,
    }),
  ];
}
