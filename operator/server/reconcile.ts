// The reconciler of PallasServers: accept → apply its bridge, where it needs one → observe it, then one status write. Its
// tools are the gateway's to list: nothing here calls a server.
import type { ServerConditionType } from "../../crds/conditions.ts";
import { neverObserved } from "../../crds/definition.ts";
import { serverType } from "../../crds/kinds.ts";
import { serverChildren } from "../../crds/names.ts";
import type { Reconcile, ReconcileContext } from "../../lib/kube/controller.ts";
import type { ReconcilerOptions } from "../agent/reconcile.ts";
import { serverKeys } from "../caches.ts";
import { carryOut, type Writing } from "../children.ts";
import { ConditionSet } from "../conditions.ts";
import type { LiveDeployment } from "../resources.ts";
import { observeRollout } from "../rollout.ts";
import { summarise } from "../summary.ts";
import { acceptServer } from "./accept.ts";
import { applyServer } from "./apply.ts";
import {
  inactiveMessage,
  isInactive,
  markAvailable,
  ownStatus,
  renderServerStatus,
  type SeenServer,
} from "./observed.ts";

async function reconcileServer(options: ReconcilerOptions, context: ReconcileContext): Promise<void> {
  const { caches, now, children, metricsFrom } = options;
  const { key, signal, log } = context;
  const live = caches.servers.store.get(key);
  // Children of a deleted server are the garbage collector's, by their owner references.
  if (!live || live.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name, generation = 0 } = live.metadata;
  const before = ownStatus(live.status);
  const conditions = new ConditionSet<ServerConditionType>(before.conditions, generation, now());
  const writing: Writing = { owner: live, signal, written: [] };
  const naming = serverKeys(live).flatMap((named) => caches.agents.store.byIndex("server", named));
  const callers = naming.map(({ metadata }) => metadata.name);
  const resolved = acceptServer({ ...options, live, conditions });
  const { result, failure } = await carryOut(writing, context, async () =>
    resolved ? applyServer({ ...options, peers: { callers, metricsFrom }, writing, log }, resolved) : undefined,
  );
  const deployment: LiveDeployment | undefined =
    result ?? children.findOwned("deployment", live, serverChildren(name).deployment);
  const rollout = deployment && observeRollout(deployment);
  const seen: SeenServer = { name, resolved, rollout, verdict: options.bridgeHealth.of(key), failure };
  markAvailable(conditions, seen);
  const inactive = isInactive(seen);
  const handled = summarise(conditions, {
    parts: ["Accepted", "Available"],
    rollout: inactive ? undefined : rollout,
    failure,
    serves: inactive ? inactiveMessage : "its tools can be called",
  });
  const observedGeneration = handled ? generation : (before.observedGeneration ?? neverObserved);
  const status = renderServerStatus(conditions, { resolved, observedGeneration, before });
  if (await options.status.write(serverType, { ...live, status: before }, status, writing)) {
    log.info({ namespace, server: name, generation, ready: conditions.status("Ready") }, "server status written");
  }
  if (failure) throw failure.error;
}

export const createServerReconciler =
  (options: ReconcilerOptions): Reconcile =>
  async (context) => {
    await reconcileServer(options, context);
    return {};
  };
