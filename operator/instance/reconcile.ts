// The reconciler of PallasInstances: accept → apply the registry, and the gateway where there is one → observe them and
// the agents, then one status write.
import type { InstanceConditionType } from "../../crds/conditions.ts";
import { neverObserved } from "../../crds/definition.ts";
import type { InstanceStatus, PallasInstance } from "../../crds/instance.ts";
import { instanceType } from "../../crds/kinds.ts";
import { gatewayName, registryName } from "../../crds/names.ts";
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
import { applyGateway } from "./gateway.ts";

type Conditions = ConditionSet<InstanceConditionType>;

async function applyRegistry(
  { children, images, rules, apiServerPorts }: ReconcilerOptions,
  instance: PallasInstance,
  writing: Writing,
): Promise<LiveDeployment> {
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

/** A program of the instance, as it was found after what could be written was written. */
interface Program {
  readonly rollout: Rollout | undefined;
  readonly failure: Failure | undefined;
}

/** @param trouble what does not work beside it, however well it runs */
function markAvailable(
  conditions: Conditions,
  program: "registry" | "gateway",
  { rollout, failure }: Program,
  trouble?: string,
): void {
  const type = program === "registry" ? "RegistryAvailable" : "GatewayAvailable";
  const available = rollout?.available === true ? "True" : "False";
  const beside = trouble === undefined ? "" : `; ${trouble}`;
  if (failure) conditions.set(type, available, failure.reason, failure.message);
  else if (rollout) conditions.set(type, available, rollout.reason, `${rollout.message}${beside}`);
  else conditions.set(type, "False", "Unavailable", `it has no ${program} yet`);
}

/** Writes what a program needs, if the instance may have it, and looks at its Deployment. */
async function runProgram(
  { children }: ReconcilerOptions,
  { writing, context, name }: { writing: Writing; context: ReconcileContext; name: string },
  apply: (() => Promise<LiveDeployment | undefined>) | undefined,
): Promise<Program> {
  const { result, failure } = apply ? await carryOut(writing, context, apply) : {};
  const deployment: LiveDeployment | undefined = result ?? children.findOwned("deployment", writing.owner, name);
  return { rollout: deployment && observeRollout(deployment), failure };
}

/** What of both tells most of the whole: one that gave up, else one that still moves. */
const summedUp = ({ rollout: registry }: Program, { rollout: gateway }: Program): Rollout | undefined => {
  const rollouts = [registry, gateway && { ...gateway, message: `gateway: ${gateway.message}` }];
  return rollouts.find((each) => each?.gaveUp) ?? rollouts.find((each) => each?.moving) ?? registry;
};

function judgeParts(
  conditions: Conditions,
  live: WatchedInstance,
  { registry, gateway, trouble }: { registry: Program; gateway: Program; trouble: string | undefined },
): boolean {
  markAvailable(conditions, "registry", registry);
  // Where its spec cannot be read, what there was before goes on.
  const isWanted = live.parsed.ok ? live.parsed.value.spec.gateway !== undefined : gateway.rollout !== undefined;
  const hasGateway = isWanted || gateway.failure !== undefined;
  if (hasGateway) markAvailable(conditions, "gateway", gateway, trouble);
  else conditions.drop("GatewayAvailable");
  return summarise(conditions, {
    parts: hasGateway ? ["Accepted", "RegistryAvailable", "GatewayAvailable"] : ["Accepted", "RegistryAvailable"],
    rollout: hasGateway ? summedUp(registry, gateway) : registry.rollout,
    failure: registry.failure ?? gateway.failure,
    serves: hasGateway ? "its registry and gateway are ready" : "its registry is ready",
  });
}

async function reconcileInstance(options: ReconcilerOptions, context: ReconcileContext): Promise<void> {
  const { caches, now, rules } = options;
  const { key, signal, log } = context;
  const live = caches.instances.store.get(key);
  if (!live || live.metadata.deletionTimestamp !== undefined) return;
  const { name, namespace, generation = 0 } = live.metadata;
  const conditions: Conditions = new ConditionSet(live.status?.conditions ?? [], generation, now());
  const writing: Writing = { owner: live, signal, written: [] };
  const instance = acceptInstance(live, rules, conditions);
  const registry = await runProgram(
    options,
    { writing, context, name: registryName(name) },
    instance && (() => applyRegistry(options, instance, writing)),
  );
  const gateway = await runProgram(
    options,
    { writing, context, name: gatewayName(name) },
    instance && (() => applyGateway(options, instance, { writing, log })),
  );
  const handled = judgeParts(conditions, live, { registry, gateway, trouble: options.tokenIssuer.observeTrouble() });
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
  const failure = registry.failure ?? gateway.failure;
  if (failure) throw failure.error;
}

export const createInstanceReconciler =
  (options: ReconcilerOptions): Reconcile =>
  async (context) => {
    await reconcileInstance(options, context);
    return {};
  };
