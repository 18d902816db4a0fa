// The reconciler of PallasInstances: accept → apply the registry → observe it and the agents, then one status write.
import type { InstanceConditionType } from "../../crds/conditions.ts";
import { neverObserved } from "../../crds/definition.ts";
import type { InstanceStatus } from "../../crds/instance.ts";
import { instanceType } from "../../crds/kinds.ts";
import { registryName } from "../../crds/names.ts";
import type { Reconcile, ReconcileContext } from "../../lib/kube/controller.ts";
import type { WatchedInstance } from "../../plan/parse-watched.ts";
import { registryUrl } from "../../plan/urls.ts";
import type { ReconcilerOptions } from "../agent/reconcile.ts";
import { carryOut, type Writing } from "../children.ts";
import { ConditionSet } from "../conditions.ts";
import { isReady } from "../dependents.ts";
import type { Failure } from "../failure.ts";
import { renderInstanceChildren } from "../render/instance-children.ts";
import type { LiveDeployment } from "../resources.ts";
import { observeRollout, type Rollout } from "../rollout.ts";
import { applyWanted, removeUnwanted } from "../sometimes.ts";
import { observeSpecChange } from "../spec-changed.ts";
import { summarise } from "../summary.ts";
import { acceptInstance } from "./accept.ts";

type Conditions = ConditionSet<InstanceConditionType>;

async function applyRegistry(
  { children, images, rules, apiServerPorts }: ReconcilerOptions,
  live: WatchedInstance,
  conditions: Conditions,
  writing: Writing,
): Promise<LiveDeployment | undefined> {
  const instance = acceptInstance(live, rules, conditions);
  if (!instance) return undefined;
  const rendered = renderInstanceChildren(instance, images, rules, apiServerPorts);
  // What the pod needs comes first; the Role before what binds it.
  await children.apply("serviceAccount", rendered.serviceAccount, writing);
  await children.apply("role", rendered.role, writing);
  await children.apply("roleBinding", rendered.roleBinding, writing);
  await children.apply("service", rendered.service, writing);
  await applyWanted(children, rendered, writing);
  const deployment = await children.apply("deployment", rendered.deployment, writing);
  const name = registryName(instance.metadata.name);
  await removeUnwanted(children, rendered, { networkPolicy: name, podDisruptionBudget: name }, writing);
  return deployment;
}

function markAvailable(conditions: Conditions, rollout: Rollout | undefined, failure: Failure | undefined): void {
  const available = rollout?.available === true ? "True" : "False";
  if (failure) conditions.set("RegistryAvailable", available, failure.reason, failure.message);
  else if (rollout) conditions.set("RegistryAvailable", available, rollout.reason, rollout.message);
  else conditions.set("RegistryAvailable", "False", "Unavailable", "it has no registry yet");
}

async function reconcileInstance(options: ReconcilerOptions, context: ReconcileContext): Promise<void> {
  const { caches, children, now } = options;
  const { key, signal, log } = context;
  const live = caches.instances.store.get(key);
  if (!live || live.metadata.deletionTimestamp !== undefined) return;
  const { name, namespace, generation = 0 } = live.metadata;
  const conditions: Conditions = new ConditionSet(live.status?.conditions ?? [], generation, now());
  const writing: Writing = { owner: live, signal, written: [] };
  const { result: applied, failure } = await carryOut(writing, context, () =>
    applyRegistry(options, live, conditions, writing),
  );
  const deployment: LiveDeployment | undefined = applied ?? children.findOwned("deployment", live, registryName(name));
  const rollout = deployment && observeRollout(deployment);
  markAvailable(conditions, rollout, failure);
  const parts = ["Accepted", "RegistryAvailable"] as const;
  const handled = summarise(conditions, { parts, rollout, failure, serves: "its registry is ready" });
  const agents = caches.agents.store.byIndex("instance", key);
  const status: InstanceStatus = {
    observedGeneration: handled ? generation : (live.status?.observedGeneration ?? neverObserved),
    ...observeSpecChange(
      live.metadata,
      live.status,
      live.parsed.ok ? live.parsed.value.spec : undefined,
      conditions.time,
    ),
    conditions: conditions.all,
    agents: { total: agents.length, ready: agents.filter(isReady).length },
    ...(live.parsed.ok ? { registryUrl: registryUrl(live.parsed.value, namespace) } : {}),
  };
  if (await options.status.write(instanceType, live, status, writing)) {
    log.info({ namespace, instance: name, generation, ready: conditions.status("Ready") }, "instance status written");
  }
  if (failure) throw failure.error;
}

export const createInstanceReconciler =
  (options: ReconcilerOptions): Reconcile =>
  async (context) => {
    await reconcileInstance(options, context);
    return {};
  };
