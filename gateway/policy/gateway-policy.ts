// The policy of an instance's gateway (MGM-5): whatever calls a tool of a server, or an agent, in somebody's name comes here for its permit,
// which is the one place that calls through the gateway pass. Allowed calls cost no write and no wait; what is asked about waits
// here; and what is denied is an error that every client can tell from a server's.
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { denialError } from "../../lib/mcp/policy-error.ts";
import { isOtherTool } from "../../lib/approvals/called-tool.ts";
import { applyDecision, renderAnswer } from "../../lib/approvals/decided.ts";
import { renderQuestion } from "../../lib/approvals/question.ts";
import { decide, deniesAll } from "../../lib/policy/decide.ts";
import { Limiter } from "../../lib/policy/limiter.ts";
import { createDecision, type Decision } from "../../lib/policy/policy.ts";
import type { Hints } from "../../lib/policy/rules.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { GatewayState } from "../state/state.ts";
import { askPeople } from "./asked-people.ts";
import { nameDecision, type PolicyDecision } from "../../lib/policy/decision-names.ts";
import { followPolicy, type PolicyInForce } from "./followed-policy.ts";
import { readCaller, renderBy, renderCall, type CallToJudge, type Judged, type Permit } from "./judged-call.ts";
import { JudgedRing } from "../../lib/policy/judged-ring.ts";

export interface GatewayPolicyParts {
  config: Pick<GatewayConfig, "policyRef">;
  state: Pick<GatewayState, "getPolicySource" | "onChange">;
  approvals: Pick<Approvals, "ask" | "open" | "wait" | "use" | "decideAsCaller">;
  metrics: { countPolicyDecision(decision: PolicyDecision): void };
  log: Logger;
  clock: Clock;
}

/**
 * Whether every call of a tool by one caller is denied, whatever its arguments: such a tool is not there for them.
 * @param findHints what the server says of the tool, as far as that is known
 */
export type Hides = (server: string, tool: string, findHints: () => Hints | undefined) => boolean;
/** The same for any caller. */
export type HidesFrom = (identity: Identity) => Hides;

export interface GatewayPolicy {
  /** False where the instance has none: every call gets its permit. */
  readonly isThere: boolean;
  /**
   * Waits where people are asked. Rejects with a JsonRpcError of lib/mcp/policy-error.ts where the call is denied, and with the
   * signal's reason.
   */
  judge(call: CallToJudge): Promise<Judged>;
  /** It holds for as long as nothing changes. */
  hides: HidesFrom;
  /** Called with what was hidden before, after each change of the policy; until what it returns is called. */
  onChange(listener: (before: HidesFrom) => void): () => void;
  /** The last calls that were judged. */
  readonly ring: JudgedRing;
  close(): void;
}

/** For one call, by rules that change meanwhile. */
const maxAsked = 4;

const nothingHidden: HidesFrom = () => () => false;

export function createGatewayPolicy(parts: GatewayPolicyParts): GatewayPolicy {
  const { metrics, log, clock } = parts;
  const followed = followPolicy(parts);
  const ring = new JudgedRing();
  if (followed === undefined) {
    return {
      isThere: false,
      judge: async ({ server, definition, args }) => ({ permit: permit(server, definition.name, args) }),
      hides: nothingHidden,
      onChange: () => () => undefined,
      ring,
      close: () => undefined,
    };
  }
  const limiter = new Limiter({ now: () => clock.now() });
  const decideNow = (asked: CallToJudge): Decision => {
    const { policy } = followed.now();
    const call = renderCall(asked);
    const decision = decide(policy, call);
    ring.add(call, decision.action, renderTime(clock));
    const admitted = limiter.admit(decision, call);
    metrics.countPolicyDecision(nameDecision(admitted));
    return admitted;
  };
  const deny = (call: CallToJudge, decision: Decision): never => {
    const { server, definition, identity } = call;
    const { action, rule, fault } = decision;
    log.info({ server, tool: definition.name, caller: identity.name, action, rule, fault }, "call denied by policy");
    throw denialError(decision);
  };
  const denyFor = (call: CallToJudge, reason: string): never =>
    deny(call, createDecision({ action: "denyContinue", reason }));
  /** What was decided of the call, where anybody may still act by it. */
  const ask = async (call: CallToJudge, decision: Decision, policy: PolicyInForce) => {
    const { server, definition, args, current } = call;
    const wanted = { server, tool: definition.name, definition, args };
    const rendered = renderQuestion(wanted, renderBy(call), decision, policy);
    if ("problem" in rendered) return denyFor(call, rendered.problem);
    const applied = applyDecision(await askPeople(parts, rendered.question, call), wanted, decision);
    if ("denied" in applied) return deny(call, applied.denied);
    if ("args" in applied && current !== undefined && isOtherTool(definition.name, definition, current())) {
      const why = `the tool ${definition.name} is not the one any more that was approved: its server changed it meanwhile`;
      return denyFor(call, why);
    }
    return applied;
  };
  return {
    isThere: true,
    async judge(wanted) {
      let call = wanted;
      for (let asked = 0; asked < maxAsked; asked += 1) {
        const policy = followed.now();
        const decision = decideNow(call);
        const { server, definition } = call;
        if (decision.action === "allow") return { permit: permit(server, definition.name, call.args) };
        if (decision.action !== "ask") return deny(call, decision);
        const applied = await ask(call, decision, policy);
        if ("answer" in applied) return { answer: renderAnswer(applied.answer) };
        // Time has passed, and arguments may have been edited: a yes holds for the rule by which it was asked for, and for no other.
        call = { ...call, args: applied.args };
        const again = decide(followed.now().policy, renderCall(call));
        const isSame = followed.now().generation === policy.generation && again.rule === decision.rule;
        if (isSame && again.action === "ask") return { permit: permit(server, definition.name, call.args) };
      }
      return denyFor(call, `it was asked about ${maxAsked} times, and each time other rules held in the end`);
    },
    hides: hiddenBy(followed.now),
    onChange: (listener) => followed.onChange((before) => listener(hiddenBy(() => before))),
    ring,
    close: followed.close,
  };
}

const hiddenBy =
  (read: () => PolicyInForce): HidesFrom =>
  (identity) => {
    const { policy, hasHints, isFault } = read();
    // Without a policy every call is denied, and says why; tools that are not there would say nothing.
    if (isFault) return () => false;
    const { caller, role } = readCaller(identity);
    return (server, tool, findHints) => {
      const subject = { server, tool, caller, role };
      const hints = hasHints ? findHints() : undefined;
      return deniesAll(policy, hints === undefined ? subject : { ...subject, hints });
    };
  };

function permit(server: string, tool: string, args: Record<string, unknown>): Permit {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mark is of types alone, so that nobody else makes one
  return { server, tool, args } as Permit;
}
