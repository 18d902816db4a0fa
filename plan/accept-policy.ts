// What is wrong with a PallasPolicy beyond its schema: all that keeps its rules from holding, in the words of lib/policy; and
// what agents and gateways say that name one which does not hold. Such an agent goes on, with every call denied (MGM-5).
import type { PallasAgent } from "../crds/agent.ts";
import { suggestion } from "../crds/did-you-mean.ts";
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasPolicy } from "../crds/policy.ts";
import type { LivePolicy } from "../crds/run-config.ts";
import { rulesProblems } from "./policy-in-force.ts";
import { effectivePolicy } from "./settings.ts";
import { listNames, type ValidationError } from "./validation-error.ts";

/** By name, the policies of an instance and what holds of each. */
export type LivePolicies = ReadonlyMap<string, LivePolicy>;

interface Around {
  readonly instance: PallasInstance;
  readonly policies?: LivePolicies;
}

/** Every problem of a policy by itself. */
export const acceptPolicy = ({ spec }: PallasPolicy): ValidationError[] =>
  rulesProblems(spec).map(({ rule, field, message }): ValidationError => {
    const at = spec.rules.findIndex(({ name }, index) => name === rule || `[${index}]` === rule);
    const inside = at < 0 ? "spec" : `spec.rules[${at}]`;
    const reason = message.endsWith("which is unknown") ? "UnknownField" : "InvalidField";
    return { reason, path: field === "" ? inside : `${inside}.${field}`, message };
  });

function referenceProblems(name: string, path: string, { instance, policies }: Around): ValidationError[] {
  const live = policies?.get(name);
  const consequence = "until then every call of a tool is denied";
  if (live === undefined) {
    const known = [...(policies?.keys() ?? [])];
    const where = `instance "${instance.metadata.name}" has the policies ${listNames(known)}`;
    const message = `policy "${name}" does not exist${suggestion(name, known)}; ${where}; create it: ${consequence}`;
    return [{ reason: "PolicyNotFound", path, message }];
  }
  if (!("fault" in live)) return [];
  return [{ reason: "PolicyNotAccepted", path, message: `${live.fault}; correct that one: ${consequence}` }];
}

/** That the policy which an agent's calls are judged by does not hold. */
export function policyProblems(agent: PallasAgent, around: Around): ValidationError[] {
  const name = effectivePolicy(agent, around.instance);
  const path = agent.spec.policyRef === undefined ? "spec.instanceRef" : "spec.policyRef.name";
  return name === undefined ? [] : referenceProblems(name, path, around);
}

/** That the policy which calls through an instance's gateway are judged by does not hold. */
export function gatewayPolicyProblems(instance: PallasInstance, policies: LivePolicies): ValidationError[] {
  const name = instance.spec.gateway?.policyRef?.name;
  return name === undefined ? [] : referenceProblems(name, "spec.gateway.policyRef.name", { instance, policies });
}

/** Whether somebody but the caller is asked. */
const asksPeople = (live: LivePolicy): boolean =>
  !("fault" in live) &&
  ((live.default ?? "ask") === "ask" ||
    live.rules.some((rule) => {
      const { action, askCaller }: { action?: unknown; askCaller?: unknown } = Object(rule);
      return action === "ask" && askCaller !== true;
    }));

/** Where nobody can be asked, what is to be asked about is denied. */
export function advisePolicy(agent: PallasAgent, { instance, policies }: Around): { path: string; message: string }[] {
  const name = effectivePolicy(agent, instance);
  const live = name === undefined ? undefined : policies?.get(name);
  if (live === undefined || instance.spec.gateway !== undefined || !asksPeople(live)) return [];
  const path = agent.spec.policyRef === undefined ? "spec.instanceRef" : "spec.policyRef.name";
  const message = `policy "${name}" asks about calls, and instance "${instance.metadata.name}" has no gateway, where somebody could approve them: they are denied; set spec.gateway of the instance, or allow or deny them`;
  return [{ path, message }];
}
