// How an agent asks whether a call may be made (MGM-6, MGM-7): people through its gateway, and the caller itself where the rule says so,
// whoever answers first. What was decided is used before it counts, so that a yes is worth one call; where nobody can be asked, or nobody
// answers, the call is denied.
import type { ApprovalDecision } from "../../crds/approval.ts";
import { maxPendingApprovals, type ApprovalQuestion } from "../../crds/approval-wire.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ReadLiveConfig } from "../inputs/live-config.ts";
import type { JudgedRun, Waiting } from "../policy/types.ts";
import { createAnsweredRequests, type AnsweredRequests } from "./answered-requests.ts";
import { askCaller } from "../../lib/approvals/ask-caller.ts";
import { followApproval, noGateway, type Followed, type FollowParts } from "./follow-approval.ts";
import { createGatewayApprovals, type GatewayApprovals } from "./gateway-approvals.ts";

/** What was decided, and is used by this call from now on; or why it is not made. */
export type ApprovalOutcome = { kind: "decided"; decision: ApprovalDecision } | { kind: "denied"; reason: string };

/** Rejects only with the reason of the run's signal. */
export type AskApproval = (question: ApprovalQuestion, run: JudgedRun) => Promise<ApprovalOutcome>;

export interface Approvers {
  ask: AskApproval;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface ApproversParts {
  readLive: ReadLiveConfig;
  /** The agent's own token for its gateway, as of now. Rejects with a sentence. */
  readGatewayToken: () => Promise<string>;
  log: Logger;
  clock: Clock;
}

/** How long the caller alone may take, where there is no gateway that says it. */
const callerTimeoutMs = 600_000;
/** In which nothing is said of waiting: what is decided already is known sooner. */
const quietMs = 1_000;
/** Because an equal call used the decision in the meantime. */
const maxAskedAnew = 8;

/** What asking the gateway takes. */
interface Asking extends Pick<FollowParts, "readUrl" | "log" | "clock"> {
  gateway: GatewayApprovals;
  requests: AnsweredRequests;
  named: Named;
}

export function createApprovers({ readLive, readGatewayToken, clock, ...parts }: ApproversParts): Approvers {
  const log = parts.log.child({ logger: "pallas.approvals" });
  const gateway = createGatewayApprovals({ readToken: readGatewayToken, clock });
  const readUrl = async () => (await readLive()).approvals?.url;
  const requests = createAnsweredRequests({ gateway, readUrl, log, clock });
  const asking: Asking = { gateway, requests, readUrl, named: createNamed(), log, clock };
  let pending = 0;
  return {
    async ask(question, run) {
      run.signal.throwIfAborted();
      if (pending >= maxPendingApprovals) {
        return deny(`the agent waits for ${maxPendingApprovals} approvals, and for no more at a time`);
      }
      pending += 1;
      const quiet = clock.schedule(quietMs, () => run.onWaiting({}));
      const onWaiting = (waiting: Waiting) => {
        quiet.cancel();
        run.onWaiting(waiting);
      };
      try {
        const { approvals } = await readLive();
        if (approvals !== undefined) {
          return await askGateway(question, { ...run, onWaiting }, approvals.timeoutMs, asking);
        }
        return mayAskCaller(question, run) ? await askCallerAlone(question, run, clock) : deny(noGateway);
      } finally {
        pending -= 1;
        quiet.cancel();
        run.onWaiting(undefined);
      }
    },
    close: () => gateway.close(),
  };
}

const deny = (reason: string): ApprovalOutcome => ({ kind: "denied", reason });

const mayAskCaller = ({ policy }: ApprovalQuestion, { asking }: Pick<JudgedRun, "asking">): boolean =>
  policy.askCaller === true && asking?.can.form === true;

type AskingRun = Omit<JudgedRun, "onWaiting"> & { onWaiting: (waiting: Waiting) => void };

async function askGateway(
  question: ApprovalQuestion,
  run: AskingRun,
  timeoutMs: number,
  asking: Asking,
): Promise<ApprovalOutcome> {
  for (let tries = 0; tries < maxAskedAnew; tries += 1) {
    const followed = await askBoth(question, run, timeoutMs, asking);
    if (followed.kind === "denied") return followed;
    const { decision, name } = followed;
    if (decision.argumentsHash !== question.argumentsHash) return deny("what was decided is about other arguments");
    const used = await asking.requests.use(name, decision, run.signal, timeoutMs);
    if (used.kind !== "taken") return used;
  }
  return deny("every approval of this call was used by an equal one: there are too many of them at once");
}

/** People, and the caller beside them. Whatever the caller says, the gateway has the last word: it knows who was first. */
async function askBoth(
  question: ApprovalQuestion,
  run: AskingRun,
  timeoutMs: number,
  { named, requests, ...parts }: Asking,
): Promise<Followed> {
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, over.signal]);
  let waits: { name: string; leave: () => boolean } | undefined;
  const consultCaller = async (name: string) => {
    if (run.asking === undefined || !mayAskCaller(question, run)) return;
    try {
      const answer = await askCaller(run.asking, question, { signal, forMs: timeoutMs });
      if (answer === undefined) return;
      await requests.record(name, answer, signal);
    } catch (error) {
      if (!signal.aborted) parts.log.warn({ err: error, approval: name }, "the caller decided nothing");
    }
  };
  const onWaiting: FollowParts["onWaiting"] = ({ name, expiresAt }) => {
    waits?.leave();
    waits = { name, leave: named.enter(name) };
    run.onWaiting({ name, expiresAt });
    void consultCaller(name);
  };
  try {
    return await followApproval(question, signal, { ...parts, timeoutMs, onWaiting });
  } catch (error) {
    // Nobody else here waits for it.
    if (waits?.leave() === true) void requests.withdraw(waits.name);
    throw error;
  } finally {
    waits?.leave();
    over.abort(new Error("it was decided"));
  }
}

/** Without a gateway the caller decides, for this call alone: it is nowhere written down. */
async function askCallerAlone(question: ApprovalQuestion, run: JudgedRun, clock: Clock): Promise<ApprovalOutcome> {
  const late = new AbortController();
  const timer = clock.schedule(callerTimeoutMs, () => late.abort(new Error("the caller did not answer")));
  try {
    const signal = AbortSignal.any([run.signal, late.signal]);
    const answer = run.asking && (await askCaller(run.asking, question, { signal, forMs: callerTimeoutMs }));
    if (answer === undefined) return deny("the caller was asked, and decided nothing");
    return { kind: "decided", decision: { ...answer, by: question.caller, at: renderTime(clock) } };
  } catch {
    run.signal.throwIfAborted();
    return deny("the caller was asked, and did not answer");
  } finally {
    timer.cancel();
  }
}

/** How many of this process wait for each approval: equal calls share one. */
interface Named {
  /** What it returns is called when it is left, and says whether nobody waits any more. */
  enter(name: string): () => boolean;
}

function createNamed(): Named {
  const counts = new Map<string, number>();
  return {
    enter(name) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      let isLeft = false;
      return () => {
        if (isLeft) return false;
        isLeft = true;
        const left = (counts.get(name) ?? 1) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
        return left === 0;
      };
    },
  };
}
