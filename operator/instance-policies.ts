// The PallasPolicies of each instance as its agents see them: what holds of each, found once for all agents, and anew only when
// the policy changes or what the operator itself wrote of it.
import type { PallasInstance } from "../crds/instance.ts";
import type { LivePolicy } from "../crds/run-config.ts";
import { objectKey } from "../lib/kube/object.ts";
import type { ReadStore } from "../lib/kube/store.ts";
import type { LivePolicies } from "../plan/accept-policy.ts";
import type { WatchedPolicy } from "../plan/parse-watched.ts";
import { findPolicyInForce, policySourceOf } from "../plan/policy-in-force.ts";

export interface InstancePolicies {
  of(instance: PallasInstance): LivePolicies;
}

const findLive = (policy: WatchedPolicy): LivePolicy => findPolicyInForce(policySourceOf(policy), policy.metadata.name);

export function createInstancePolicies(
  policies: Pick<ReadStore<WatchedPolicy, "instance">, "byIndex" | "list">,
): InstancePolicies {
  const known = new WeakMap<WatchedPolicy, LivePolicy>();
  const liveOf = (policy: WatchedPolicy): LivePolicy => {
    const live = known.get(policy) ?? findLive(policy);
    known.set(policy, live);
    return live;
  };
  return {
    of({ metadata: { namespace, name } }) {
      // Which instance these belong to cannot be told.
      const unreadable = policies
        .list()
        .filter(({ metadata, parsed }) => metadata.namespace === namespace && !parsed.ok);
      const all = [...unreadable, ...policies.byIndex("instance", objectKey(namespace, name))];
      return new Map(all.map((policy) => [policy.metadata.name, liveOf(policy)]));
    },
  };
}

/** Whether other rules hold than before: by another spec, or by another last one without faults. */
export const livePolicyChanged = (previous: WatchedPolicy, policy: WatchedPolicy): boolean =>
  JSON.stringify(findLive(previous)) !== JSON.stringify(findLive(policy));
