// How a call came here, in the order in which it happened: who asked whom, what the run called before, and that it waits. From the call
// alone; texts of somebody's conversation are not in it. Pure.
import type { ShownApproval } from "../../data/approvals.ts";
import { approvalWords as words } from "../../words/approvals.ts";
import { fill } from "../../words/fill.ts";

export interface OriginStep {
  readonly outcome: "ok" | "failed" | "waiting";
  readonly text: string;
  readonly at: string | undefined;
}

type Origin = Pick<ShownApproval, "chain" | "steps" | "agent_id" | "caller" | "created_at" | "state">;

/** The agent that asked the one that calls; undefined where nobody stands between it and the caller. */
export function findVia({ chain, agent_id }: Pick<Origin, "chain" | "agent_id">): string | undefined {
  const agents = chain.flatMap(({ agent }) => agent ?? []);
  return agents.findLast((agent) => agent !== agent_id);
}

/** "bookkeeper step 2 (tool)", as the agent writes its progress, stands behind its name here. */
const shorten = (step: string, agent: string): string =>
  step.startsWith(`${agent} `) ? step.slice(agent.length + 1).replace(/ \((?:llm|tool)\)$/, "") : step;

export function listOrigin(approval: Origin): OriginStep[] {
  const { chain, steps = [], agent_id, caller, created_at, state } = approval;
  const asked = chain.flatMap(({ agent, caller: from, step }, index): OriginStep[] => {
    if (agent === undefined) return [];
    const who = chain[index - 1]?.agent ?? from ?? caller;
    const text =
      step === undefined || step === ""
        ? fill(words.asked, { who, agent })
        : fill(words.askedStep, { who, agent, step: shorten(step, agent) });
    return [{ outcome: "ok", text, at: undefined }];
  });
  const who = agent_id ?? caller;
  const last = chain.findLast(({ agent }) => agent !== undefined)?.agent;
  const isLinked = agent_id === null || last === agent_id;
  const first: OriginStep[] = isLinked
    ? []
    : [{ outcome: "ok", text: fill(words.asked, { who: last ?? caller, agent: agent_id }), at: undefined }];
  const called = steps.map(({ text, outcome, at }): OriginStep => {
    if (outcome === "failed") return { outcome, text: fill(words.calledFailed, { who, what: text }), at };
    if (outcome === "waiting") return { outcome, text: fill(words.calledWaited, { who, what: text }), at };
    return { outcome: "ok", text: fill(words.called, { who, what: text }), at };
  });
  const end: string = state === "pending" ? words.waitsHere : words.endsHere;
  return [...asked, ...first, ...called, { outcome: "waiting", text: end.replace("{who}", who), at: created_at }];
}
