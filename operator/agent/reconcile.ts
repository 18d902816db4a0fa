// The reconciler of PallasAgents: accept → resolve → dependencies → apply → observe, then one status write. It is
// level-triggered: it reads caches, and a resource in its desired state causes no write at all (OPR-2).
import type { NetworkPolicyPeer } from "../../crds/agent-settings.ts";
import { agentType } from "../../crds/kinds.ts";
import { agentChildren } from "../../crds/names.ts";
import { agentReadyParts, type AgentConditionType } from "../../crds/conditions.ts";
import { neverObserved } from "../../crds/definition.ts";
import type { Reconcile, ReconcileContext, ReconcileResult } from "../../lib/kube/controller.ts";
import type { Rules } from "../../plan/rules.ts";
import type { Caches } from "../caches.ts";
import { carryOut, type ChildWriter, type Writing } from "../children.ts";
import { ConditionSet } from "../conditions.ts";
import type { BridgeVerdict } from "../health/bridge-verdict.ts";
import type { Health } from "../health/poller.ts";
import type { HealthVerdict } from "../health/verdict.ts";
import type { InstancePolicies } from "../instance-policies.ts";
import type { InstanceServers } from "../instance-servers.ts";
import type { Neighbours } from "../neighbours.ts";
import type { Images } from "../render/agent-children.ts";
import type { LiveDeployment } from "../resources.ts";
import { observeRollout } from "../rollout.ts";
import type { ImagePacing } from "../rollouts/pace-image.ts";
import type { StatusWriter } from "../status.ts";
import { summarise } from "../summary.ts";
import type { TokenIssuer } from "../token-issuer.ts";
import { accept, resolve } from "./accept.ts";
import { applyChildren, type Applied } from "./apply.ts";
import { observeDependencies } from "./dependencies.ts";
import type { AgentRun } from "./run.ts";
import { markAvailable, markHealth, markUnchecked, renderAgentStatus } from "./observed.ts";

export interface ReconcilerOptions {
  readonly caches: Caches;
  readonly neighbours: Neighbours;
  readonly instanceServers: InstanceServers;
  readonly instancePolicies: InstancePolicies;
  readonly children: ChildWriter;
  readonly status: StatusWriter;
  readonly images: Images;
  readonly rules: Rules;
  /** Where registries reach the API server, by their NetworkPolicies. */
  readonly apiServerPorts: readonly number[];
  /** Who may read the metrics of gateways. */
  readonly metricsFrom: readonly NetworkPolicyPeer[];
  readonly health: Health<HealthVerdict>;
  /** Of the bridges of tool servers. */
  readonly bridgeHealth: Health<BridgeVerdict>;
  readonly tokenIssuer: Pick<TokenIssuer, "observe" | "observeTrouble">;
  readonly pacing: ImagePacing;
  readonly now: () => Date;
}

/** A held agent is woken when it is its turn; this is for a turn that nobody took. */
const heldRetryMs = 60_000;

/** Runs the steps as far as they go; what was judged is added to `checked`. */
async function advance(run: AgentRun, checked: Set<AgentConditionType>): Promise<Applied> {
  const accepted = accept(run);
  if (!accepted) return {};
  checked.add("ReferencesResolved");
  if (!resolve(run, accepted)) return {};
  checked.add("DependenciesReady");
  const mayStart = observeDependencies(run, accepted);
  return applyChildren(run, accepted, mayStart);
}

async function reconcileAgent(options: ReconcilerOptions, context: ReconcileContext): Promise<ReconcileResult> {
  const { caches, now } = options;
  const { key, signal, log } = context;
  const live = caches.agents.store.get(key);
  // Children of a deleted agent are the garbage collector's, by their owner references.
  if (!live || live.metadata.deletionTimestamp !== undefined) return {};
  const { namespace, name, generation = 0 } = live.metadata;
  const conditions = new ConditionSet<AgentConditionType>(live.status?.conditions ?? [], generation, now());
  const writing: Writing = { owner: live, signal, written: [] };
  const run: AgentRun = { ...options, live, conditions, writing, log };
  const checked = new Set<AgentConditionType>();
  const { result: applied = {}, failure } = await carryOut(writing, context, () => advance(run, checked));
  markUnchecked(conditions, checked);
  const deployment: LiveDeployment | undefined =
    applied.deployment ?? options.children.findOwned("deployment", live, agentChildren(name).deployment);
  const rollout = deployment && observeRollout(deployment);
  const verdict = options.health.of(key);
  markAvailable(conditions, rollout, verdict, failure);
  const health = markHealth(conditions, rollout, verdict, live.status?.health);
  const { waiting } = applied;
  const handled = summarise(conditions, { parts: agentReadyParts, rollout, failure, waiting, serves: "serves calls" });
  const observedGeneration = handled ? generation : (live.status?.observedGeneration ?? neverObserved);
  const status = renderAgentStatus(live, conditions, rollout, health, observedGeneration);
  if (await options.status.write(agentType, live, status, writing)) {
    log.info({ namespace, agent: name, generation, ready: conditions.status("Ready") }, "agent status written");
  }
  if (failure) throw failure.error;
  return applied.waiting === undefined ? {} : { requeueAfterMs: heldRetryMs };
}

export const createAgentReconciler =
  (options: ReconcilerOptions): Reconcile =>
  (context) =>
    reconcileAgent(options, context);
