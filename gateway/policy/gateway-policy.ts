// The policy of an instance's gateway (MGM-5): whatever calls a tool of a server, or an agent, in somebody's name comes here for its permit,
// which is the one place that calls through the gateway pass. Allowed calls cost no write and no wait; what is asked about waits
// here; and what is denied is an error that every client can tell from a server's.
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { denialError } from "../../lib/mcp/policy-error.ts";
import { decide, denies, deniesAll } from "../../lib/policy/decide.ts";
import { Limiter } from "../../lib/policy/limiter.ts";
import type { Decision } from "../../lib/policy/policy.ts";
import type { Hints } from "../../lib/policy/rules.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { hashOfTool } from "../servers/tool-hash.ts";
import type { GatewayState } from "../state/state.ts";
import { askPeople } from "./asked-people.ts";
import { applyDecision } from "./decided.ts";
import { nameDecision, type PolicyDecision } from "../../lib/policy/decision-names.ts";
import { followPolicy, type PolicyInForce } from "./followed-policy.ts";
import { readCaller, renderCall, type CallToJudge, type Judged, type Permit } from "./judged-call.ts";
import { JudgedRing } from "../../lib/policy/judged-ring.ts";
import { renderQuestion } from "./question.ts";

export interface GatewayPolicyParts {
  config: Pick<GatewayConfig, "policyRef">;
  state: Pick<GatewayState, "getPolicy" | "onChange">;
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
  const ask = async (call: CallToJudge, decision: Decision): Promise<Judged> => {
    const before = followed.now();
    const decided = await askPeople(parts, questionOf(call, decision, before), call);
    const applied = applyDecision(decided, call, decision);
    if ("answer" in applied) return applied;
    // Time has passed: neither other rules nor another tool were approved, and edited arguments are others.
    refuseOther(call);
    const again = decide(followed.now().policy, renderCall({ ...call, args: applied.args }));
    if (denies(again)) deny(call, again);
    return { permit: permit(call.server, call.definition.name, applied.args) };
  };
  return {
    isThere: true,
    async judge(call) {
      const decision = decideNow(call);
      if (decision.action === "allow") return { permit: permit(call.server, call.definition.name, call.args) };
      if (decision.action === "ask") return await ask(call, decision);
      return deny(call, decision);
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

/** Arguments that have no canonical form can be bound to nothing. */
function questionOf(call: CallToJudge, decision: Decision, policy: PolicyInForce) {
  try {
    return renderQuestion(call, decision, policy);
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    const reason = "nobody can be asked about arguments that are no plain JSON, such as half a surrogate pair";
    throw denialError({ action: "denyContinue", reason });
  }
}

function refuseOther({ definition, current }: CallToJudge): void {
  if (current === undefined) return;
  const now = current();
  if (now !== undefined && (now === definition || hashOfTool(now) === hashOfTool(definition))) return;
  const reason = `the tool ${definition.name} is not the one any more that was approved: its server changed it meanwhile`;
  throw denialError({ action: "denyContinue", reason });
}

function permit(server: string, tool: string, args: Record<string, unknown>): Permit {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mark is of types alone, so that nobody else makes one
  return { server, tool, args } as Permit;
}
