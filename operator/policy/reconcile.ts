// The reconciler of PallasPolicies: whether the spec holds, and which rules do while it does not, as one status write. Agents
// and gateways read both; proposals are the gateway's part of the status, which is neither compared nor sent (MGM-5).
import type { PolicyConditionType } from "../../crds/conditions.ts";
import { neverObserved } from "../../crds/definition.ts";
import { policyType } from "../../crds/kinds.ts";
import type { PolicyStatus } from "../../crds/policy.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Reconcile, ReconcileContext } from "../../lib/kube/controller.ts";
import { acceptPolicy } from "../../plan/accept-policy.ts";
import type { WatchedPolicy } from "../../plan/parse-watched.ts";
import { formatProblem, type ValidationError } from "../../plan/validation-error.ts";
import type { ReconcilerOptions } from "../agent/reconcile.ts";
import type { Writing } from "../children.ts";
import { ConditionSet } from "../conditions.ts";
import { findInstance } from "../find-instance.ts";
import { summarise } from "../summary.ts";

type Conditions = ConditionSet<PolicyConditionType>;

/** What of a status the operator writes. */
const ownStatus = ({ observedGeneration, conditions, inForce }: PolicyStatus = {}): PolicyStatus => ({
  ...defined({ observedGeneration, inForce }),
  conditions: conditions ?? [],
});

const problemsOf = ({ parsed }: WatchedPolicy): readonly ValidationError[] =>
  parsed.ok ? acceptPolicy(parsed.value) : parsed.problems;

function judge(options: ReconcilerOptions, live: WatchedPolicy, conditions: Conditions): PolicyStatus["inForce"] {
  const [first, ...others] = problemsOf(live);
  if (first !== undefined || !live.parsed.ok) {
    const last = live.status?.inForce;
    const holds =
      last === undefined
        ? "no rules hold, and every call is denied"
        : `the rules of generation ${last.generation} go on holding`;
    const found = [...(first ? [first] : []), ...others].map(formatProblem).join("; ");
    conditions.set("Accepted", "False", first?.reason ?? "InvalidField", `${found}; ${holds}`);
    return last;
  }
  const { metadata, spec } = live.parsed.value;
  const instance = findInstance({ ...options, conditions }, live.parsed.value);
  if (instance) {
    conditions.set("Accepted", "True", "Accepted", `belongs to PallasInstance "${instance.metadata.name}"`);
  }
  return { generation: metadata.generation ?? 0, rules: spec.rules, ...defined({ default: spec.default }) };
}

async function reconcilePolicy(options: ReconcilerOptions, { key, signal, log }: ReconcileContext): Promise<void> {
  const live = options.caches.policies.store.get(key);
  if (!live || live.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name, generation = 0 } = live.metadata;
  const before = ownStatus(live.status);
  const conditions: Conditions = new ConditionSet(before.conditions ?? [], generation, options.now());
  const inForce = judge(options, live, conditions);
  const handled = summarise(conditions, {
    parts: ["Accepted"],
    rollout: undefined,
    failure: undefined,
    serves: "its rules hold",
  });
  const status = {
    observedGeneration: handled ? generation : (before.observedGeneration ?? neverObserved),
    conditions: conditions.all,
    ...defined({ inForce }),
  };
  const writing: Writing = { owner: live, signal, written: [] };
  if (await options.status.write(policyType, { ...live, status: before }, status, writing)) {
    log.info({ namespace, policy: name, generation, ready: conditions.status("Ready") }, "policy status written");
  }
}

export const createPolicyReconciler =
  (options: ReconcilerOptions): Reconcile =>
  async (context) => {
    await reconcilePolicy(options, context);
    return {};
  };
