// The one place in an agent that calls pass before they leave it (MGM-5): in its own loop and in its compositor. An allowed call
// costs no wait and no write; one that is asked about waits here; one that is denied is told in a sentence.
import type { RunConfig } from "../../crds/run-config.ts";
import { isOtherTool, readHints } from "../../lib/approvals/called-tool.ts";
import { applyDecision } from "../../lib/approvals/decided.ts";
import { renderQuestion, type QuestionBy } from "../../lib/approvals/question.ts";
import { decide, deniesAll } from "../../lib/policy/decide.ts";
import { nameDecision, type PolicyDecision } from "../../lib/policy/decision-names.ts";
import { Limiter } from "../../lib/policy/limiter.ts";
import { createDecision, type Call, type Decision } from "../../lib/policy/policy.ts";
import { renderTime, type Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { AskApproval } from "../approvals/ask-approval.ts";
import type { ReadLiveConfig } from "../inputs/live-config.ts";
import { createLivePolicy, type PolicyNow } from "./live-policy.ts";
import type { Hider, JudgedCall, JudgedRun, RecordedCall, Verdict } from "./types.ts";

export interface PolicyGate {
  /** Waits where people are asked. Rejects only with the reason of the run's signal. */
  judge(call: JudgedCall, run: JudgedRun): Promise<Verdict>;
  /** For lists: undefined where nothing is hidden. It says what holds now. Never rejects. */
  observeHider(): Promise<Hider | undefined>;
}

export interface PolicyGateParts {
  config: Pick<RunConfig, "policy"> & { agent: Pick<RunConfig["agent"], "name"> };
  readLive: ReadLiveConfig;
  ask: AskApproval;
  /** Hears of every call that is judged. */
  record: (judged: RecordedCall) => void;
  count: (decision: PolicyDecision) => void;
  log: Logger;
  clock: Clock;
}

/** For one call, by rules that change meanwhile. */
const maxAsked = 4;

export function createPolicyGate(parts: PolicyGateParts): PolicyGate {
  const { config, clock, ask, record, count } = parts;
  const log = parts.log.child({ logger: "pallas.policy" });
  const observe = createLivePolicy({ ...parts, log });
  const limiter = new Limiter({ now: () => clock.now() });

  const renderCall = ({ server, tool, args, definition }: JudgedCall, { caller, role }: JudgedRun): Call => ({
    ...{ server, tool, caller, role, agent: config.agent.name },
    arguments: args,
    hints: readHints(definition),
  });
  const deny = (call: JudgedCall, denied: Decision): Verdict => {
    const { server, tool } = call;
    const { action, rule, fault } = denied;
    log.info({ server, tool, action, rule, fault }, "call denied");
    return { go: false, denied, abort: action === "denyAbort", text: renderDenial(call, denied) };
  };
  const denyFor = (call: JudgedCall, reason: string): Verdict =>
    deny(call, createDecision({ action: "denyContinue", reason }));

  const decideNow = (call: JudgedCall, run: JudgedRun, { policy }: PolicyNow): Decision => {
    const judged = renderCall(call, run);
    const decision = decide(policy, judged);
    record({ at: renderTime(clock), call: judged, before: decision.action });
    const admitted = limiter.admit(decision, judged);
    count(nameDecision(admitted));
    return admitted;
  };
  /** What was decided of the call, and whether anybody may still act by it. */
  const askAbout = async (call: JudgedCall, run: JudgedRun, asked: Decision, now: PolicyNow) => {
    const rendered = renderQuestion(call, renderBy(call, run), asked, now);
    if ("problem" in rendered) return denyFor(call, rendered.problem);
    const outcome = await ask(rendered.question, run);
    if (outcome.kind === "denied") return denyFor(call, outcome.reason);
    const applied = applyDecision(outcome.decision, call, asked);
    if ("denied" in applied) return deny(call, applied.denied);
    if ("answer" in applied) return { go: false, answer: applied.answer } as const;
    if (!(await isChanged(call))) return { go: true, args: applied.args } as const;
    return denyFor(call, "the tool is not the one any more that was approved: its server changed it meanwhile");
  };

  return {
    async judge(wanted, run) {
      let call = wanted;
      for (let asked = 0; asked < maxAsked; asked += 1) {
        const now = await observe();
        if (now === undefined) return { go: true, args: call.args };
        if (call.unnamed !== undefined) return denyFor(call, call.unnamed);
        const decision = decideNow(call, run, now);
        if (decision.action === "allow") return { go: true, args: call.args };
        if (decision.action !== "ask") return deny(call, decision);
        const verdict = await askAbout(call, run, decision, now);
        if (!verdict.go) return verdict;
        // Time has passed, and arguments may have been edited: a yes holds for the rule by which it was asked for, and for no other.
        call = { ...call, args: verdict.args };
        const latest = await observe();
        const again = latest && decide(latest.policy, renderCall(call, run));
        if (isSame(latest, now) && again?.rule === decision.rule && again?.action === "ask") return verdict;
      }
      return denyFor(call, `it was asked about ${maxAsked} times, and each time other rules held in the end`);
    },
    async observeHider() {
      const now = await observe();
      // Without a policy to go by every call is denied, and says why: tools that are not there would say nothing.
      if (now === undefined || now.isFault) return undefined;
      return ({ annotations, ...subject }) => deniesAll(now.policy, { ...subject, hints: readHints({ annotations }) });
    },
  };
}

const isSame = (one: PolicyNow | undefined, other: PolicyNow): boolean =>
  one?.name === other.name && one.generation === other.generation;

const renderBy = ({ step, steps = [] }: JudgedCall, { sessionHash, caller, role, chain }: JudgedRun): QuestionBy => ({
  sessionHash,
  caller,
  ...(role !== "none" && { role }),
  chain: [...chain.slice(0, -1), ...chain.slice(-1).map((link) => ({ ...link, ...defined({ step }) }))],
  ...(steps.length > 0 && { steps: [...steps] }),
});

/** What is not known to have changed is taken for the same. */
const isChanged = async ({ tool, definition, current }: JudgedCall): Promise<boolean> =>
  current !== undefined && isOtherTool(tool, definition, await current());

/** For the model, or for who called the run that it ends. */
function renderDenial({ server, tool }: JudgedCall, { reason, fault }: Decision): string {
  const why = fault ?? reason ?? "the policy of this agent does not allow it";
  return `The call of ${server}/${tool} was denied, and not made: ${why}.`;
}
