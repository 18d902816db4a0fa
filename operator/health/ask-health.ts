// One question to an agent's admin port, and what the poller makes of it.
import { maxHealthReportBytes, parseHealthReport, type HealthReport } from "../../crds/health.ts";
import { fetchText } from "../../lib/outgoing/fetch-limited.ts";
import type { Question } from "./poller.ts";
import { isSameVerdict, judgeReport, judgeSilence, type HealthVerdict } from "./verdict.ts";

/** Rejects unless `agent` itself answers 200 with a report; with the signal's reason when that is aborted first. */
const askHealth = async (url: string, agent: string, signal: AbortSignal): Promise<HealthReport> =>
  parseHealthReport(
    await fetchText(url, { signal, accept: "application/json", maxBytes: maxHealthReportBytes }),
    agent,
  );

/** @param ask in place of a connection, for tests */
export const agentQuestion = (ask = askHealth): Question<HealthVerdict> => ({
  ask: async (url, agent, signal) => judgeReport(await ask(url, agent, signal)),
  judgeSilence,
  isSame: isSameVerdict,
  describe: (agent, verdict) => ({
    agent,
    health: verdict?.health ?? "unknown",
    // Not the message: it is the agent's, of any length, and stands on its resource.
    reasons: [verdict?.modelHealthy.reason, verdict?.downstreamsReachable.reason],
  }),
});
