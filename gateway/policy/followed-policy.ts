// The policy that calls through the gateway are judged by (MGM-4): the one in force under the name that the instance gives it, compiled
// once for each form that it has. One that is not there, or has never been valid, denies every call.
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { compilePolicy } from "../../lib/policy/compile.ts";
import { denyAll, type Policy } from "../../lib/policy/policy.ts";
import { defined } from "../../lib/process/defined.ts";
import { findPolicyInForce } from "../../plan/policy-in-force.ts";
import type { GatewayState } from "../state/state.ts";

export interface PolicyInForce {
  readonly name: string;
  /** Of the resource when it had these rules; 0 where there is none. */
  readonly generation: number;
  readonly policy: Policy;
  /** Whether there is none to go by: every call is denied for that. */
  readonly isFault: boolean;
  /** Whether what servers say of their tools counts. */
  readonly hasHints: boolean;
}

export interface FollowedPolicy {
  now(): PolicyInForce;
  /** Called with what held before, after each change; until what it returns is called. */
  onChange(listener: (before: PolicyInForce) => void): () => void;
  close(): void;
}

export interface FollowedPolicyParts {
  config: Pick<GatewayConfig, "policyRef">;
  state: Pick<GatewayState, "getPolicySource" | "onChange">;
}

/** Undefined where the instance's gateway has no policy: whoever may call is allowed. */
export function followPolicy({ config, state }: FollowedPolicyParts): FollowedPolicy | undefined {
  const { policyRef: name } = config;
  if (name === undefined) return undefined;
  const listeners = new Set<(before: PolicyInForce) => void>();
  const read = () => findPolicyInForce(state.getPolicySource(name), name);
  let text = JSON.stringify(read());
  let current = compile(read());
  const stop = state.onChange(({ policies }) => {
    if (!policies.includes(name)) return;
    const live = read();
    // A status that is written changes no rule.
    const nowText = JSON.stringify(live);
    if (nowText === text) return;
    const before = current;
    [text, current] = [nowText, compile(live)];
    for (const listener of [...listeners]) listener(before);
  });
  return {
    now: () => current,
    onChange(listener) {
      const own = (before: PolicyInForce) => listener(before);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close() {
      stop();
      listeners.clear();
    },
  };
}

function compile(live: ReturnType<typeof findPolicyInForce>): PolicyInForce {
  const { name } = live;
  if ("fault" in live) return { name, generation: 0, policy: denyAll(live.fault), isFault: true, hasHints: false };
  const { generation, rules, default: fallback } = live;
  const { policy } = compilePolicy({ rules, ...defined({ default: fallback }) });
  return { name, generation, policy, isFault: false, hasHints: policy.rules.some(({ hints }) => hints !== undefined) };
}
