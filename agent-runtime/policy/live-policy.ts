// The policy of an agent as its live configuration has it: compiled once for each that comes, and looked for again when some time
// has passed, so that a call pays neither for reading nor for compiling.
import type { LivePolicy, RunConfig } from "../../crds/run-config.ts";
import { compilePolicy } from "../../lib/policy/compile.ts";
import { denyAll, type Policy } from "../../lib/policy/policy.ts";
import type { Clock } from "../../lib/process/clock.ts";
import { defined } from "../../lib/process/defined.ts";
import type { Logger } from "../../lib/process/log.ts";
import type { ReadLiveConfig } from "../inputs/live-config.ts";

export interface PolicyNow {
  readonly name: string;
  readonly generation: number;
  readonly policy: Policy;
  /** There is none to go by, and every call is denied. */
  readonly isFault: boolean;
}

/** Undefined where the agent has no policy: every call is allowed. Never rejects. */
export type ObservePolicy = () => Promise<PolicyNow | undefined>;

/** Far below the minute that a mounted file takes to follow. */
const keptMs = 250;

export interface LivePolicyParts {
  config: Pick<RunConfig, "policy">;
  readLive: ReadLiveConfig;
  log: Logger;
  clock: Clock;
}

export function createLivePolicy({ config, readLive, log, clock }: LivePolicyParts): ObservePolicy {
  let readAt = -Infinity;
  let source: LivePolicy | undefined;
  let now: PolicyNow | undefined;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const { policy } = await readLive();
    if (readAt === -Infinity || policy !== source) {
      source = policy;
      now = policy === undefined && config.policy === undefined ? undefined : compile(policy);
      tell(policy, now, log);
    }
    readAt = clock.now();
  };
  return async () => {
    if (clock.now() - readAt >= keptMs) {
      reading ??= read().finally(() => (reading = undefined));
      await reading;
    }
    return now;
  };
}

const missing =
  "the agent has a policy, and its live configuration does not hold it: see the operator's log and the agent's status";

function compile(live: LivePolicy | undefined): PolicyNow {
  if (live === undefined) return faulty("", missing);
  if ("fault" in live) return faulty(live.name, live.fault);
  const { name, generation, rules, default: fallback } = live;
  const { policy, problems } = compilePolicy({ rules, ...defined({ default: fallback }) });
  return { name, generation, policy, isFault: problems.length > 0 };
}

const faulty = (name: string, problem: string): PolicyNow => ({
  name,
  generation: 0,
  policy: denyAll(problem),
  isFault: true,
});

function tell(live: LivePolicy | undefined, now: PolicyNow | undefined, log: Logger): void {
  if (now === undefined) return;
  const { name, generation, isFault } = now;
  const problem = isFault
    ? now.policy.otherwise.fault
    : live !== undefined && "faulty" in live
      ? live.faulty
      : undefined;
  if (isFault) log.error({ policy: name, problem }, "there is no policy to go by: every call of a tool is denied");
  else if (problem !== undefined) log.warn({ policy: name, generation, problem }, "policy in force is an earlier one");
  else log.info({ policy: name, generation }, "policy in force");
}
