// Whether a call of the compositor may go out, and what its policy hides: the one place where the agent's gate is asked (MGM-4, MGM-5),
// before anything is sent to a server. Who calls is whoever the gateway proves, else the agent itself, since nobody but the gateway
// gets here and the gateway sends agents' own tokens. Whoever holds such a token is not asked to approve its own calls.
import { createHash } from "node:crypto";
import type { GivenAnswer } from "../../lib/approvals/decided.ts";
import { findProven } from "../../lib/auth/gateway-caller.ts";
import { denialError } from "../../lib/mcp/policy-error.ts";
import type { CallContext, Requester, ToolAnnotations } from "../../lib/mcp/table.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import { readCalledBy } from "../approvals/called-by.ts";
import { renderWaiting } from "../approvals/on-waiting.ts";
import type { PolicyGate } from "../policy/gate.ts";
import type { JudgedCall, JudgedRun, RunCaller, Waiting } from "../policy/types.ts";

/** What is known of the request by which a call came. */
export type AskedIn = Requester & Pick<CallContext, "signal" | "meta"> & Partial<Pick<CallContext, "sendProgress">>;

/** The call is made with these arguments, or was answered in its place. */
export type Authorized = { readonly args: Record<string, unknown> } | { readonly answer: GivenAnswer };

/** Whether every call of a tool by one requester is denied, whatever its arguments: to them it is not there. */
export type Hides = (server: string, tool: string, annotations?: ToolAnnotations) => boolean;

export interface Authorizer {
  /** Waits where people are asked. Rejects with the JsonRpcError of a denial (policy-error.ts), and with the signal's reason. */
  authorize(call: JudgedCall, context: AskedIn): Promise<Authorized>;
  /** As of now. Never rejects. */
  observeHidden(requester: Requester): Promise<Hides>;
}

export interface AuthorizerParts {
  agent: string;
  gate: PolicyGate;
  clock: Clock;
}

/** Between two words to a caller about what it waits for. */
export const waitingIntervalMs = 10_000;
/** Progress only ever grows, and that of the call itself begins after the wait, with 1 mostly. */
const smallStep = 1e-6;

export function createAuthorizer({ agent, gate, clock }: AuthorizerParts): Authorizer {
  return {
    async authorize(call, context) {
      const run: JudgedRun = {
        ...nameCaller(context, context.meta, agent),
        sessionHash: hashSession(context),
        signal: context.signal,
        onWaiting: tellWaiting(context, clock),
      };
      const verdict = await gate.judge(call, run);
      if (verdict.go) return { args: verdict.args };
      if ("answer" in verdict) return { answer: verdict.answer };
      throw denialError(verdict.denied);
    },
    async observeHidden(requester) {
      const hider = await gate.observeHider();
      if (hider === undefined) return () => false;
      const { caller, role } = nameCaller(requester, {}, agent);
      return (server, tool, annotations) => hider({ server, tool, caller, role, annotations });
    },
  };
}

function nameCaller({ caller }: Requester, meta: CallContext["meta"], agent: string): RunCaller {
  const calledBy = readCalledBy(caller, meta, agent);
  return findProven(caller) === undefined ? { ...calledBy, caller: `agent:${agent}` } : calledBy;
}

/** A call without a session belongs to whoever makes it. */
function hashSession({ caller, sessionId }: Requester): string {
  const subject = caller === "anyone" ? "" : caller.subject;
  return createHash("sha256")
    .update(JSON.stringify(["compositor", subject, sessionId ?? ""]))
    .digest("hex");
}

/** By progress, now and every 10 s, so that no client takes the wait for silence. */
function tellWaiting({ sendProgress }: AskedIn, clock: Clock): JudgedRun["onWaiting"] {
  let timer: Timer | undefined;
  let progress = 0;
  const tell = (waiting: Waiting) => {
    progress += smallStep;
    void sendProgress?.({ progress, message: renderWaiting(waiting) });
    timer = clock.schedule(waitingIntervalMs, () => tell(waiting));
  };
  return (waiting) => {
    timer?.cancel();
    timer = undefined;
    if (waiting !== undefined && sendProgress !== undefined) tell(waiting);
  };
}
