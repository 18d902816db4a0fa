// Which rules of a policy hold: those of its spec, or while that is faulty the last that were not, which the operator keeps in the
// status. The one answer for operator, gateway and `pallas up` (MGM-5). Pure.
import { defined } from "../crds/defined.ts";
import { maxPolicyBytes, type PallasPolicy, type PolicyStatus } from "../crds/policy.ts";
import type { LivePolicy } from "../crds/run-config.ts";
import { compilePolicy } from "../lib/policy/compile.ts";
import type { Problem } from "../lib/policy/problems.ts";
import type { WatchedPolicy } from "./parse-watched.ts";
import { formatProblem } from "./validation-error.ts";

type Written = Pick<PallasPolicy["spec"], "default"> & { readonly rules: readonly unknown[] };

/** A PallasPolicy is one; so is what is left of one whose spec cannot be read. */
export interface PolicySource {
  readonly metadata: { readonly generation?: number | undefined };
  readonly spec?: Written;
  readonly status?: Pick<PolicyStatus, "inForce"> | undefined;
  /** Why there is no spec. */
  readonly unreadable?: string;
}

/** What the API server served of a policy. */
export function policySourceOf({ metadata, parsed, status }: WatchedPolicy): PolicySource {
  if (parsed.ok) return parsed.value;
  return { metadata, status, unreadable: formatProblem(parsed.problems[0]) };
}

/** Everything that keeps rules from holding, up to 16 problems; none where they hold. */
export function rulesProblems({
  rules,
  default: fallback,
}: Written): readonly Pick<Problem, "rule" | "field" | "message">[] {
  const written = { rules, ...defined({ default: fallback }) };
  const bytes = Buffer.byteLength(JSON.stringify(written));
  if (bytes > maxPolicyBytes) {
    const message = `policy: expected at most ${maxPolicyBytes} bytes as JSON, found ${bytes}; make several policies of it`;
    return [{ rule: undefined, field: "", message }];
  }
  return compilePolicy(written).problems;
}

/**
 * The rules that hold under a policy's name, or why none does: then every call is denied.
 * @param policy undefined: there is none of this name in the instance
 */
export function findPolicyInForce(policy: PolicySource | undefined, name: string): LivePolicy {
  if (policy === undefined) {
    return { name, fault: `PallasPolicy "${name}" does not exist: every call is denied until it does` };
  }
  const { metadata, spec, status, unreadable = "its spec cannot be read" } = policy;
  const faulty = spec === undefined ? unreadable : rulesProblems(spec)[0]?.message;
  if (spec !== undefined && faulty === undefined) return render(name, metadata.generation ?? 0, spec);
  const last = status?.inForce;
  if (last !== undefined && rulesProblems(last).length === 0) {
    return { ...render(name, last.generation, last), faulty: faulty ?? unreadable };
  }
  return { name, fault: `PallasPolicy "${name}" is not valid, and never was: ${faulty}` };
}

const render = (name: string, generation: number, { rules, default: fallback }: Written) => ({
  name,
  generation,
  rules: [...rules],
  ...defined({ default: fallback }),
});
