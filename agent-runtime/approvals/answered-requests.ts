// What an agent tells its gateway of an approval that it waits for, or that was decided: that its caller answered, that the decision is
// used, that nobody waits any more. Tried again while the gateway is away, for as long as it is worth it.
import { randomUUID } from "node:crypto";
import type { ApprovalDecision } from "../../crds/approval.ts";
import type { CallerAnswer } from "../../crds/approval-wire.ts";
import { sleep, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import { noGateway } from "./follow-approval.ts";
import { RefusedByGateway, type GatewayApprovals } from "./gateway-approvals.ts";

/** `taken`: an equal call has used it. */
export type Used =
  | { kind: "decided"; decision: ApprovalDecision }
  | { kind: "denied"; reason: string }
  | { kind: "taken" };

export interface AnsweredRequests {
  /** Notes what was decided as used by this call, which is then the only one. Rejects only with the signal's reason. */
  use(name: string, decision: ApprovalDecision, signal: AbortSignal, timeoutMs: number): Promise<Used>;
  /** Rejects when the gateway refuses it, as where somebody else was first, and when the signal aborts. */
  record(name: string, answer: CallerAnswer, signal: AbortSignal): Promise<void>;
  /** Tried once. Never rejects. */
  withdraw(name: string): Promise<void>;
}

export interface AnsweredRequestsParts {
  gateway: Pick<GatewayApprovals, "use" | "answerAsCaller" | "withdraw">;
  /** Base URL of the gateway as of now; undefined where there is none any more. */
  readUrl: () => Promise<string | undefined>;
  log: Logger;
  clock: Clock;
}

const withdrawTimeoutMs = 5_000;
const backoffMs = { first: 250, max: 5_000 };
/** A denial that cannot be noted as used is one all the same. */
const denialUseMs = 10_000;

export function createAnsweredRequests({ gateway, readUrl, log, clock }: AnsweredRequestsParts): AnsweredRequests {
  /** Until it works, is refused, or the signal aborts. */
  const retry = async <T>(signal: AbortSignal, work: (url: string) => Promise<T>): Promise<T> => {
    for (let waitMs = backoffMs.first; ; waitMs = Math.min(backoffMs.max, 2 * waitMs)) {
      try {
        signal.throwIfAborted();
        const url = await readUrl();
        if (url === undefined) throw new RefusedByGateway(404, "", noGateway);
        return await work(url);
      } catch (error) {
        // A replica that has not heard of the decision yet says so.
        const isFinal = error instanceof RefusedByGateway && error.word !== "undecided";
        if (isFinal || signal.aborted) throw error;
        await sleep(clock, waitMs, signal);
      }
    }
  };
  return {
    async use(name, decision, signal, timeoutMs) {
      const isDenial = decision.verdict === "denyContinue" || decision.verdict === "denyAbort";
      const late = new AbortController();
      const timer = clock.schedule(isDenial ? denialUseMs : timeoutMs, () => late.abort(new Error("too late")));
      const ending = AbortSignal.any([signal, late.signal]);
      // The same in each try: one of which only the answer was lost is answered as before.
      const asked = { use: randomUUID(), argumentsHash: decision.argumentsHash };
      try {
        return { kind: "decided", decision: await retry(ending, (url) => gateway.use(url, name, asked, ending)) };
      } catch (error) {
        signal.throwIfAborted();
        if (isDenial) return { kind: "decided", decision };
        if (error instanceof RefusedByGateway && error.word === "used") return { kind: "taken" };
        log.warn({ err: error, approval: name }, "an approval could not be used");
        const why = error instanceof RefusedByGateway ? error.message : "the gateway was away";
        return { kind: "denied", reason: `approval ${name} could not be used: ${why}` };
      } finally {
        timer.cancel();
      }
    },
    record: (name, answer, signal) => retry(signal, (url) => gateway.answerAsCaller(url, name, answer, signal)),
    async withdraw(name) {
      try {
        const url = await readUrl();
        if (url !== undefined) await gateway.withdraw(url, name, AbortSignal.timeout(withdrawTimeoutMs));
      } catch (error) {
        log.debug({ err: error, approval: name }, "an approval that nobody waits for could not be withdrawn");
      }
    },
  };
}
