// Asks people about one call and waits for what they decide, telling its caller now and then that it waits (MGM-6). What comes back was
// used for this call alone; whoever is late, or cannot be asked, has not approved.
import { randomUUID } from "node:crypto";
import type { ApprovalQuestion } from "../../crds/approval-wire.ts";
import type { ApprovalDecision } from "../../crds/approval.ts";
import { denialError } from "../../lib/mcp/policy-error.ts";
import type { JsonRpcError } from "../../lib/mcp/json-rpc.ts";
import type { Asking } from "../../lib/mcp/asking.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { ApprovalRefused, type Approvals, type Asker, type Outcome, type Waiting } from "../approvals/approvals.ts";
import { askCaller } from "../../lib/approvals/ask-caller.ts";
import type { CallToJudge } from "./judged-call.ts";

/** How long a plain HTTP request waits for people: less than most clients and proxies do, and than a route may take. */
export const requestWaitMs = 45_000;
/** Between two words to the caller. */
const heartbeatMs = 10_000;

export interface AskPeopleParts {
  approvals: Pick<Approvals, "ask" | "open" | "wait" | "use" | "decideAsCaller">;
  log: Logger;
  clock: Clock;
}

/** For one call. Rejects with the denial where nobody decided, or nobody can be asked, and with the signal's reason. */
export async function askPeople(
  parts: AskPeopleParts,
  question: ApprovalQuestion,
  call: Pick<CallToJudge, "identity" | "signal" | "onWaiting" | "waitMs" | "asking">,
): Promise<ApprovalDecision> {
  const { identity, signal, waitMs, asking } = call;
  const from: Asker = identity.kind === "agent" ? { agent: identity.agent } : {};
  const beats = startHeartbeats(parts.clock, call.onWaiting);
  const over = new AbortController();
  const begin = (waiting: Waiting) => {
    beats.begin(waiting);
    if (question.policy.askCaller !== true || asking?.can.form !== true) return;
    const ending = AbortSignal.any([signal, over.signal]);
    void askCallerToo(parts, question, waiting, { asking, signal: ending });
  };
  try {
    if (waitMs === undefined) {
      return readOutcome(await parts.approvals.ask(question, from, { signal, onWaiting: begin }));
    }
    return await askForAWhile(parts, question, from, { signal, waitMs });
  } catch (error) {
    if (error instanceof ApprovalRefused) throw denialError({ action: "denyContinue", reason: error.message });
    throw error;
  } finally {
    beats.end();
    over.abort(new Error("the approval is over"));
  }
}

/** Beside whoever else may decide; the first answer counts, and a caller that gives none decides nothing. Never rejects. */
async function askCallerToo(
  { approvals, log, clock }: AskPeopleParts,
  question: ApprovalQuestion,
  { name, expiresAt }: Waiting,
  { asking, signal }: { asking: Asking; signal: AbortSignal },
): Promise<void> {
  try {
    const forMs = Math.max(0, Date.parse(expiresAt) - clock.wallNow());
    const answer = await askCaller(asking, question, { signal, forMs });
    if (answer !== undefined) await approvals.decideAsCaller(name, answer);
  } catch (error) {
    if (!signal.aborted) log.info({ approval: name, err: error }, "caller decided nothing");
  }
}

/** The question outlives the wait for it, so that the same call is answered later. */
async function askForAWhile(
  { approvals, clock }: AskPeopleParts,
  question: ApprovalQuestion,
  from: Asker,
  { signal, waitMs }: { signal: AbortSignal; waitMs: number },
): Promise<ApprovalDecision> {
  const { metadata, spec } = await approvals.open(question, from);
  const patience = new AbortController();
  const timer = clock.schedule(waitMs, () => patience.abort(renderPending(metadata.name, spec.expiresAt)));
  try {
    readOutcome(await approvals.wait(metadata.name, AbortSignal.any([signal, patience.signal])));
  } finally {
    timer.cancel();
  }
  return await approvals.use(metadata.name, { use: randomUUID(), argumentsHash: question.argumentsHash });
}

const renderPending = (name: string, expiresAt: string): JsonRpcError =>
  denialError({
    action: "denyContinue",
    reason: `approval ${name} waits for somebody to decide until ${expiresAt}: once it is approved, make the same call again`,
  });

function readOutcome(outcome: Outcome): ApprovalDecision {
  if (outcome.outcome === "decided") return outcome.decision;
  throw denialError({ action: "denyContinue", reason: `nobody approved the call in time (approval ${outcome.name})` });
}

function startHeartbeats(clock: Clock, onWaiting: ((waiting: Waiting) => void) | undefined) {
  let timer: { cancel(): void } | undefined;
  let isOver = false;
  const beat = (waiting: Waiting) => {
    if (isOver || onWaiting === undefined) return;
    onWaiting(waiting);
    timer = clock.schedule(heartbeatMs, () => beat(waiting));
  };
  return {
    begin: beat,
    end() {
      isOver = true;
      timer?.cancel();
    },
  };
}
