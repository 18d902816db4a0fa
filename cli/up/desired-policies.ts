// Which policies hold on this machine: those of the manifests, each with the last rules of this run that were without a fault, as
// the operator keeps them in a cluster. Pure.
import { createHash } from "node:crypto";
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasPolicy } from "../../crds/policy.ts";
import { parseLiveConfig } from "../../crds/run-config.ts";
import { defined } from "../../lib/process/defined.ts";
import type { LivePolicies } from "../../plan/accept-policy.ts";
import { livePolicies } from "../../plan/check.ts";
import { findPolicyInForce, rulesProblems } from "../../plan/policy-in-force.ts";
import { serialiseConfig } from "../../plan/run-config.ts";
import { effectivePolicy } from "../../plan/settings.ts";
import { keyOf } from "./process-keys.ts";

export interface DesiredPolicy {
  readonly policy: PallasPolicy;
  /** The manifest that it is in. */
  readonly file: string;
}
export type DesiredPolicies = ReadonlyMap<string, DesiredPolicy>;

/** No server counts edits here; what was approved under other rules must not be taken for approved, be it in another run. */
function generationOf({ rules, default: fallback }: PallasPolicy["spec"]): number {
  const digest = createHash("sha256")
    .update(JSON.stringify([rules, fallback]))
    .digest("hex");
  return Number.parseInt(digest.slice(0, 8), 16);
}

/** A policy as it is now, with what holds of it in its status. */
function renderPolicy(policy: PallasPolicy, previous: PallasPolicy | undefined): PallasPolicy {
  const { metadata, spec } = policy;
  const generation = generationOf(spec);
  const isSound = rulesProblems(spec).length === 0;
  const own = { generation, rules: spec.rules, ...defined({ default: spec.default }) };
  const inForce = isSound ? own : previous?.status?.inForce;
  return { ...policy, metadata: { ...metadata, generation }, ...(inForce && { status: { inForce } }) };
}

export const policiesOf = (instance: PallasInstance, policies: DesiredPolicies): LivePolicies =>
  livePolicies(
    instance,
    [...policies.values()].map(({ policy }) => policy),
  );

interface Running {
  readonly agent: PallasAgent;
  readonly instance: PallasInstance;
  readonly liveConfig: string;
}

/** An agent that stays as it last was without faults follows its policy's edits. */
export function withLivePolicy<T extends Running>(runnable: T, policies: DesiredPolicies): T {
  const { agent, instance, liveConfig } = runnable;
  const name = effectivePolicy(agent, instance);
  if (name === undefined) return runnable;
  const policy = policiesOf(instance, policies).get(name) ?? findPolicyInForce(undefined, name);
  return { ...runnable, liveConfig: serialiseConfig({ ...parseLiveConfig(liveConfig), policy }) };
}

/** Of all that can be read, and of those that were and stay. */
export function renderPolicies(
  policies: Iterable<PallasPolicy>,
  fileOf: (policy: PallasPolicy) => string,
  before: DesiredPolicies | undefined,
  stays: (key: string, file: string) => boolean,
): Map<string, DesiredPolicy> {
  const now = new Map(
    [...policies].map((policy): [string, DesiredPolicy] => {
      const key = keyOf(policy);
      return [key, { policy: renderPolicy(policy, before?.get(key)?.policy), file: fileOf(policy) }];
    }),
  );
  for (const [key, entry] of before ?? []) if (!now.has(key) && stays(key, entry.file)) now.set(key, entry);
  return now;
}
