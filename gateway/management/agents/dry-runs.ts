// What proposed rules would have made of the last calls: asked of every agent that the policy is of, and of the gateway for its own
// calls, and put together. What an answer costs is bounded: so many agents, so many requests at once, a deadline for all of
// them; who does not answer in time is named. An answer is given again for a moment, since several people look at one proposal.
import { maxJudgedCalls, type DryRunRequest, type PlacedCall, type JudgedReport } from "../../../crds/judged-calls.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import type { AdminClient } from "./admin-client.ts";
import { createBoundedRequests } from "./bounded-requests.ts";

/** Whose calls it is about. */
export interface DryRunScope {
  /** Names; more than `maxDryRunAgents` are not asked. */
  readonly agents: readonly string[];
  /** Whether the gateway's own calls are, too. */
  readonly ownCalls: boolean;
}

export interface DryRunAnswer {
  /** The newest 500, in no order. */
  readonly calls: readonly PlacedCall[];
  /** Agents that did not answer, with why. */
  readonly unanswered: readonly { agent: string; message: string }[];
  /** Agents that were not asked. */
  readonly leftOut: number;
}

export interface DryRuns {
  /** @param proposal its id: rules of one id never change. Never rejects. */
  run(proposal: string, rules: DryRunRequest, scope: DryRunScope): Promise<DryRunAnswer>;
  /** Ends all requests. */
  close(): void;
}

export interface DryRunsParts {
  admin: Pick<AdminClient, "fetchJudged">;
  /** The gateway's own calls as other rules would decide them; absent: it judges none. */
  judgedHere?: ((rules: DryRunRequest) => Promise<Pick<JudgedReport, "calls">>) | undefined;
  clock: Clock;
}

/** Agents that are asked for one proposal. */
export const maxDryRunAgents = 64;
const maxAtOnce = 8;
/** Of all requests of one dry run together. */
export const dryRunDeadlineMs = 8_000;
const keptMs = 10_000;
/** Far above the proposals that people look at within `keptMs`. */
const maxKept = 64;

export function createDryRuns({ admin, judgedHere, clock }: DryRunsParts): DryRuns {
  const requests = createBoundedRequests({ maxAtOnce, timeoutMs: dryRunDeadlineMs, clock });
  const kept = new Map<string, { askedAt: number; answer: Promise<DryRunAnswer> }>();

  const ask = async (rules: DryRunRequest, { agents, ownCalls }: DryRunScope): Promise<DryRunAnswer> => {
    const asked = agents.slice(0, maxDryRunAgents);
    const over = new AbortController();
    const timer = clock.schedule(dryRunDeadlineMs, () => {
      over.abort(new Error(`no answer within ${dryRunDeadlineMs} ms`));
    });
    const fetchOne = (agent: string) =>
      requests.run((signal) => {
        // Those that waited for their turn meanwhile come all at once.
        over.signal.throwIfAborted();
        return admin.fetchJudged(agent, rules, AbortSignal.any([signal, over.signal]));
      });
    const answers = await Promise.allSettled(asked.map(fetchOne));
    timer.cancel();
    const told = asked.map((agent, at) => ({ agent, answer: answers[at] }));
    const here = ownCalls ? ((await judgedHere?.(rules))?.calls ?? []) : [];
    const calls = [
      ...here.map((call) => ({ ...call, agent: "" })),
      ...told.flatMap(({ agent, answer }) =>
        answer?.status === "fulfilled" ? answer.value.map((call) => ({ ...call, agent })) : [],
      ),
    ];
    return {
      calls: calls.toSorted((a, b) => (a.at > b.at ? -1 : 1)).slice(0, maxJudgedCalls),
      unanswered: told.flatMap(({ agent, answer }) =>
        answer?.status === "rejected" ? [{ agent, message: messageOf(answer.reason) }] : [],
      ),
      leftOut: agents.length - asked.length,
    };
  };

  return {
    async run(proposal, rules, scope) {
      const key = JSON.stringify([proposal, scope]);
      const known = kept.get(key);
      if (known !== undefined && clock.now() - known.askedAt < keptMs) return await known.answer;
      kept.delete(key);
      const answer = ask(rules, scope);
      kept.set(key, { askedAt: clock.now(), answer });
      const [oldest] = kept.keys();
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
      return await answer;
    },
    close: () => requests.close(),
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "it failed");
