// What is shown of policies: whose they are, which rules hold, and what is proposed. Rules are for people who see something that is
// judged by them; agents read none, since a model that knows the rules looks for what they let through. Pure, from memory.
import { dump } from "js-yaml";
import { summarizeDryRun, type PlacedCall } from "../../../crds/judged-calls.ts";
import type { PallasPolicy, PolicyProposal } from "../../../crds/policy.ts";
import type { LivePolicy } from "../../../crds/run-config.ts";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import { findPolicyInForce } from "../../../plan/policy-in-force.ts";
import { effectivePolicy } from "../../../plan/settings.ts";
import type { GatewayState } from "../../state/state.ts";
import { isViewer, seesAgent, seesAll, seesTarget } from "../access.ts";
import type { DryRunAnswer } from "../agents/dry-runs.ts";

type Known = Pick<
  GatewayState,
  "getInstance" | "listAgents" | "getAgent" | "listPolicies" | "getPolicy" | "getPolicySource"
>;

/** By which an agent's calls are judged; undefined: all are allowed. */
export function policyOf(state: Known, agent: string): string | undefined {
  const [found, instance] = [state.getAgent(agent), state.getInstance()];
  return found && instance && effectivePolicy(found, instance);
}

/** Names of the agents whose calls a policy judges. */
export const usersOf = (state: Known, policy: string): string[] =>
  state
    .listAgents()
    .map(({ metadata }) => metadata.name)
    .filter((agent) => policyOf(state, agent) === policy);

/** Whether a policy judges calls through the gateway itself. */
export const isGateways = (state: Known, policy: string): boolean =>
  state.getInstance()?.spec.gateway?.policyRef?.name === policy;

/** Whoever is narrowed to some agents sees the policies of these, and that of the gateway, which judges their own calls. */
function seesPolicy(identity: Identity, state: Known, policy: string): boolean {
  if (identity.kind === "agent" || !isViewer(identity)) return false;
  if (seesAll(identity, "agents") || isGateways(state, policy)) return true;
  return usersOf(state, policy).some((agent) => seesAgent(identity, agent));
}

export const seenPolicies = (identity: Identity, state: Known): PallasPolicy[] =>
  state.listPolicies().filter(({ metadata }) => seesPolicy(identity, state, metadata.name));

/** `in_force` is null where every call is denied, because of `fault`; `faulty`: the last rules without a fault hold. */
function renderInForce(live: LivePolicy) {
  if ("fault" in live) return { in_force: null, fault: live.fault };
  const { generation, rules, faulty } = live;
  return { in_force: { generation, rules, default: live.default ?? "ask" }, ...defined({ faulty }) };
}

/** `…/policy/state` of an agent. */
export function renderPolicyState(state: Known, agent: string, proposals: (policy: string) => number) {
  const name = policyOf(state, agent);
  if (name === undefined) {
    return { agent_id: agent, policy: null, message: "the agent has no policy: every call is allowed" };
  }
  const policy = state.getPolicy(name);
  return {
    agent_id: agent,
    policy: name,
    ...renderInForce(findPolicyInForce(state.getPolicySource(name), name)),
    ...defined({ generation: policy?.metadata.generation }),
    proposals: proposals(name),
  };
}

/** All policies that an identity sees, one document each. */
export const renderPolicyText = (identity: Identity, state: Known): string =>
  seenPolicies(identity, state)
    .map((policy) => {
      const { name } = policy.metadata;
      const agents = usersOf(state, name).filter((agent) => seesAgent(identity, agent));
      const shown = {
        policy: name,
        judges: { agents, gateway: isGateways(state, name) },
        ...renderInForce(findPolicyInForce(state.getPolicySource(name), name)),
      };
      return `---\n${dump(shown, { noRefs: true, lineWidth: 130 })}`;
    })
    .join("") || "# There is no policy: every call is allowed.\n";

/** A proposal as it is listed; `is_stale`: the policy has changed since, and it can no longer be approved. */
export function renderProposal(policy: PallasPolicy, { id, by, at, reason, generation, ...rules }: PolicyProposal) {
  return {
    proposal_id: id,
    policy: policy.metadata.name,
    by,
    at,
    reason,
    generation,
    is_stale: generation !== generationOf(policy),
    rules: rules.rules,
    default: rules.default ?? "ask",
  };
}

/** Of a policy's spec; local mode counts none. */
export const generationOf = ({ metadata }: PallasPolicy): number => metadata.generation ?? 0;

/** Of the calls that change, as JSON; what is over is only counted. */
const maxListedBytes = 192 * 1024;

/** Of the calls that the identity may see; `unanswered`: agents whose calls are not in it. */
export function renderDryRun(
  { calls, unanswered, leftOut }: DryRunAnswer,
  identity: Identity,
  state: Pick<GatewayState, "getServer" | "getAgent">,
) {
  const isSeen = ({ agent, server }: PlacedCall) =>
    (agent === "" || seesAgent(identity, agent)) && seesTarget(identity, server, state);
  const { total, counts, calls: changed } = summarizeDryRun(calls.filter(isSeen));
  let bytes = 0;
  const listed = changed
    .map(({ agent, ...call }) => ({ agent_id: agent === "" ? null : agent, ...call }))
    .filter((call) => (bytes += Buffer.byteLength(JSON.stringify(call)) + 1) <= maxListedBytes);
  return {
    total,
    counts,
    calls: listed,
    ...defined({
      calls_left_out: listed.length < changed.length ? changed.length - listed.length : undefined,
      unanswered:
        unanswered.length > 0 ? unanswered.map(({ agent, message }) => ({ agent_id: agent, message })) : undefined,
      agents_left_out: leftOut > 0 ? leftOut : undefined,
    }),
  };
}
